import { describe, expect, test } from 'vitest';
import { merged } from '../../lib/merge.ts';
import {
  changesOf,
  fieldErrors,
  grantable,
  problemsOf,
  shownOf,
  type UserValues,
  userFields,
  valuesOf,
} from './change-values.ts';

const values = (given: Partial<UserValues>): UserValues => ({
  ...{ type: 'MSP_EMPLOYEE', customer: null, limit: '' },
  ...given,
});

describe('the form of a user', () => {
  test('sends the daily limit of an employee in cents, and its removal', () => {
    expect(changesOf(values({ limit: '1,250.50' }), values({}))).toEqual({ dailyLimit: 125_050 });
    expect(changesOf(values({ limit: '' }), values({ limit: '5' }))).toEqual({ dailyLimit: null });
  });

  test('sends only what was changed: a limit, type or customer that a colleague set meanwhile stays', () => {
    const own = values({ type: 'MSP_CUSTOMER', customer: 'c-1' });
    for (const same of [values({}), values({ limit: '5' }), own, values({ type: 'MSP_ADMIN' })]) {
      expect(changesOf({ ...same }, same)).toEqual({});
    }
    expect(changesOf(values({ limit: '1,250.50 ' }), values({ limit: '1250.50' }))).toEqual({});
    expect(changesOf({ ...own, customer: 'c-2' }, own)).toEqual({ authorizedClientId: 'c-2' });
    expect(changesOf(values({}), own)).toEqual({ type: 'MSP_EMPLOYEE' });
    expect(changesOf(values({ limit: '5' }), own)).toEqual({ type: 'MSP_EMPLOYEE', dailyLimit: 500 });
  });

  test("sends the customer of a customer's own user, and neither for others", () => {
    const all = { customer: 'c-1', limit: '5' };
    expect(changesOf(values({ ...all, type: 'MSP_CUSTOMER' }), values({}))).toEqual({
      type: 'MSP_CUSTOMER',
      authorizedClientId: 'c-1',
    });
    expect(changesOf(values({ ...all, type: 'MSP_ADMIN' }), values({}))).toEqual({ type: 'MSP_ADMIN' });
  });

  test('says of what it changes what it was, and of nothing else', () => {
    const before = values({ limit: '5', customer: 'c-1' });
    expect(shownOf({ type: 'MSP_CUSTOMER', authorizedClientId: 'c-2', dailyLimit: 1 }, before)).toEqual({
      ...{ type: 'MSP_EMPLOYEE', authorizedClientId: 'c-1', dailyLimit: 500 },
    });
    expect(shownOf({ dailyLimit: 500 }, values({}))).toEqual({ dailyLimit: null });
    expect(shownOf({}, before)).toEqual({});
  });

  test('that was overtaken keeps what was changed, and shows what a colleague set elsewhere', () => {
    const base = values({ limit: '5.00' });
    const theirs = values({ type: 'MSP_ADMIN', limit: '7.00' });
    const of = (mine: UserValues) => merged(userFields, { base, mine, theirs }).values;
    expect(of(values({ limit: '9' }))).toEqual(values({ type: 'MSP_ADMIN', limit: '9' }));
    // The same amount, typed otherwise, is no change.
    expect(of(values({ type: 'MSP_CUSTOMER', customer: 'c-1', limit: '5' }))).toEqual(
      values({ type: 'MSP_CUSTOMER', customer: 'c-1', limit: '7.00' }),
    );
  });

  test('shows what the server has against a value at its field', () => {
    const faults = [
      { path: 'dailyLimit', message: 'Only employees have a daily limit' },
      { path: 'authorizedClientId', message: 'Please choose the customer' },
      { path: 'else', message: 'No' },
    ];
    expect(fieldErrors(faults)).toEqual({
      limit: 'Only employees have a daily limit',
      customer: 'Please choose the customer',
    });
    expect(fieldErrors([])).toEqual({});
  });

  test('starts with what the user has, or with the type that was chosen before signing in again', () => {
    const user = { type: 'MSP_EMPLOYEE', authorizedClientId: null, dailyLimit: 125_050 } as const;
    expect(valuesOf(user, null)).toEqual(values({ limit: '1250.50' }));
    expect(valuesOf({ ...user, dailyLimit: null }, 'MSP_OWNER')).toEqual(values({ type: 'MSP_OWNER' }));
  });

  test('shows a limit of nothing as one, and saving it leaves it', () => {
    const user = { type: 'MSP_EMPLOYEE', authorizedClientId: null, dailyLimit: 0 } as const;
    const shown = valuesOf(user, null);
    expect(shown.limit).not.toBe('');
    expect(changesOf({ ...shown }, shown)).toEqual({});
    expect(changesOf(shown, values({}))).toEqual({ dailyLimit: 0 });
  });

  test('asks for a customer and for an amount only where they count', () => {
    expect(problemsOf(values({ type: 'MSP_CUSTOMER' })).customer).toBe('Please choose the customer');
    expect(problemsOf(values({ type: 'MSP_CUSTOMER', customer: 'c-1', limit: 'x' }))).toEqual({
      customer: null,
      limit: null,
    });
    for (const limit of ['x', '-1', '1.234']) {
      expect(problemsOf(values({ limit })).limit, limit).toBe('Please enter an amount such as 250.00');
    }
    for (const limit of ['', ' ', '0', '250.00'])
      expect(problemsOf(values({ limit })).limit, limit).toBeNull();
  });

  test('offers owners every type, and administrators neither their own nor a second owner', () => {
    expect(grantable('MSP_EMPLOYEE', { by: 'MSP_OWNER', ownerless: false })).toHaveLength(4);
    const byAdmin = { by: 'MSP_ADMIN', ownerless: false } as const;
    expect(grantable('MSP_EMPLOYEE', byAdmin).toSorted()).toEqual(['MSP_CUSTOMER', 'MSP_EMPLOYEE']);
    expect(grantable('MSP_ADMIN', byAdmin)).toContain('MSP_ADMIN');
    expect(grantable('MSP_EMPLOYEE', { ...byAdmin, ownerless: true })).toContain('MSP_OWNER');
  });
});
