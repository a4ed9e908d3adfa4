import { expect, test } from 'vitest';
import { AppError } from '../errors.ts';
import { operations } from '../operations.ts';
import { type Rate, rates, rateText, waitText } from './rates.ts';

test.each([
  [0, '1 second'],
  [1, '1 second'],
  [1.2, '2 seconds'],
  [90, '90 seconds'],
  [91, '2 minutes'],
  [720, '12 minutes'],
  [5_400, '90 minutes'],
  [5_401, '2 hours'],
])('%d seconds of waiting are told as %s', (seconds, text) => {
  expect(waitText(seconds)).toBe(text);
});

test('whatever is refused for its number says how long to wait', () => {
  expect(new AppError('rate_limited', { retryAfterSeconds: 720 }).message).toBe(
    'Too many requests. Please try again in 12 minutes.',
  );
  expect(new AppError('rate_limited').message).toBe('Too many requests. Please wait a moment.');
});

test('each named limit is used, and each letter to somebody is limited for its addressee', () => {
  const used = new Set(operations.map(({ rate }) => rate));
  expect(Object.keys(rates).filter((name) => !used.has(name as keyof typeof rates))).toEqual([]);
  expect(operations.find(({ id }) => id === 'users.resendInvite')?.rate).toBe('resend');
});

test('a working day meets no limit: a team of 40 is invited, 60 files are sent, 20 names looked up, one after the other', () => {
  const atOnce = (rate: Rate) => rate.burst ?? rate.hits;
  expect(atOnce(rates.invite)).toBeGreaterThanOrEqual(40);
  expect(atOnce(rates.upload)).toBeGreaterThanOrEqual(60);
  expect(atOnce(rates.lookup)).toBe(20);
});

test.each([
  [rates.invite, '60 an hour'],
  [rates.purchase, '10 a minute'],
  [{ hits: 3, periodSeconds: 30 }, '3 in 30 seconds'],
])('%o is told as %s', (limit, text) => {
  expect(rateText(limit)).toBe(text);
});
