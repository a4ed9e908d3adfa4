import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemTransaction } from '#kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { recordRestoration } from './portfolio.repo.ts';
import { createDomainSync } from './sync.ts';

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const days = (count: number) => new Date(now.getTime() + count * 86_400_000);

/** The registrar answers so, and what is given happens while it does. */
async function sync(address: string, answer: RegistrarDomain | null, meanwhile = async () => {}) {
  const registrar = {
    domain: async () => {
      await meanwhile();
      return answer;
    },
    verification: async () => null,
  } as unknown as Parameters<typeof createDomainSync>[0]['registrar'];
  const tasks = createDomainSync({
    ...{ systemDb: database.systemDb, registrar, clock: { now: () => now } },
    facts: { periods: { graceDays: 40, redemptionDays: 30 } } as never,
  });
  await takeJobs(database.url);
  await tasks['domains.sync']({ organisationId, address });
  return (await takeJobs(database.url)).map(({ task }) => task);
}

const row = (id: string) =>
  within(database, organisationId, (tx) =>
    tx.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );

const restored = (address: string) =>
  systemTransaction(database.systemDb, (tx) =>
    recordRestoration(tx, { organisationId, address, expiresAt: days(300), now }),
  );

test('a name that is gone behind its grace, or of which the registrar told so, can be had back', async () => {
  const behindGrace = await domainRow(database, organisationId, { expires_at: days(-41) });
  expect(await sync(behindGrace.address, null)).toEqual([]);
  expect(await row(behindGrace.id)).toMatchObject({ status: 'expired', restorable_until: days(29) });

  const told = await domainRow(database, organisationId, { expires_at: days(-2), restorable_until: days(9) });
  expect(await sync(told.address, null)).toEqual([]);
  expect(await row(told.id)).toMatchObject({ status: 'expired', restorable_until: days(9) });
});

test('a name that is gone without a reason reaches a person', async () => {
  const { id, address } = await domainRow(database, organisationId, { expires_at: days(100) });
  expect(await sync(address, null)).toEqual(['operator.alert']);
  expect(await row(id)).toMatchObject({ status: 'active', restorable_until: null });
});

test('a name that is restored while the registrar answers that it is gone stays, and alarms nobody', async () => {
  const { id, address } = await domainRow(database, organisationId, {
    ...{ status: 'expired', expires_at: days(-41), restorable_until: days(29) },
  });
  const jobs = await sync(address, null, () => restored(address));
  expect(await row(id)).toMatchObject({ status: 'active', restorable_until: null, expires_at: days(300) });
  expect(jobs).toEqual(['domains.sync']);
});
