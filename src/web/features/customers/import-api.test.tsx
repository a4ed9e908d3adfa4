import { QueryClient, useQueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import { stopFollowing } from '../../lib/followed-work.ts';
import {
  importQuery,
  noticeBeside,
  useApplySuggestions,
  useCheckFile,
  useDiscardImport,
  useDropMapping,
  useKeepMapping,
  useStartImport,
} from './import-api.ts';

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

const one = ['customer-imports', 'one', 'i'];
const rows = ['customer-imports', 'rows', 'i'];
const mappings = ['customer-imports', 'mappings'];
const shown = [one, rows, list, mappings];

function useActs() {
  const [apply, discard, start] = [useApplySuggestions('i'), useDiscardImport('i'), useStartImport('i')];
  const [check, keep, drop] = [useCheckFile(), useKeepMapping(), useDropMapping()];
  return { apply, check, discard, drop, keep, start, client: useQueryClient() };
}
type Acts = ReturnType<typeof useActs>;

test.each<[string, number[] | undefined]>([
  ['of one row', [2]],
  ['of all rows', undefined],
])(
  'after suggestions were applied the rows are read again, and the figures are those of the answer: %s',
  async (_what, chosen) => {
    const found = { importId: 'i', rows: { new: 1, changed: 0, same: 0, faulty: 0 }, suggested: 0 };
    const apply = async ({ apply, client }: Acts) => {
      await apply.mutateAsync(chosen);
      expect(client.getQueryData(one)).toEqual(found);
    };
    expect(await readAgainAfter(useActs, shown, apply, () => Response.json({ data: found }))).toEqual([rows]);
  },
);

test.each<[string, (acts: Acts) => Promise<unknown>, string[][]]>([
  ['a file was checked the list of those that wait', ({ check }) => check.mutateAsync({ key: 'k' }), [list]],
  ['one was discarded the list and the file', ({ discard }) => discard.mutateAsync(), [one, list]],
  [
    'a mapping of columns was kept the mappings',
    ({ keep }) => keep.mutateAsync({ name: 'CRM', mapping: {} as never }),
    [mappings],
  ],
  ['one was removed the mappings', ({ drop }) => drop.mutateAsync('m'), [mappings]],
])('after %s are read again', async (_what, act, read) => {
  expect(await readAgainAfter(useActs, shown, act)).toEqual(read);
});

const readAgainAfterRefusal = (act: (acts: Acts) => Promise<unknown>) =>
  readAgainAfter(
    useActs,
    shown,
    (acts) => act(acts).catch(() => undefined),
    () => Response.json({ code: 'conflict', message: 'No' }, { status: 409 }),
  );

test('a file that could not be started is read again, with its rows: it may have been judged again', async () => {
  const start = ({ start }: Acts) => start.mutateAsync({ mode: 'good', judged: 1 });
  expect(await readAgainAfterRefusal(start)).toEqual([one, rows]);
});

test('so is one that could not be mended or discarded: others may be importing it', async () => {
  expect(await readAgainAfterRefusal(({ apply }) => apply.mutateAsync(undefined))).toEqual([one, rows]);
  expect(await readAgainAfterRefusal(({ discard }) => discard.mutateAsync())).toEqual([one, rows]);
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
