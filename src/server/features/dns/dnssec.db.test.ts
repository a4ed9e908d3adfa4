import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { domainRow } from '../../../../tests/support/rows.ts';
import {
  codeOf,
  dnsProcess,
  ownDomain,
  testLeases,
  ZoneRegistrar,
} from '../../../../tests/support/zone-registrar.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { DsRecord } from '../../ports/registrar.ts';
import { createDomainSettings } from '../domains/settings.service.ts';
import { createDnssec } from './dnssec.service.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let published: DsRecord[];
/** What a removal does: it is answered, or nobody answers, before or after it happened. */
let answer: 'done' | 'silent-before' | 'silent-after';
let removals: number;

const record = { keyTag: '20326', algorithm: '8', digestType: '2', digest: 'AB'.repeat(32) };

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
  await ownDomain(database, scope, 'signed.com');
});
afterAll(() => database.close());
beforeEach(() => {
  [published, answer, removals] = [[record], 'done', 0];
});

const dnssec = () =>
  createDnssec({
    db: database.db,
    clock: people.clock,
    leases: testLeases(database),
    registrar: {
      dsRecords: async () => published,
      removeDsRecords: async () => {
        removals += 1;
        if (answer !== 'silent-before') published = [];
        return answer === 'done'
          ? { kind: 'done', value: undefined }
          : { kind: 'unknown', text: 'no answer' };
      },
    },
  });

test('of a domain that is on its way here the registrar is not asked: another one has it still', async () => {
  const { address } = await domainRow(database, scope.organisationId, { status: 'transferring' });
  expect(await dnssec().read(scope, address)).toEqual({ records: [] });
});

test('DS records are shown, and taken away as a whole, with an entry in the log', async () => {
  expect(await dnssec().read(scope, 'signed.com')).toEqual({ records: [record] });
  expect(await codeOf(dnssec().remove(scope, 'signed.com'))).toBe('ok');
  expect(published).toEqual([]);
  const entry = await database.systemDb
    .selectFrom('audit_log')
    .select(['action', 'object'])
    .where('action', '=', 'dns.removeDnssec')
    .executeTakeFirst();
  expect(entry).toEqual({ action: 'dns.removeDnssec', object: 'signed.com' });
});

test('a removal without an answer is read again, and told as it is', async () => {
  answer = 'silent-after';
  expect(await codeOf(dnssec().remove(scope, 'signed.com'))).toBe('ok');
  [published, answer] = [[record], 'silent-before'];
  expect(await codeOf(dnssec().remove(scope, 'signed.com'))).toBe('outcome_unknown');
  expect((await logged(database.db, scope, 'dns.removeDnssec')).slice(-2)).toMatchObject([
    ...[{ after: null }, { before: { records: [record] }, after: { outcome: 'unknown' } }],
  ]);
});

test('where nothing is signed nothing is sent, and a domain of others is unknown', async () => {
  published = [];
  expect(await codeOf(dnssec().remove(scope, 'signed.com'))).toBe('ok');
  expect(removals).toBe(0);
  const { scope: other } = await people.organisation();
  expect(await codeOf(dnssec().read(other, 'signed.com'))).toBe('not_found');
  expect(await codeOf(dnssec().remove(other, 'signed.com'))).toBe('not_found');
});

test('an unreadable registry is no unsigned domain', async () => {
  const silent = createDnssec({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database) },
    registrar: {
      dsRecords: () => Promise.reject(new UpstreamUnavailable('no answer')),
      removeDsRecords: () => Promise.reject(new Error('not asked')),
    },
  });
  expect(await codeOf(silent.read(scope, 'signed.com'))).toBe('upstream_unavailable');
});

describe('nameservers of a signed domain', () => {
  const nameservers = ['ns1.other.net', 'ns2.other.net'];
  let zones: ZoneRegistrar;
  let moved: string[][];
  let silent: boolean;
  beforeEach(() => {
    [zones, moved, silent] = [new ZoneRegistrar(), [], false];
    zones.signed.set('signed.com', [record]);
  });

  const dsRecords = async (domain: string) => {
    if (silent) throw new UpstreamUnavailable('nobody answers');
    return zones.signed.get(domain) ?? [];
  };
  const settings = () =>
    createDomainSettings({
      ...{ db: database.db, clock: people.clock, leases: testLeases(database) },
      facts: { nameservers: [], periods: {} as never },
      customers: people.customers,
      registrar: {
        dsRecords,
        setNameservers: async (_domain: string, names: string[]) => {
          moved.push(names);
          return { kind: 'done', value: undefined };
        },
      } as never,
    });
  /** Both ways by which they change. */
  const ways = [
    ['elsewhere', (confirmed?: true) => settings().setNameservers(scope, 'signed.com', body(confirmed))],
    ['to us', (confirmed?: true) => dnsOf().nameservers.force(scope, 'signed.com', confirmed)],
  ] as const;
  const body = (dnssecConfirmed?: true) => ({ nameservers, dnssecConfirmed });
  const dnsOf = () => {
    const port = Object.assign(zones.asPort(), { dsRecords });
    zones.asPort = () => port;
    return dnsProcess(database, zones, people);
  };
  const movedAnywhere = () => moved.length > 0 || zones.delegated.has('signed.com');

  test.each(ways)(
    'change (%s) only when that was confirmed: the question names its DS records',
    async (where, move) => {
      await expect(move()).rejects.toMatchObject({ code: 'signed_domain', data: { records: [record] } });
      expect(movedAnywhere()).toBe(false);
      expect(await codeOf(move(true))).toBe('ok');
      expect(movedAnywhere()).toBe(true);
      const [entry] = (
        await logged(
          database.db,
          scope,
          where === 'to us' ? 'dns.forceNameservers' : 'domains.updateNameservers',
        )
      ).slice(-1);
      expect(entry?.after).toMatchObject({ dnssecConfirmed: true });
    },
  );

  test.each(ways)(
    'change (%s) without a question once the domain is not signed any more',
    async (_where, move) => {
      zones.signed.clear();
      expect(await codeOf(move())).toBe('ok');
      expect(movedAnywhere()).toBe(true);
    },
  );

  test.each(ways)('stay (%s) while nobody knows whether it is signed', async (_where, move) => {
    silent = true;
    expect(await codeOf(move())).toBe('upstream_unavailable');
    expect(movedAnywhere()).toBe(false);
  });
});
