import { describe, expect, test } from 'vitest';
import { comPeriods } from '#contracts/values/domain-life.ts';
import { owner as ann } from '../../../../tests/support/people.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { detailsOf, isManaged } from './details.ts';
import type { DomainRecord } from './settings.repo.ts';

/** What is shown of a domain, from the portal's own copy and from the registrar's word. */

const now = new Date('2026-11-22T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const day = 86_400_000;
const hosts = ['ns1.ours.net', 'ns2.ours.net'];

const copy = (change: Partial<DomainRecord> = {}) =>
  ({
    ...{ address: 'fig.com', customer_id: 'cus', customer: 'Acme', status: 'active', missing_since: null },
    ...{ registered_at: at(-400 * day), expires_at: at(300 * day), transferred_at: null, renewed_at: null },
    ...{ nameservers: ['ns1.copy.net', 'ns2.copy.net'], locked: false, auto_renew: true, privacy: true },
    ...{ restorable_until: null, synced_at: at(-day), verification: null, verification_deadline: null },
    ...{ verification_bounced: false, verification_sent_at: null, ...change },
  }) as unknown as DomainRecord;
const said = (change: Partial<RegistrarDomain> = {}): RegistrarDomain => ({
  ...{ domain: 'fig.com', registeredAt: at(-401 * day), expiresAt: at(301 * day), updatedAt: null },
  ...{ transferredAt: null, autoRenew: false, letExpire: false, locked: true, privacy: null, tag: null },
  ...{ nameservers: hosts, contacts: {}, ...change },
});
const shown = (row: DomainRecord, read: RegistrarDomain | null = null, authCode?: string | null) =>
  detailsOf(row, read, {
    ...{ readAt: now, facts: { nameservers: hosts, periods: comPeriods } },
    ...(authCode === undefined ? {} : { authCode }),
  });
const switches = (lock_state: number, auto_renew: number) => [{ 'fig.com': { lock_state, auto_renew } }];

test('the copy alone is shown with its age, as not read now', () => {
  expect(shown(copy())).toMatchObject({
    ...{ domain: 'fig.com', customerId: 'cus', customer: 'Acme', status: 'active', missing: false },
    registry_createdate: at(-400 * day).toISOString(),
    registry_expiredate: at(300 * day).toISOString(),
    nameserver_list: [{ name: 'ns1.copy.net' }, { name: 'ns2.copy.net' }],
    ...{ managed_dns: false, contact_set: {}, domain_auth_info: null, privacy: true },
    ...{ ext_results: switches(0, 1), live: false, syncedAt: at(-day).toISOString() },
    registrant_lock_days: comPeriods.registrantLockDays,
  });
  expect(shown(copy({ synced_at: null })).syncedAt).toBeNull();
});

test('the registrar’s word goes first, of the moment of its reading; the switch of auto renew is the portal’s own', () => {
  expect(shown(copy(), said())).toMatchObject({
    registry_createdate: at(-401 * day).toISOString(),
    registry_expiredate: at(301 * day).toISOString(),
    nameserver_list: hosts.map((name) => ({ name })),
    ...{ managed_dns: true, ext_results: switches(1, 1), live: true, syncedAt: now.toISOString() },
  });
  expect(shown(copy({ auto_renew: false }), said({ autoRenew: true })).ext_results).toEqual(switches(1, 0));
  const silent = said({ registeredAt: null, expiresAt: null });
  expect(shown(copy(), silent)).toMatchObject({
    registry_createdate: at(-400 * day).toISOString(),
    registry_expiredate: at(300 * day).toISOString(),
  });
});

test('privacy is what the registrar says, also that there is none; the copy’s where it was not asked', () => {
  expect([shown(copy(), said()).privacy, shown(copy(), said({ privacy: false })).privacy]).toEqual([
    null,
    false,
  ]);
  expect(shown(copy({ privacy: null })).privacy).toBeNull();
});

test('a lock that nobody knows of is taken for one: nobody is offered the auth password', () => {
  expect(shown(copy({ locked: null })).ext_results).toEqual(switches(1, 1));
});

test('a delegation is the provider’s where every name of it is; without nameservers nobody knows', () => {
  expect(isManaged(hosts, hosts)).toBe(true);
  expect(isManaged(hosts.slice(1), hosts)).toBe(true);
  expect(isManaged([...hosts, 'ns1.else.net'], hosts)).toBe(false);
  expect(isManaged([], hosts)).toBe(false);
  expect(shown(copy({ nameservers: [] })).managed_dns).toBeNull();
  expect(shown(copy({ nameservers: hosts })).managed_dns).toBe(true);
  expect(shown(copy({ nameservers: hosts }), said({ nameservers: [] })).managed_dns).toBeNull();
});

test('an active domain has expired from the moment after its expiry, by the word that is known better', () => {
  const status = (expires: Date | null, read: RegistrarDomain | null = null) =>
    shown(copy({ expires_at: expires }), read).status;
  expect([status(at(-1)), status(now), status(at(1)), status(null)]).toEqual([
    ...['expired', 'active', 'active', 'active'],
  ]);
  expect(status(at(-1), said())).toBe('active');
  expect(status(at(1), said({ expiresAt: at(-1) }))).toBe('expired');
  expect(shown(copy({ status: 'ended', expires_at: at(-1) })).status).toBe('ended');
});

describe('of a domain that is on its way here', () => {
  const coming = copy({
    ...{ status: 'transferring', expires_at: at(day), verification: 'waiting' },
  });

  test('neither an expiry nor privacy nor its registrant is known', () => {
    expect(shown(coming)).toMatchObject({
      ...{ status: 'transferring', registry_expiredate: null, privacy: null, verification: null },
    });
    expect(shown(coming).stations.map(({ kind }) => kind)).not.toContain('expires');
  });
});

test('a missing domain is said to be missing, a deleted one until when it can be had back', () => {
  expect(shown(copy({ missing_since: at(-day) })).missing).toBe(true);
  const deleted = (until: Date) =>
    shown(copy({ status: 'expired', expires_at: at(-50 * day), restorable_until: until }));
  expect(deleted(at(1)).restorable_until).toBe(at(1).toISOString());
  expect(deleted(at(1)).stations).toContainEqual({ kind: 'redemption-ends', at: at(1).toISOString() });
  expect(deleted(now).restorable_until).toBeNull();
});

test('its life has each day that is known: the registrar’s of a transfer, else the copy’s, and the last renewal', () => {
  const days = (row: Partial<DomainRecord>, read: RegistrarDomain | null) =>
    Object.fromEntries(shown(copy(row), read).stations.map(({ kind, at: when }) => [kind, when]));
  const known = { transferred_at: at(-90 * day), renewed_at: at(-10 * day) };
  expect(days(known, null)).toMatchObject({
    registered: at(-400 * day).toISOString(),
    transferred: at(-90 * day).toISOString(),
    renewed: at(-10 * day).toISOString(),
    expires: at(300 * day).toISOString(),
    'grace-ends': at(340 * day).toISOString(),
  });
  expect(days(known, said({ transferredAt: at(-80 * day) }))).toMatchObject({
    transferred: at(-80 * day).toISOString(),
    expires: at(301 * day).toISOString(),
  });
});

test('whether the registrant has confirmed is told with its day, the bounce, and when the email was sent again', () => {
  expect(shown(copy()).verification).toBeNull();
  const verification = { verification: 'waiting', verification_bounced: true } as const;
  const dates = { verification_deadline: at(5 * day), verification_sent_at: at(-1) };
  expect(shown(copy({ ...verification, ...dates })).verification).toEqual({
    ...{ state: 'waiting', deadline: at(5 * day).toISOString(), bounced: true, sentAt: at(-1).toISOString() },
  });
  expect(shown(copy(verification)).verification).toMatchObject({ deadline: null, sentAt: null });
});

test('contacts are those that the registrar has, each with every part of it; the copy has none', () => {
  const bob = { ...ann, firstName: 'Bob', address2: 'Floor 2', address3: 'Door 3' };
  const { contact_set: people } = shown(copy(), said({ contacts: { owner: ann, tech: bob } }));
  expect(Object.keys(people).sort()).toEqual(['owner', 'tech']);
  expect(people.owner).toEqual({
    ...{ first_name: 'Ada', last_name: 'Byron', org_name: 'Example Ltd', address1: '1 Main Street' },
    ...{ address2: '', address3: '', city: 'Toronto', state: 'ON', postal_code: 'M5V1A1', country: 'CA' },
    ...{ email: 'ada@example.com', phone: '+1.4165550123' },
  });
  expect(people.tech).toMatchObject({ first_name: 'Bob', address2: 'Floor 2', address3: 'Door 3' });
});

test('the auth password is shown where it was asked for, and nowhere else', () => {
  expect(shown(copy(), said(), 'secret').domain_auth_info).toBe('secret');
  expect([shown(copy(), said(), null), shown(copy(), said())].map((one) => one.domain_auth_info)).toEqual([
    null,
    null,
  ]);
});
