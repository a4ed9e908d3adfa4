import { expect, test } from 'vitest';
import { roles } from '#contracts/permissions.ts';
import { endOfToken, endOfTokens, opensNow, standingOfToken } from './tokens.rules.ts';

const staff = (role: 'MSP_OWNER' | 'MSP_ADMIN' | 'MSP_EMPLOYEE') => ({ role, customerId: null });
const client = (customerId: string | null) => ({ role: 'MSP_CUSTOMER' as const, customerId });
const everything = { reach: 'organisation' as const, customerId: null };
const only = (customerId: string | null) => ({ reach: 'customer' as const, customerId });
const customers = (...ids: [string, ...string[]]) => ({
  role: 'MSP_CUSTOMER',
  reach: { kind: 'customers', ids },
});

test('a token reaches what its person reaches and it was given, both; what is not said reaches nothing', () => {
  expect(standingOfToken(staff('MSP_ADMIN'), everything)).toEqual({
    role: 'MSP_ADMIN',
    reach: { kind: 'organisation' },
  });
  expect(standingOfToken(staff('MSP_ADMIN'), only('a'))).toEqual(customers('a'));
  expect(standingOfToken(client('a'), everything)).toEqual(customers('a'));
  expect(standingOfToken(client('a'), only('a'))).toEqual(customers('a'));
  expect(standingOfToken(client('a'), only('b'))).toBeNull();
  expect(standingOfToken(client(null), everything)).toBeNull();
  expect(standingOfToken(staff('MSP_OWNER'), only(null))).toBeNull();
});

test('a token opens nothing beyond its role, nothing beyond what it was given, and nothing that is not for scripts', () => {
  const given = ['domains.read', 'customers.delete', 'users.manage', 'made.up'];
  const as = (person: Parameters<typeof standingOfToken>[0]) =>
    opensNow(given, standingOfToken(person, everything));
  expect(as(staff('MSP_ADMIN'))).toEqual(['domains.read', 'customers.delete']);
  expect(as(staff('MSP_EMPLOYEE'))).toEqual(['domains.read']);
  expect(as(client('a'))).toEqual(['domains.read']);
  expect(as(client(null))).toEqual([]);
});

test('a token has ended at the end of its time, or before that when somebody or a change ended it', () => {
  const [before, end, after] = ['11:59', '12:00', '12:01'].map((time) => new Date(`2026-11-26T${time}Z`)) as [
    Date,
    Date,
    Date,
  ];
  const token = { expires_at: end, revoked_at: null, ended_because: null };
  const expired = { at: end, because: 'expired' };
  expect(endOfToken(token, before)).toBeNull();
  expect([endOfToken(token, end), endOfToken(token, after)]).toEqual([expired, expired]);
  expect(endOfToken({ ...token, expires_at: null }, after)).toBeNull();
  const removed = { ...token, ended_because: 'person_removed' };
  expect(endOfToken({ ...removed, revoked_at: after }, after)).toEqual(expired);
  for (const expires_at of [null, end]) {
    const ended = { at: before, because: 'person_removed' };
    expect(endOfToken({ ...removed, expires_at, revoked_at: before }, after)).toEqual(ended);
  }
});

test('tokens end when their person becomes a customer’s user or goes to another customer, and go on otherwise', () => {
  for (const role of roles.filter((name) => name !== 'MSP_CUSTOMER')) {
    expect(endOfTokens(staff('MSP_ADMIN'), staff(role))).toBeNull();
    expect(endOfTokens(staff(role), client('a'))).toBe('person_became_customer');
    expect(endOfTokens(client('a'), staff(role))).toBeNull();
  }
  expect(endOfTokens(client('a'), client('b'))).toBe('person_changed_customer');
  expect(endOfTokens(client('a'), client('a'))).toBeNull();
});
