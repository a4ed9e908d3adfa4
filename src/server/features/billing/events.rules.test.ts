import { expect, test } from 'vitest';
import { accountOf, namesPayment, subjectOf } from './events.rules.ts';

const event = {
  type: 'payment_intent.succeeded',
  account: null as string | null,
  object_id: 'pi_1',
  payload: {},
};

test('an event is about a connected account as such by its type', () => {
  expect(accountOf(event)).toBe(null);
  expect(accountOf({ ...event, account: 'acct_1' })).toBe(null);
  expect(accountOf({ type: 'account.updated', account: 'acct_1', object_id: 'x' })).toBe('acct_1');
  expect(accountOf({ type: 'account.updated', account: null, object_id: 'acct_1' })).toBe('acct_1');
  expect(accountOf({ type: 'capability.updated', account: 'acct_1', object_id: 'card' })).toBe('acct_1');
  expect(accountOf({ type: 'v2.core.account.closed', account: null, object_id: 'acct_1' })).toBe('acct_1');
});

test('events about one thing are read together; of two accounts, or of a mandate and its payment, they are not', () => {
  const charged = { ...event, type: 'payment_intent.processing' };
  expect(subjectOf(charged)).toBe(subjectOf(event));
  const others = [
    { ...event, object_id: 'pi_2' },
    { ...event, account: 'acct_1' },
    { ...event, account: 'acct_2' },
    { ...event, type: 'mandate.updated' },
    { ...event, payload: { customerId: 'cus' } },
    { ...event, type: 'account.updated', account: 'acct_1' },
    { ...event, type: 'account.application.deauthorized', account: 'acct_1' },
  ];
  expect(new Set([event, ...others].map(subjectOf)).size).toBe(8);
});

test('payments move the wallet; methods and customers do not', () => {
  expect(['pi_1', 'py_1', 'pm_1', 'cus_1', 'xpi_1', null].map(namesPayment)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
