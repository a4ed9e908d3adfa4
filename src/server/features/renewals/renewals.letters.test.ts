import { expect, test } from 'vitest';
import { reminderLetter, unableLetter } from './renewals.letters.ts';

const now = new Date('2026-11-22T12:00:00Z');
const publicUrl = 'https://portal.test';
const at = (days: number) => new Date(now.getTime() + days * 86_400_000);
const domain = (address: string, days: number, auto_renew = true) => ({
  ...{ address, auto_renew, expires_at: at(days) },
});
const reminder = (...domains: ReturnType<typeof domain>[]) =>
  reminderLetter(domains, now, { graceDays: 30, publicUrl });

test('the subject of a reminder says whether a domain has expired or soon will', () => {
  expect(reminder(domain('soon.com', 7)).subject).toBe('soon.com expires soon');
  expect(reminder(domain('gone.com', -1)).subject).toBe('gone.com has expired');
  // The moment of its expiry is the first at which it no longer works.
  expect(reminder(domain('now.com', 0)).subject).toBe('now.com has expired');
  expect(reminder(domain('a.com', 7), domain('b.com', 30)).subject).toBe('2 domains expire soon');
  expect(reminder(domain('a.com', -1), domain('b.com', 30)).subject).toBe('2 domains expired or expire soon');
});

test('a reminder lists what has expired first, and says of which nobody renews them', () => {
  const { parts } = reminder(domain('soon.com', 7, false), domain('gone.com', -1));
  expect(parts).toEqual([
    'These domains have expired and no longer work. You can still renew them at the normal price for 30 days after their expiry:',
    { rows: [['gone.com', 'Nov 21, 2026', 'auto renew is on']] },
    'These domains expire soon:',
    { rows: [['soon.com', 'Nov 29, 2026', 'auto renew is OFF: please renew it manually']] },
  ]);
});

test('a renewal that failed is told with its reason', () => {
  const failed = { address: 'a.com', expires_at: at(7), reason: 'The balance is too low.' };
  const { subject, parts } = unableLetter([failed], publicUrl);
  expect(subject).toBe('a.com could not be renewed');
  expect(parts[1]).toEqual({ rows: [['a.com', 'expires Nov 29, 2026', 'The balance is too low.']] });
  expect(unableLetter([failed, { ...failed, address: 'b.com' }], publicUrl).subject).toBe(
    '2 domains could not be renewed',
  );
});

test('each letter leads to the renewals, and tells only of what there is', () => {
  const button = { text: 'See upcoming renewals', address: `${publicUrl}/domain/renewals` };
  const coming = reminder(domain('soon.com', 7));
  expect([coming.button, unableLetter([], publicUrl).button]).toEqual([button, button]);
  expect(coming.parts[0]).toBe('These domains expire soon:');
  expect([coming.parts.length, reminder(domain('gone.com', -1)).parts.length]).toEqual([2, 2]);
});
