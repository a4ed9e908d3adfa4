import { expect, test } from 'vitest';
import { getStatement, getStatementCsv } from './statement.ts';

test('the file takes every filter of the list, and the search', () => {
  const ofPages = ['page', 'pageSize', 'sort'];
  const ofTheList = Object.keys(getStatement.query.shape).filter((name) => !ofPages.includes(name));
  expect(Object.keys(getStatementCsv.query.shape).toSorted()).toEqual(ofTheList.toSorted());
  expect(ofTheList).toContain('search');
});
