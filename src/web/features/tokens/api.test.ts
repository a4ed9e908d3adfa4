import { expect, test } from 'vitest';
import { id, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { useCreateToken, useRevokeToken } from './api.ts';

const list = ['tokens'];

test('a token that was made or revoked is so in the list: it is read again', async () => {
  const body = { name: 'Script', rights: ['domains.read'], reach: 'organisation' } as never;
  expect(await readAgainAfter(useCreateToken, [list], (create) => create.mutateAsync(body))).toEqual([list]);
  expect(await readAgainAfter(useRevokeToken, [list], (revoke) => revoke.mutateAsync('id'))).toEqual([list]);
});

const wish = {
  ...{ name: 'Script', permissions: ['domains.read' as const] },
  ...{ customerId: id, validDays: 90 },
};

testWrites(
  () => ({ create: useCreateToken(), revoke: useRevokeToken() }),
  [
    [
      'a token',
      ({ create }) => create.mutateAsync(wish),
      ['POST /user/tokens', wish],
      ...([['tokens'], ['tokens']] as const),
    ],
    [
      'a revocation',
      ({ revoke }) => revoke.mutateAsync('t1'),
      ['DELETE /user/tokens/t1'],
      ...([['tokens'], ['tokens']] as const),
    ],
  ],
);
