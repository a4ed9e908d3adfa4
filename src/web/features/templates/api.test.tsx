import { expect, test } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { useAccept, useCheck, useDelete, useForget, useSaveOwn } from './api.ts';

function useActs() {
  const [save, make, accept, forget] = [useSaveOwn('id'), useSaveOwn(null), useAccept('id'), useForget('id')];
  return { save, make, accept, forget, check: useCheck('id'), remove: useDelete('id') };
}
type Acts = ReturnType<typeof useActs>;

const list = ['dns', 'templates'];
const body = { name: 'Mail', version: 1, records: {} as never, variables: [] };
const acts: [string, (acts: Acts) => Promise<unknown>][] = [
  ['a new version', ({ save }) => save.mutateAsync(body)],
  ['a new template', ({ make }) => make.mutateAsync(body)],
  ['an acceptance', ({ accept }) => accept.mutateAsync({ domain: 'a.com', version: 1 })],
  ['a domain that is not watched any more', ({ forget }) => forget.mutateAsync('a.com')],
  ['a check', ({ check }) => check.mutateAsync(undefined)],
  ['a deletion', ({ remove }) => remove.mutateAsync(undefined)],
];

test.each(acts)('after %s the templates are read again', async (_what, act) => {
  expect(await readAgainAfter(useActs, [list], act)).toEqual([list]);
});

test.each(acts)(
  'after %s that was refused the templates are read again too: they may be others',
  async (_what, act) => {
    const conflict = () => Response.json({ code: 'conflict', message: 'Somebody else' }, { status: 409 });
    const refused = async (all: Acts) => expect(act(all)).rejects.toMatchObject({ status: 409 });
    expect(await readAgainAfter(useActs, [list], refused, conflict)).toEqual([list]);
  },
);
