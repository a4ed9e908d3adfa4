import { expect, test } from 'vitest';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { domainFacts } from './domain-state.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();

interface Given extends Partial<Omit<DomainDetails, 'verification'>> {
  locked?: boolean;
  autoRenew?: boolean;
  verification?: Partial<NonNullable<DomainDetails['verification']>> | null;
}

function textsOf({ locked = true, autoRenew = true, verification = null, ...given }: Given): string[] {
  const details = {
    ...{ domain: 'acme.com', status: 'active', managed_dns: true, live: true, restorable_until: null },
    ...{ registry_expiredate: inDays(200), nameserver_list: [{ name: 'ns1.example.net' }] },
    ext_results: [{ 'acme.com': { lock_state: locked ? 1 : 0, auto_renew: autoRenew ? 1 : 0 } }],
    verification: verification && { state: 'waiting', deadline: null, bounced: false, ...verification },
    ...given,
  } as unknown as DomainDetails;
  return domainFacts(details, now, 'Nameward').map(({ tone, text }) => `${tone}: ${text}`);
}

const well = ['good: Active', 'good: Locked', 'good: Auto renew on', 'plain: Nameward DNS'];

test('a domain that needs nobody is active, locked, renewing; the DNS only describes', () => {
  expect(textsOf({})).toEqual(well);
  expect(textsOf({ managed_dns: false })).toEqual([...well.slice(0, 3), 'plain: Own DNS']);
  expect(textsOf({ verification: { state: 'verified' } })).toEqual(well);
});

test('the worst of registrant, expiry, lock and DNS comes first', () => {
  expect(
    textsOf({ locked: false, autoRenew: false, registry_expiredate: inDays(59.5), managed_dns: null }).slice(
      0,
      2,
    ),
  ).toEqual(['bad: Expires in 59 days', 'warn: Unlocked']);
  expect(textsOf({ verification: { deadline: inDays(10) } })[0]).toBe(
    'warn: Registrant not verified: 10 days left',
  );
  expect(textsOf({ nameserver_list: [], managed_dns: null })[0]).toBe('warn: No nameservers');
  expect(textsOf({ nameserver_list: [], managed_dns: null, live: false })[0]).toBe('good: Active');
});

test('without auto renew the expiry counts from 60 days on; with it only when the renewal is late', () => {
  const expiring = (days: number, autoRenew: boolean) =>
    textsOf({ autoRenew, registry_expiredate: inDays(days) }).find((text) => /[Ee]xpire|renew/.test(text));
  expect(expiring(60.1, false)).toBe('plain: Auto renew off');
  expect(expiring(59.9, false)).toBe('bad: Expires in 59 days');
  expect(expiring(7.1, true)).toBe('good: Auto renew on');
  expect(expiring(6.9, true)).toBe('warn: Expires in 6 days, not renewed yet');
  expect(expiring(0.5, true)).toBe('warn: Expires within a day, not renewed yet');
  expect(expiring(-0.5, true)).toBe('bad: Expired 1 day ago');
});

test('a registrant’s deadline is urgent from five days on, and when the email bounced', () => {
  const of = (verification: Given['verification']) => textsOf({ verification: verification ?? null })[0];
  expect(of({ deadline: inDays(5.1) })).toBe('warn: Registrant not verified: 6 days left');
  expect(of({ deadline: inDays(4.9) })).toBe('bad: Registrant not verified: 5 days left');
  expect(of({ bounced: true })).toBe('bad: Registrant not verified');
  expect(of({ state: 'reviewing' })).toBe('info: Registrant under review');
});

test('what does not work is not called active, and what is gone says only that', () => {
  expect(textsOf({ verification: { state: 'suspended' } })).toEqual(['bad: Suspended', ...well.slice(1)]);
  expect(textsOf({ status: 'expired', registry_expiredate: inDays(-3) })[0]).toBe('bad: Expired 3 days ago');
  expect(textsOf({ status: 'expired', registry_expiredate: inDays(-3) })).not.toContain('good: Active');
  expect(textsOf({ restorable_until: inDays(20) })).toEqual(['bad: Deleted, can be restored']);
  expect(textsOf({ status: 'ended' })).toEqual(['bad: No longer in your account']);
  expect(textsOf({ missing: true, locked: false })).toEqual(['bad: No longer in your account']);
  expect(textsOf({ status: 'transferring', registry_expiredate: null })).toEqual([
    'info: Transfer under way',
  ]);
});
