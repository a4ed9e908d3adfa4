import { expect, test } from 'vitest';
import { endText, hostsText, limitsText, usedText } from './texts.ts';

const limits = (ordersPerMonth: number, centsPerMonth: number | null) => ({ ordersPerMonth, centsPerMonth });

test('limits are a sentence, with the money where it may be seen', () => {
  expect(limitsText(null)).toBe('never, only free reissues');
  expect(limitsText(limits(1, 29_95))).toBe('up to 1 certificate and $29.95 a month');
  expect(limitsText(limits(2, null))).toBe('up to 2 certificates a month');
});

test('what was used stands beside what may be used', () => {
  const usedThisMonth = { orders: 1, cents: 29_95 };
  expect(usedText({ buysNow: null, usedThisMonth })).toBe('Does not buy');
  expect(usedText({ buysNow: limits(2, 60_00), usedThisMonth })).toBe('1 of 2, $29.95 of $60.00');
  expect(usedText({ buysNow: limits(2, null), usedThisMonth: { orders: 1, cents: null } })).toBe('1 of 2');
});

test('names are the first and how many more', () => {
  expect(hostsText(null)).toBe('All names of the customer');
  expect(hostsText(['a.example.com'])).toBe('a.example.com');
  expect(hostsText(['a.example.com', 'b.example.com', 'c.example.com'])).toBe('a.example.com and 2 more');
});

test('an access ends after its last day, which is a day in UTC', () => {
  expect(endText('2090-01-02T00:00:00.000Z')).toBe('After Jan 1, 2090 (UTC)');
});
