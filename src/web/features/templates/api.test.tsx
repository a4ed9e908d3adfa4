import { expect, test } from 'vitest';
import { id, type Reading, testWrites } from '../../../../tests/support/asked.tsx';
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

const of: Reading[] = ['templates', 'uses'];
const useWrites = () => ({
  ...{ save: useSaveOwn(id), make: useSaveOwn(null), accept: useAccept(id), forget: useForget(id) },
  ...{ check: useCheck(id), remove: useDelete(id) },
});
const content = { name: 'Mail', records: { A: [] } as never, variables: [{ key: 'ip', label: 'Address' }] };
const at = `/dns/templates/${id}`;
type Write = [string, (writes: ReturnType<typeof useWrites>) => Promise<unknown>, [string, unknown?]];
const writes: Write[] = [
  [
    'a new version of a template',
    ({ save }) => save.mutateAsync({ ...content, version: 4 }),
    [`PUT ${at}`, { ...content, version: 4 }],
  ],
  // It has no version yet.
  [
    'a new template',
    ({ make }) => make.mutateAsync({ ...content, version: 1 }),
    ['POST /dns/templates', content],
  ],
  ['a check', ({ check }) => check.mutateAsync(), [`POST ${at}/check`]],
  [
    'an acceptance',
    ({ accept }) => accept.mutateAsync({ domain: 'acme.com', version: 4 }),
    [`POST ${at}/accept`, { domain: 'acme.com', version: 4 }],
  ],
  [
    'a domain that is not watched any more',
    ({ forget }) => forget.mutateAsync('acme.com'),
    [`POST ${at}/forget`, { domains: ['acme.com'] }],
  ],
  ['a deletion', ({ remove }) => remove.mutateAsync(), [`DELETE ${at}`]],
];
testWrites(
  useWrites,
  writes.map((write) => [...write, of, of] as const),
);
