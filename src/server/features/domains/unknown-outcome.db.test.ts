import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow } from '../../../../tests/support/rows.ts';
import { codeOf, ownDomain, testLeases } from '../../../../tests/support/zone-registrar.ts';
import { type Outcome, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { createDomainSettings } from './settings.service.ts';

/** A single setting that was sent, and of which nobody knows whether it struck. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let customerId: string;
let outcome: Outcome<void>;
/** What the registrar has; null: it does not say. */
let there: Partial<RegistrarDomain> | null;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
  customerId = await customerRow(database, scope.organisationId);
});
afterAll(() => database.close());
beforeEach(() => {
  outcome = { kind: 'unknown', text: 'no answer' };
  there = null;
});

const settings = () =>
  createDomainSettings({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database), customers: people.customers },
    facts: { nameservers: [], periods: {} as never },
    registrar: {
      domain: async () => {
        if (!there) throw new UpstreamUnavailable('no answer');
        return there;
      },
      dsRecords: async () => [],
      setLock: async () => outcome,
      setNameservers: async () => outcome,
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

describe.each<[string, Outcome<void>, string]>([
  ['whose answer was lost', { kind: 'unknown', text: 'no answer' }, 'outcome_unknown'],
  [
    'that “exists already”',
    { kind: 'refused', reason: 'already-done', code: '485', text: 'It exists already.' },
    'registrar_refused',
  ],
])('a change of nameservers %s', (_what, answer, code) => {
  const [stay, goes, comes] = ['ns1.fig.com', 'ns2.fig.com', 'ns3.fig.com'];
  const copyOf = async (domain: string) =>
    (
      await asOwner<{ nameservers: string[] }>('SELECT nameservers FROM domains WHERE address = $1', [domain])
    )[0]?.nameservers;
  const had = async (domain: string, nameservers: string[]) => {
    await fresh(domain);
    await asOwner('UPDATE domains SET nameservers = $2 WHERE address = $1', [domain, nameservers]);
    there = { locked: true, privacy: null, nameservers };
    outcome = answer;
    return domain;
  };

  test.each([
    ['removes one', [stay, goes, comes], [stay, comes]],
    ['adds one', [stay, goes], [stay, goes, comes]],
    ['replaces one', [stay, goes], [stay, comes]],
  ])(
    'is not told as done, nor kept as what is there, while the old ones are: it %s',
    async (what, old, wanted) => {
      const domain = await had(`${what.replace(' ', '-')}-${code.replace('_', '-')}.com`, old);
      const change = settings().setNameservers(scope, domain, { nameservers: wanted });
      expect(await codeOf(change)).toBe(code);
      expect(await copyOf(domain)).toEqual(old);
      const after = (await logged(database.db, scope, 'domains.updateNameservers')).flatMap((entry) =>
        entry.object === domain ? [entry.after] : [],
      );
      expect(after).toEqual(code === 'outcome_unknown' ? [{ nameservers: wanted, outcome: 'unknown' }] : []);
    },
  );

  test('is done, and kept, when the registrar has the new ones', async () => {
    const domain = await had(`struck-${code.replace('_', '-')}.com`, [stay, goes, comes]);
    there = { locked: true, privacy: null, nameservers: [comes, stay] };
    const change = settings().setNameservers(scope, domain, { nameservers: [stay, comes] });
    expect(await codeOf(change)).toBe('ok');
    expect(await copyOf(domain)).toEqual([stay, comes]);
  });
});
