import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { domainRow, newName, organisationRow } from '../../../../tests/support/rows.ts';
import { UpstreamRefused } from '../../ports/outcome.ts';
import type { Finding } from './recovery.repo.ts';
import { type StepDeps, steps } from './steps.ts';

let database: TestDatabase;
let address: string;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ address } = await domainRow(database, await organisationRow(database), { address: newName() }));
});
afterAll(() => database.close());

const now = new Date('2026-11-29T12:00:00Z');
const refuse = async () => {
  throw new UpstreamRefused('other', '465', 'It is blocked.');
};
async function* none() {}
async function* moved() {
  yield { domain: address, expiresAt: now };
}

/** What a step reports when the registrar refuses to tell anything: what is asked again, and how often, is the progress's matter. */
async function findingsOf(step: 'names' | 'certificates' | 'zones'): Promise<Finding[]> {
  const found: Finding[] = [];
  const report = async (finding: Finding) => void found.push(finding);
  const each = async <T>(
    list: readonly T[],
    one: (thing: T) => Promise<void>,
    givenUp: (thing: T, error: UpstreamRefused) => Promise<void>,
  ) => {
    for (const thing of list) {
      await one(thing).catch((error: UpstreamRefused) => givenUp(thing, error));
    }
  };
  const deps: Partial<StepDeps> = {
    ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => now } as never },
    registrar: {
      ...{ ordersFor: refuse, certificateOrdersFor: refuse, transfersSince: none, expiring: moved },
    } as never,
    dns: { compare: refuse },
    takeUp: async () => undefined,
  };
  const progress = { each, at: () => undefined } as never;
  await steps[step](deps as StepDeps, { since: now, report, progress });
  return found.filter(({ kind }) => kind === 'not-answered');
}

test.each(['names', 'certificates', 'zones'] as const)(
  'what the registrar refuses to tell in the step %s holds the end until a person has looked',
  async (step) => {
    const whats = {
      names: [['the orders of', address]],
      certificates: ['', 'www.', '*.'].map((prefix) => ['the certificates of', `${prefix}${address}`]),
      zones: [['the zone of', address]],
    }[step];
    const found = await findingsOf(step);
    expect(found.map(({ text, needsPerson }) => [text, needsPerson])).toEqual(
      whats.map(([what, name]) => [
        `The registrar refuses to tell ${what} ${name}, so this was not compared: It is blocked.`,
        true,
      ]),
    );
    // A finding is written once for its kind and subject.
    expect(new Set(found.map(({ subject }) => subject)).size).toBe(whats.length);
  },
);
