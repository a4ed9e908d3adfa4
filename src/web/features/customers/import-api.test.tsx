import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import { stopFollowing } from '../../lib/followed-work.ts';
import { importQuery, noticeBeside, useStartImport } from './import-api.ts';

const list = ['customer-imports', 'list'];

test('the list of files that wait is read again when one of them is started', async () => {
  try {
    const started = await readAgainAfter(
      () => useStartImport('i'),
      [list],
      (start) => start.mutateAsync({ mode: 'all', judged: 1 }),
    );
    expect(started).toEqual([list]);
  } finally {
    stopFollowing('i');
  }
});

test('a file that could not be started is read again, with its rows: it may have been judged again', async () => {
  const shown = [['customer-imports', 'one', 'i'], ['customer-imports', 'rows', 'i'], list];
  const again = await readAgainAfter(
    () => useStartImport('i'),
    shown,
    (start) => start.mutateAsync({ mode: 'good', judged: 1 }).catch(() => undefined),
    () => Response.json({ code: 'conflict', message: 'Checked again' }, { status: 409 }),
  );
  expect(again).toEqual(shown.slice(0, 2));
});

test('why a file was not started is said once, although the file that is read again says it too', () => {
  const again = 'This file was checked again with your permissions.';
  expect(noticeBeside(again, new Error(again))).toBeNull();
  expect(noticeBeside(again, new Error('No answer came.'))).toBe(again);
  expect(noticeBeside(again, null)).toBe(again);
  expect(noticeBeside('', null)).toBeNull();
});

test.each([
  ['importing', 'done', true],
  ['importing', 'importing', false],
  ['done', 'done', false],
])(
  'of an import that was %s and is %s the list and the customers are read again: %s',
  async (was, is, again) => {
    vi.stubGlobal('fetch', async () => Response.json({ data: { state: is } }));
    setTokenSource({ token: async () => 'token', renew: async () => null });
    try {
      const client = new QueryClient();
      const shown = [list, ['customers', 'list'], ['customer-imports', 'rows', 'i']];
      for (const key of shown) client.setQueryData(key, []);
      client.setQueryData(['customer-imports', 'one', 'i'], { state: was });
      await client.fetchQuery(importQuery(client, 'i'));
      expect(shown.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([again, again, again]);
    } finally {
      vi.unstubAllGlobals();
      setTokenSource({ token: async () => null, renew: async () => null });
    }
  },
);
