import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { domainRow, newName, organisationRow, within } from '../../../../tests/support/rows.ts';
import type { Tx } from '../../kernel/db/database.ts';
import {
  NotListed,
  recordRegistration,
  recordRenewal,
  recordRestoration,
  recordTransferEnd,
  recordTransferFailure,
  recordTransferStart,
} from './portfolio.repo.ts';

/** What follows by itself once an order has come to something: it is planned in the transaction that writes it down. */

const now = new Date('2026-11-22T12:00:00Z');
const expiresAt = new Date('2027-11-22T12:00:00Z');
let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());
beforeEach(() => takeJobs(database.url));

const record = (run: (tx: Tx) => Promise<void>) => within(database, organisationId, run);
const of = (address: string) => ({ organisationId, address, now });
const bought = { customerId: null, autoRenew: false, privacy: false, credentialsSealed: null };
const planned = (address: string, ...tasks: string[]) =>
  tasks.map((task) => ({ task, payload: { organisationId, address } }));

describe('a transfer', () => {
  const end = { expiresAt, registeredAt: now };
  const coming = async () => (await domainRow(database, organisationId, { status: 'transferring' })).address;

  test('that is complete has what was prepared in the zone editor published, and its domain read', async () => {
    const address = await coming();
    await record((tx) => recordTransferEnd(tx, { ...of(address), ...end }));
    expect(await takeJobs(database.url)).toEqual(planned(address, 'dns.publish-staged', 'domains.sync'));
  });

  test('that was complete before it was recorded as begun has so too', async () => {
    const address = newName();
    await record(async (tx) => {
      await recordTransferStart(tx, { ...of(address), ...bought });
      await recordTransferEnd(tx, { ...of(address), ...end });
    });
    expect(await takeJobs(database.url)).toEqual(planned(address, 'dns.publish-staged', 'domains.sync'));
  });

  test('that has begun, or has failed, publishes nothing', async () => {
    const [begun, failed] = [newName(), await coming()];
    await record((tx) => recordTransferStart(tx, { ...of(begun), ...bought }));
    await record((tx) => recordTransferFailure(tx, { ...of(failed), reason: 'refused' }));
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test.each(['active', 'expired', 'ended'] as const)(
    'of a name that was not on its way publishes nothing: it is %s',
    async (status) => {
      const { address } = await domainRow(database, organisationId, { status });
      const ended = record((tx) => recordTransferEnd(tx, { ...of(address), ...end }));
      await expect(ended).rejects.toThrow(NotListed);
      expect(await takeJobs(database.url)).toEqual([]);
    },
  );
});

test('a domain that was registered, renewed or restored is read, and nothing of its zone is published', async () => {
  const registered = newName();
  await record((tx) =>
    recordRegistration(tx, { ...of(registered), ...bought, registeredAt: now, expiresAt }),
  );
  expect(await takeJobs(database.url)).toEqual(planned(registered, 'domains.sync'));
  for (const again of [recordRenewal, recordRestoration]) {
    const { address } = await domainRow(database, organisationId, { status: 'expired' });
    await record((tx) => again(tx, { ...of(address), expiresAt }));
    expect(await takeJobs(database.url)).toEqual(planned(address, 'domains.sync'));
  }
});
