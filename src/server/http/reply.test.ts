import { expect, test } from 'vitest';
import { writtenPage } from '#kernel/binding.ts';
import { listThings } from './app-under-test.ts';
import { jsonOf } from './reply.ts';

test('rows that are JSON already are the page’s rows, with what the pager needs where a page was asked for', () => {
  const rows = '[{"name":"a"},{"name":"b"}]';
  const things = [{ name: 'a' }, { name: 'b' }];
  const meta = { total: 12, page: 2, pageSize: 10 };
  expect(JSON.parse(jsonOf(listThings, writtenPage(rows, 12, { page: 2, pageSize: 10 })))).toEqual({
    ...{ data: things, meta },
  });
  expect(JSON.parse(jsonOf(listThings, writtenPage(rows, 2, { pageSize: 10 })))).toEqual({ data: things });
  expect(JSON.parse(jsonOf(listThings, writtenPage('[]', 0, { pageSize: 10 })))).toEqual({ data: [] });
});
