import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { codeOf, ownDomain, testLeases } from '../../../../tests/support/zone-registrar.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { DsRecord } from '../../ports/registrar.ts';
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
