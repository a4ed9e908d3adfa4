import { expect, test } from 'vitest';
import { nameserversLetter, verificationLetter } from './domains.letters.ts';

const now = new Date('2026-11-22T12:00:00Z');
const publicUrl = 'https://portal.test';
const row = (address: string, days: number | null, bounced = false) => ({
  ...{ address, verification_bounced: bounced },
  verification_deadline: days === null ? null : new Date(now.getTime() + days * 86_400_000),
});
const letter = (notice: 'begun' | 'soon' | 'suspended', ...rows: ReturnType<typeof row>[]) =>
  verificationLetter(notice, rows, now, publicUrl);

test.each([
  ['begun', 'The registrant of a.com has to confirm their email address', 'Registrants of 2 domains have to'],
  ['soon', 'a.com will be suspended soon', '2 domains will be suspended soon'],
  ['suspended', 'a.com is suspended', '2 domains are suspended'],
] as const)(
  'news that verification is %s names the one domain and leads to it, or leads to the list of several',
  (notice, one, several) => {
    expect(letter(notice, row('a.com', 9))).toMatchObject({
      ...{ subject: one, button: { text: 'Open a.com', address: `${publicUrl}/domain/a.com` } },
    });
    const both = letter(notice, row('a.com', 9), row('b.com', 9));
    expect(both.subject).toContain(several);
    expect(both.button).toEqual({ text: 'Open the list of domains', address: `${publicUrl}/domain/list` });
  },
);

test('each domain stands with its day, what is left, and a bounce; a suspended one has no time left', () => {
  const rows = [row('a.com', 1), row('b.com', 4.5, true), row('c.com', null)];
  expect(letter('soon', ...rows).parts[1]).toEqual({
    rows: [
      ['a.com', 'until Nov 23, 2026 (1 day left)', ''],
      ['b.com', 'until Nov 27, 2026 (5 days left)', 'THE EMAIL COULD NOT BE DELIVERED'],
      ['c.com', '', ''],
    ],
  });
  expect(letter('suspended', row('a.com', -1)).parts[1]).toEqual({ rows: [['a.com', '', '']] });
});

test('nameservers that changed with a transfer are told as they were and as they are, and lead to the domain', () => {
  const told = nameserversLetter({
    ...{ address: 'a.com', before: ['ns1.old.net', 'ns2.old.net'], after: ['ns1.new.net'], publicUrl },
  });
  expect(told.subject).toBe('a.com has different nameservers after its transfer');
  expect(told.parts[1]).toEqual({
    rows: [
      ['Before', 'ns1.old.net, ns2.old.net'],
      ['Now', 'ns1.new.net'],
    ],
  });
  expect(told.button).toEqual({ text: 'Open a.com', address: `${publicUrl}/domain/a.com` });
});
