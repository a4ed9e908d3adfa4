import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import type { TransferCheckReply } from '#contracts/operations/transfers.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Registration } from '../../ports/rdap.ts';
import type { SeenRecord } from '../../ports/zone-source.ts';
import { createChecking } from './checking.ts';
import type { Line, LineZone } from './line.ts';

/** What is found out about a name of a list, and what is made of those who do not answer. */

const scope = { organisationId: 'org' } as Scope;
const registration = (registrar: string | null): Registration => ({
  ...{ name: 'acme.com', registrar, registeredAt: null, nameservers: [], statuses: [] },
  expiresAt: new Date('2027-03-01T00:00:00Z'),
});
const a = (name: string, ip_address = '203.0.113.7'): SeenRecord => ({
  ...{ name, type: 'A', fields: { ip_address } },
});
const silence = () => new UpstreamUnavailable('nobody answers');

let verdict: Partial<TransferCheckReply['domainResponse']>;
let dns: Partial<TransferCheckReply['dnsRecords']>;
let failure: Error | null;
let price: number | Error;
let whole: SeenRecord[] | null | Error;
let atNames: Record<string, SeenRecord[]>;
let registrar: string | null | Error;
/** Whom each look asked, in order. */
let asked: string[];
beforeEach(() => {
  [verdict, dns, failure, price] = [{ transferrable: 1 }, {}, null, 12_31];
  [whole, atNames, registrar, asked] = [[a('acme.com')], {}, 'Old Registrar', []];
});

const checking = () =>
  createChecking({
    domains: {
      transfers: {
        check: async (_scope, domain) => {
          asked.push(`check ${domain}`);
          if (failure) throw failure;
          return {
            domainResponse: {
              transferrable: 0,
              reason: null,
              reason_code: null,
              hindrance: null,
              ...verdict,
            },
            dnsRecords: { NS: ['ns1.old.net', 'ns2.old.net'], answered: 1, signed: 0, ...dns },
          };
        },
      },
    },
    pricing: {
      price: async (address: string, kind: string, years: number) => {
        asked.push(`price ${address} ${kind} ${years}`);
        if (price instanceof Error) throw price;
        return { priceCents: price, costCents: 1, premium: false };
      },
    } as never,
    zoneSource: {
      ask: async (name, type) => {
        const all = atNames[name] ?? [];
        return { exists: all.length > 0, records: all.filter((record) => record.type === type) };
      },
      askServers: () => Promise.reject(new Error('not asked')),
      transfer: async (domain, servers) => {
        asked.push(`zone ${domain} ${servers.join()}`);
        if (whole instanceof Error) throw whole;
        return whole;
      },
    },
    rdap: {
      registration: async (domain) => {
        asked.push(`registry ${domain}`);
        if (registrar instanceof Error) throw registrar;
        return registration(registrar);
      },
    },
    managed: ['ns1.ours.net'],
  });
const check = () => checking().check(scope, { address: 'acme.com' });
const everybody = [
  ...['check acme.com', 'price acme.com transfer 1'],
  ...['zone acme.com ns1.old.net,ns2.old.net', 'registry acme.com'],
];

describe('a name of a list', () => {
  test('is checked as a single transfer is, with the price of a transfer, its zone and its registry', async () => {
    expect(await check()).toEqual({
      facts: {
        ...{ hindrance: null, priceCents: 12_31, nameservers: ['ns1.old.net', 'ns2.old.net'] },
        ...{ signed: false, registrar: 'Old Registrar', expiresAt: '2027-03-01T00:00:00.000Z' },
      },
      zone: {
        ...{ how: 'whole', leftOut: [] },
        records: [{ type: 'A', subdomain: '', ip_address: '203.0.113.7' }],
      },
      dns: 'bring',
    });
    expect(asked.toSorted()).toEqual(everybody.toSorted());
  });

  test('that is signed, or served here already, keeps its nameservers where nobody chose', async () => {
    dns = { signed: 1 };
    expect(await check()).toMatchObject({ facts: { signed: true }, dns: 'keep' });
    dns = { NS: ['ns1.ours.net'] };
    expect(await check()).toMatchObject({ facts: { signed: false }, dns: 'keep' });
  });

  test.each(['locked', 'young'] as const)(
    'that is %s may come later: its zone and registry are read, and no price is asked',
    async (hindrance) => {
      verdict = { transferrable: 0, hindrance, reason: 'Not now' };
      const found = await check();
      expect(found.facts).toMatchObject({
        ...{ hindrance: { kind: hindrance, text: 'Not now' }, priceCents: null, registrar: 'Old Registrar' },
      });
      expect(found.zone).not.toBeNull();
      expect(asked.toSorted()).toEqual(everybody.filter((one) => !one.startsWith('price')).toSorted());
    },
  );

  test.each(['unregistered', 'deleted', 'under-way', 'here', 'other-account'] as const)(
    'that cannot come, %s, costs nobody another question',
    async (hindrance) => {
      verdict = { transferrable: 0, hindrance };
      expect(await check()).toMatchObject({
        ...{ facts: { hindrance: { kind: hindrance }, registrar: null, expiresAt: null }, zone: null },
      });
      expect(asked).toEqual(['check acme.com']);
    },
  );

  test('that is refused for no reason that is known says why, or that there was no reason', async () => {
    verdict = { transferrable: 0, reason: 'Disputed' };
    expect((await check()).facts.hindrance).toEqual({ kind: 'refused', text: 'Disputed' });
    verdict = { transferrable: 0 };
    expect((await check()).facts.hindrance).toEqual({
      ...{ kind: 'refused', text: 'the registry gave no reason' },
    });
  });

  test.each([
    ['registrar_refused', 'refused'],
    ['upstream_unavailable', 'unanswered'],
  ] as const)('whose check fails (%s) is %s, and nothing is known of it', async (code, kind) => {
    failure = new AppError(code, { message: 'So.' });
    expect(await check()).toEqual({
      facts: {
        ...{ hindrance: { kind, text: 'So.' }, priceCents: null, nameservers: null, signed: false },
        ...{ registrar: null, expiresAt: null },
      },
      ...{ zone: null, dns: 'keep' },
    });
  });

  test('without a price is not ready: nothing is bought at a price that nobody knows', async () => {
    price = new AppError('upstream_unavailable', { message: 'No price.' });
    expect((await check()).facts).toMatchObject({
      ...{ hindrance: { kind: 'unanswered', text: 'No price.' }, priceCents: null },
    });
  });

  test('whose delegation nobody told has no zone that could be read', async () => {
    dns = { answered: 0, NS: [] };
    expect(await check()).toMatchObject({ facts: { nameservers: null }, zone: null, dns: 'keep' });
    expect(asked.filter((one) => one.startsWith('zone'))).toEqual([]);
    // One without nameservers has been asked about.
    dns = { answered: 1, NS: [] };
    expect((await check()).facts.nameservers).toEqual([]);
  });

  test('whose zone or registry does not answer can come all the same; a fault of ours is none of theirs', async () => {
    [whole, registrar] = [silence(), silence()];
    expect(await check()).toMatchObject({
      ...{ facts: { hindrance: null, registrar: null, expiresAt: null }, zone: null, dns: 'keep' },
    });
    registrar = new TypeError('a bug');
    await expect(check()).rejects.toThrow('a bug');
    [registrar, failure] = [null, new TypeError('another bug')];
    await expect(check()).rejects.toThrow('another bug');
    [failure, price] = [null, new TypeError('a third bug')];
    await expect(check()).rejects.toThrow('a third bug');
  });

  test('has a registrar whose name is as long as one may be', async () => {
    registrar = 'R'.repeat(300);
    expect((await check()).facts.registrar).toBe('R'.repeat(200));
  });
});

describe('the zone of a domain that is on its way, read again,', () => {
  const records = [{ type: 'A' as const, subdomain: 'www', ip_address: '203.0.113.7' }];
  const zone: LineZone = { how: 'whole', records, leftOut: [] };
  const line = (more: Partial<Line> = {}) =>
    ({
      ...{ address: 'acme.com', zone, stagedAt: null },
      facts: { nameservers: ['ns1.old.net'], registrar: 'Old Registrar' },
      ...more,
    }) as Line;
  const again = (more: Partial<Line> = {}) => checking().zoneAgain(line(more));
  beforeEach(() => {
    whole = [a('acme.com'), a('www.acme.com')];
  });

  test('is what its old servers have, while its old registrar still has the domain', async () => {
    expect((await again())?.records).toHaveLength(2);
    // The registry is asked afterwards: what was read is then still the old registrar's.
    expect(asked).toEqual(['zone acme.com ns1.old.net', 'registry acme.com']);
    registrar = 'Portal Registrar';
    expect(await again()).toBeNull();
    registrar = silence();
    expect(await again()).toBeNull();
  });

  test.each<[string, Partial<Line>]>([
    ['that nobody read before', { zone: null }],
    ['whose nameservers nobody told', { facts: { nameservers: null, registrar: 'Old Registrar' } as never }],
    ['whose registrar nobody told', { facts: { nameservers: ['ns1.old.net'], registrar: null } as never }],
  ])('cannot be told for certain where it is one %s: nobody is asked', async (_what, more) => {
    expect(await again(more)).toBeNull();
    expect(asked).toEqual([]);
  });

  test('is not believed where its servers are silent or say that nothing is there', async () => {
    whole = silence();
    expect(await again()).toBeNull();
    whole = [];
    expect(await again()).toBeNull();
  });

  test('is not read by guesses where it was known as a whole, and is where it was guessed before', async () => {
    const odd = { ...zone, records: [{ ...records[0], subdomain: 'odd-name' }] } as LineZone;
    [whole, atNames] = [null, { 'odd-name.acme.com': [a('odd-name.acme.com')] }];
    expect(await again({ zone: odd })).toBeNull();
    const found = await again({ zone: { ...odd, how: 'usual' } });
    // The names that were found before are asked for again, though nobody guesses them.
    expect(found).toMatchObject({ how: 'usual', records: [{ subdomain: 'odd-name' }] });
  });

  test('does not replace what waits here by one of which a host or its mail would be gone', async () => {
    whole = [a('acme.com'), { name: 'dev.acme.com', type: 'NS', fields: { data: 'ns1.dev.net' } }];
    expect((await again())?.leftOut).toHaveLength(1);
    expect(await again({ stagedAt: new Date() })).toBeNull();
    whole = [a('acme.com'), { name: 'acme.com', type: 'CAA', fields: { data: '0 issue "x"' } }];
    expect((await again({ stagedAt: new Date() }))?.leftOut).toHaveLength(1);
  });
});
