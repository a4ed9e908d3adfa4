import { describe, expect, test } from 'vitest';
import { bodyOf, grantable, problemsOf, type UserValues, valuesOf } from './change-values.ts';

const values = (given: Partial<UserValues>): UserValues => ({
  ...{ type: 'MSP_EMPLOYEE', customer: null, limit: '' },
  ...given,
});

describe('the form of a user', () => {
  test('sends the daily limit of an employee in cents, and its removal', () => {
    expect(bodyOf(values({ limit: '1,250.50' }))).toEqual({ type: 'MSP_EMPLOYEE', dailyLimit: 125_050 });
    expect(bodyOf(values({ limit: '' }))).toEqual({ type: 'MSP_EMPLOYEE', dailyLimit: null });
  });

  test("sends the customer of a customer's own user, and neither for others", () => {
    const all = { customer: 'c-1', limit: '5' };
    expect(bodyOf(values({ ...all, type: 'MSP_CUSTOMER' }))).toEqual({
      type: 'MSP_CUSTOMER',
      authorizedClientId: 'c-1',
    });
    expect(bodyOf(values({ ...all, type: 'MSP_ADMIN' }))).toEqual({ type: 'MSP_ADMIN' });
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
    expect(bodyOf(shown)).toEqual({ type: 'MSP_EMPLOYEE', dailyLimit: 0 });
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
