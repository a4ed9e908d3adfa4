import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { customerRow, domainRow, newName, organisationRow, within } from '../../../../tests/support/rows.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import {
  NotListed,
  recordRegistration,
  recordRenewal,
  recordRestoration,
  recordTransferEnd,
  recordTransferFailure,
  recordTransferStart,
} from './portfolio.repo.ts';
import { eraseFromDomains } from './privacy.repo.ts';

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

  test('that is complete beside another one takes no publishing from it', async () => {
    const [one, other] = [await coming(), await coming()];
    for (const address of [one, other])
      await record((tx) => recordTransferEnd(tx, { ...of(address), ...end }));
    const published = (await takeJobs(database.url)).filter(({ task }) => task === 'dns.publish-staged');
    expect(published.map(({ payload }) => payload.address)).toEqual([one, other]);
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

describe('what is kept of an order', () => {
  const rowOf = (address: string) =>
    within(database, organisationId, (tx) =>
      tx
        .selectFrom('domains')
        .selectAll()
        .where('address', '=', address)
        .where('status', '<>', 'ended')
        .executeTakeFirstOrThrow(),
    );
  const credentialsSealed = Buffer.from('sealed');

  test.each([true, false])('is whose it is and how it was ordered, with its switches: %s', async (on) => {
    const customerId = await customerRow(database, organisationId);
    const wanted = { customerId, autoRenew: on, privacy: on, credentialsSealed };
    const [registered, coming] = [newName(), newName()];
    await record((tx) =>
      recordRegistration(tx, { ...of(registered), ...wanted, registeredAt: now, expiresAt }),
    );
    const owned = { customer_id: customerId, auto_renew: on, credentials_sealed: credentialsSealed };
    expect(await rowOf(registered)).toMatchObject({
      ...{ ...owned, status: 'active', locked: true, privacy: on },
      ...{ registered_at: now, expires_at: expiresAt, synced_at: null },
    });
    await record((tx) => recordTransferStart(tx, { ...of(coming), ...wanted }));
    expect(await rowOf(coming)).toMatchObject({
      ...{ ...owned, status: 'transferring', locked: null, privacy: null },
      ...{ registered_at: null, expires_at: null },
    });
  });

  test('is a transferred domain with its dates, and a failed one that has ended with its reason', async () => {
    const [came, failed] = [
      await domainRow(database, organisationId, { status: 'transferring' }),
      await domainRow(database, organisationId, { status: 'transferring' }),
    ];
    await record((tx) => recordTransferEnd(tx, { ...of(came.address), expiresAt, registeredAt: now }));
    expect(await rowOf(came.address)).toMatchObject({
      ...{ status: 'active', expires_at: expiresAt, registered_at: now, transferred_at: now },
    });
    await record((tx) => recordTransferFailure(tx, { ...of(failed.address), reason: 'refused' }));
    const ended = await within(database, organisationId, (tx) =>
      tx.selectFrom('domains').selectAll().where('id', '=', failed.id).executeTakeFirstOrThrow(),
    );
    expect(ended).toMatchObject({ status: 'ended', ended_at: now, end_reason: 'refused' });
  });

  test.each([
    ['renewal', recordRenewal],
    ['restoration', recordRestoration],
  ] as const)('is the new expiry of a %s: it is active, and is missing no more', async (_what, again) => {
    const { address } = await domainRow(database, organisationId, {
      ...{ status: 'expired', expires_at: now, missing_since: now },
    });
    await record((tx) => again(tx, { ...of(address), expiresAt }));
    expect(await rowOf(address)).toMatchObject({
      ...{ status: 'active', expires_at: expiresAt, missing_since: null, renewed_at: now },
    });
  });
});

test('the erasure of a customer forgets how to reach the registrants of their ended domains, and what was said of transfers', async () => {
  const [customerId, another] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
  const sealed = { credentials_sealed: Buffer.from('sealed') };
  const own = (change: Parameters<typeof domainRow>[2]) =>
    domainRow(database, organisationId, { ...sealed, status: 'ended', customer_id: customerId, ...change });
  const [ended, living, others, nobodys] = [
    ...[await own({}), await own({ status: 'active' })],
    ...[await own({ customer_id: another }), await own({ customer_id: null })],
  ] as const;
  const transfer = (customer_id: string, reason: string | null) => {
    const id = newId();
    return record((tx) =>
      tx
        .insertInto('transfers')
        .values({
          ...{ id, organisation_id: organisationId, address: newName(), customer_id, requested_at: now },
          ...{ registrar_status: null, status_since: null, asked_at: null, nameservers_before: null },
          ...{ nameservers_after: null, compared_at: null, completed_at: null, failed_at: now, reason },
        })
        .execute()
        .then(() => undefined),
    ).then(() => id);
  };
  const [told, silent, theirs] = [
    ...[await transfer(customerId, 'ada@example.com refused')],
    ...[await transfer(customerId, null), await transfer(another, 'bob@example.com refused')],
  ];
  await record((tx) => eraseFromDomains(tx, { organisationId }, customerId));
  const kept = await within(database, organisationId, async (tx) => ({
    domains: await tx.selectFrom('domains').select(['id', 'credentials_sealed']).execute(),
    transfers: await tx.selectFrom('transfers').select(['id', 'reason']).execute(),
  }));
  const hasProfile = (id: string) => kept.domains.find((row) => row.id === id)?.credentials_sealed !== null;
  expect([ended, living, others, nobodys].map((one) => hasProfile(one?.id ?? ''))).toEqual([
    ...[false, true, true, true],
  ]);
  const reasonOf = (id: string | undefined) => kept.transfers.find((row) => row.id === id)?.reason;
  expect([told, silent, theirs].map(reasonOf)).toEqual(['Erased', null, 'bob@example.com refused']);
});
