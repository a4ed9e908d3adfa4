import { expect, test } from 'vitest';
import { readNameList } from './name-list.ts';

test.each([
  'fig.com\nplum.com',
  'fig.com, plum.com',
  'fig.com;plum.com',
  '"fig.com"\t"plum.com"',
  'fig plum',
])('the list %j has two names', (text) => {
  expect(readNameList(text).map(({ domain }) => domain)).toEqual(['fig.com', 'plum.com']);
});

test('each name is in the list once, and what is no name stays with what is wrong', () => {
  expect(readNameList('FIG.com https://www.fig.com/ fig.org -x-\n\n')).toEqual([
    { typed: 'FIG.com', domain: 'fig.com', problem: null },
    { typed: 'fig.org', domain: null, problem: 'Only .com domains are supported at the moment.' },
    {
      ...{ typed: '-x-', domain: null },
      problem: 'Only letters, digits and hyphens are allowed, and no hyphen at the beginning or end',
    },
  ]);
  expect(readNameList('ü'.repeat(301))).toMatchObject([{ typed: 'ü'.repeat(300), domain: null }]);
  expect(readNameList(' ,;\n')).toEqual([]);
});
