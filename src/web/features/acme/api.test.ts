import { expect, test } from 'vitest';
import { asked, id, testWrites } from '../../../../tests/support/asked.tsx';
import {
  useAccess,
  useAccessLog,
  useAllowance,
  useChangeAccess,
  useMakeAccess,
  useRevokeAccess,
  useSetAllowance,
} from './api.ts';

const more = {
  ...{ access: () => useAccess(id), log: () => useAccessLog(id), allowance: () => useAllowance(id) },
};
const here = ['accesses', 'access', 'log', 'allowance'] as const;
/** Certificates name the access, and what its machines were refused waits for a person. */
const changed = [
  ...[...here, 'overview' as const, 'attention' as const, 'attentionCounts' as const],
  ...(['certificates', 'customerCertificates'] as const),
] as const;

const mayBuy = { ordersPerMonth: 5, centsPerMonth: 10_000 };
const rights = {
  name: 'web-1',
  hosts: ['www.acme.com'],
  productType: 'rapidssl',
  mayBuy,
  lastDay: '2027-01-31',
};
const wish = { ...rights, customerId: id };
const allowed = (mostAccesses: number) => ({ mostAccesses, productType: 'rapidssl', mayBuy });
const allowance = { allowance: allowed(2), shown: allowed(1) };
const useWrites = () => ({
  ...{ make: useMakeAccess(), change: useChangeAccess(id), revoke: useRevokeAccess() },
  allow: useSetAllowance(id),
});

testWrites(
  useWrites,
  [
    // Without an answer it may be there, and has to be found to be revoked.
    ['an access', ({ make }) => make.mutateAsync(wish), ['POST /acme/access', wish], here, here],
    [
      'a change of an access',
      ({ change }) => change.mutateAsync(rights),
      [`PATCH /acme/access/${id}`, rights],
      ...([changed, changed] as const),
    ],
    [
      'an access that is revoked',
      ({ revoke }) => revoke.mutateAsync(id),
      [`DELETE /acme/access/${id}`],
      ...([changed, changed] as const),
    ],
    [
      'an allowance',
      ({ allow }) => allow.mutateAsync(allowance),
      [`PUT /acme/allowance/${id}`, allowance],
      ...([here, here] as const),
    ],
  ],
  { more },
);

test('the key of an access is handed on once, and kept under no reading', async () => {
  let made: unknown;
  const make = async (writes: ReturnType<typeof useWrites>) => {
    made = await writes.make.mutateAsync(wish);
  };
  const { put } = await asked(useWrites, make, undefined, { more, data: { id, hmacKey: 'secret' } });
  expect([made, put]).toEqual([{ id, hmacKey: 'secret' }, []]);
});
