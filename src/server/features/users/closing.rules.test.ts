import { expect, test } from 'vitest';
import { roles } from '#contracts/permissions.ts';
import { closingReasons } from '#contracts/values/closing.ts';
import { type ClosingCounts, mayClose, reasonsAgainst } from './closing.rules.ts';

const nothing = Object.fromEntries(closingReasons.map((reason) => [reason, 0])) as ClosingCounts;

test('an organization that has nothing may be closed', () => {
  expect(reasonsAgainst(nothing)).toEqual([]);
});

test.each(closingReasons)('%s alone stand against it', (reason) => {
  expect(reasonsAgainst({ ...nothing, [reason]: 3 })).toEqual([{ reason, count: 3 }]);
});

test('a debt stands against it as money does, and all reasons are told at once', () => {
  expect(reasonsAgainst({ ...nothing, balance: -1 })).toEqual([{ reason: 'balance', count: -1 }]);
  const all = reasonsAgainst({ ...nothing, refunds: 1, users: 2, domains: 4 });
  expect(all.map(({ reason }) => reason)).toEqual(['users', 'domains', 'refunds']);
});

test('an owner closes; an administrator only while there is no owner; nobody else does', () => {
  expect(roles.map((role) => [role, mayClose(role, 0), mayClose(role, 1)])).toEqual([
    ['MSP_OWNER', true, true],
    ['MSP_ADMIN', true, false],
    ['MSP_EMPLOYEE', false, false],
    ['MSP_CUSTOMER', false, false],
  ]);
});
