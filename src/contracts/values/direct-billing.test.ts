import { describe, expect, test } from 'vitest';
import {
  billingChip,
  billingState,
  lineMarkupCents,
  type MarkedLine,
  notChargedText,
} from './direct-billing.ts';
import type { Markups } from './money.ts';

const percent = (value: number) => ({ type: 'percentage' as const, value });
const markups: Markups = {
  domain: { purchase: percent(1), renewal: percent(2) },
  certificate: { purchase: percent(10), renewal: percent(50) },
};

describe('which markup counts', () => {
  test.each<[MarkedLine['kind'], boolean, number]>([
    ['domain', false, 100],
    ['transfer', false, 100],
    ['renewal', false, 200],
    ['redemption', false, 200],
    ['certificate', false, 1_000],
    ['certificate', true, 5_000],
  ])(
    'a %s (renewing a certificate: %s) of USD 100.00 costs %i cents more',
    (kind, renewsCertificate, cents) => {
      expect(lineMarkupCents(10_000, markups, { kind, renewsCertificate })).toBe(cents);
    },
  );
});

describe('the chip', () => {
  test.each([
    [false, '', false, 'Disabled'],
    [false, 'pay@customer.example', true, 'Disabled'],
    [true, '', false, 'Pending'],
    [true, '', true, 'Pending'],
    [true, 'pay@customer.example', false, 'Pending'],
    [true, 'pay@customer.example', true, 'Active'],
  ] as const)(
    'on: %s, email: "%s", payment method: %s is %s',
    (billDirectly, email, paymentMethodSet, chip) => {
      expect(billingChip({ billDirectly, email, paymentMethodSet })).toBe(chip);
    },
  );
});

describe('what direct billing comes to', () => {
  const on = { billDirectly: true, email: 'pay@customer.example', paymentMethodSet: true };
  const chargesStopped = { since: '2026-11-29T12:00:00Z', disputes: 2, chargeId: null };
  test.each([
    ['Active', on, null],
    ['Stopped', on, chargesStopped],
    ['Stopped', { ...on, paymentMethodSet: false }, chargesStopped],
    ['Pending', { ...on, paymentMethodSet: false }, null],
    ['Disabled', { ...on, billDirectly: false }, chargesStopped],
  ] as const)('%s: %o, stopped: %o', (state, customer, stopped) => {
    expect(billingState({ ...customer, chargesStopped: stopped })).toBe(state);
  });

  test('is said of whom a dispute keeps from being charged', () => {
    expect(notChargedText(['Acme'])).toMatch(/^Acme disputed a payment and cannot be charged\./);
    expect(notChargedText(['Acme', 'Zeta', 'Ann'])).toMatch(/^Acme, Zeta, and Ann disputed/);
  });
});
