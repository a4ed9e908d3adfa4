import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow } from '../../../../tests/support/rows.ts';
import { codeOf, ownDomain, testLeases } from '../../../../tests/support/zone-registrar.ts';
import { type Outcome, UpstreamUnavailable } from '../../ports/outcome.ts';
import { createDomainSettings } from './settings.service.ts';

/** A single setting that was sent, and of which nobody knows whether it struck. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let customerId: string;
let outcome: Outcome<void>;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
  customerId = await customerRow(database, scope.organisationId);
});
afterAll(() => database.close());
beforeEach(() => {
  outcome = { kind: 'unknown', text: 'no answer' };
});

const settings = () =>
  createDomainSettings({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database), customers: people.customers },
    facts: { nameservers: [], periods: {} as never },
    registrar: {
      domain: () => Promise.reject(new UpstreamUnavailable('no answer')),
      setLock: async () => outcome,
    } as never,
  });

async function fresh(domain: string): Promise<string> {
  await ownDomain(database, scope, domain, customerId);
  await asOwner('DELETE FROM graphile_worker._private_jobs');
  return domain;
}

async function asOwner<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<T>(text, values)).rows;
  } finally {
    await client.end();
  }
}

const readingOf = async (domain: string) =>
  (
    await asOwner<{ run_at: Date }>('SELECT run_at FROM graphile_worker._private_jobs WHERE key = $1', [
      `domains.sync:${domain}`,
    ])
  ).map(({ run_at }) => run_at);

test('the log says who sent it, about the domain’s customer, and the domain is read when it can strike no more', async () => {
  const domain = await fresh('alder.com');
  const at = people.clock.now();
  expect(await codeOf(settings().setLock(scope, domain, false))).toBe('outcome_unknown');
  expect((await logged(database.db, scope, 'domains.unlock')).at(-1)).toMatchObject({
    ...{ by: scope.userId, object: domain, before: { locked: true } },
    after: { locked: false, outcome: 'unknown' },
  });
  const [entry] = await asOwner<{ customer_id: string }>(
    'SELECT customer_id FROM audit_log WHERE object = $1 ORDER BY sequence DESC LIMIT 1',
    [domain],
  );
  expect(entry?.customer_id).toBe(customerId);
  const [runAt] = await readingOf(domain);
  expect(runAt?.getTime()).toBeGreaterThanOrEqual(at.getTime() + 60_000);
});

test('what is refused changes nothing: it is not in the log, and nothing is read', async () => {
  const domain = await fresh('birch.com');
  outcome = { kind: 'refused', reason: 'invalid', code: '465', text: 'No' };
  expect(await codeOf(settings().setLock(scope, domain, false))).toBe('registrar_refused');
  const objects = (await logged(database.db, scope, 'domains.unlock')).map(({ object }) => object);
  expect(objects).not.toContain(domain);
  expect(await readingOf(domain)).toEqual([]);
});
