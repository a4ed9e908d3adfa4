import { expect, test } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { useCreateToken, useRevokeToken } from './api.ts';

const list = ['tokens'];

test('a token that was made or revoked is so in the list: it is read again', async () => {
  const body = { name: 'Script', rights: ['domains.read'], reach: 'organisation' } as never;
  expect(await readAgainAfter(useCreateToken, [list], (create) => create.mutateAsync(body))).toEqual([list]);
  expect(await readAgainAfter(useRevokeToken, [list], (revoke) => revoke.mutateAsync('id'))).toEqual([list]);
});
