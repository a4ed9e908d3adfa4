import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttentionCause } from '#contracts/values/attention.ts';
import type { AttentionSource } from '#kernel/attention.ts';
import type { Selectable } from '#kernel/db/database.ts';
import type { TransfersTable } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  domainRow,
  newName,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { registrantAttention, restoreAttention, transferAttention } from './attention.repo.ts';

let database: TestDatabase;
let organisationId: string;
let customerId: string;
const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
});

const stated = <C extends AttentionCause>(source: AttentionSource<C>) =>
  across(database, (tx) => source.present(tx, { organisationIds: [organisationId], now }));

test('registrants who have not confirmed are stated with their deadline; not of what has ended or left the account', async () => {
  const waiting = {
    verification: 'waiting',
    verification_deadline: inDays(9),
    customer_id: customerId,
  } as const;
  const name = (change: Parameters<typeof domainRow>[2]) => domainRow(database, organisationId, change);
  const soon = await name({ ...waiting, verification_bounced: true });
  const suspended = await name({ verification: 'suspended' });
  await name({ ...waiting, status: 'ended' });
  await name({ ...waiting, missing_since: now });
  await name({ verification: 'verified' });
  await name({ verification: 'reviewing' });
  await domainRow(database, await organisationRow(database), waiting);
  const rows = await stated(registrantAttention);
  expect(new Map(rows.map((row) => [row.object, row]))).toEqual(
    new Map([
      [
        soon.id,
        {
          ...{ organisationId, object: soon.id, customerId, address: soon.address, deadline: inDays(9) },
          facts: { suspended: false, bounced: true },
        },
      ],
      [
        suspended.id,
        {
          ...{ organisationId, object: suspended.id, customerId: null, address: suspended.address },
          ...{ deadline: null, facts: { suspended: true, bounced: false } },
        },
      ],
    ]),
  );
});

test('deleted names are stated while the registry still gives them back', async () => {
  const until = inDays(9);
  const deleted = { status: 'expired', restorable_until: until } as const;
  const own = await domainRow(database, organisationId, { ...deleted, customer_id: customerId });
  await domainRow(database, organisationId, { ...deleted, status: 'active' });
  await domainRow(database, organisationId, { ...deleted, restorable_until: now });
  await domainRow(database, await organisationRow(database), deleted);
  expect(await stated(restoreAttention)).toEqual([
    {
      ...{ organisationId, object: own.id, customerId, address: own.address, deadline: until },
      facts: { until: until.toISOString() },
    },
  ]);
});

test('transfers are stated while they run, and for two weeks after they failed, unless the name is here or asked for again', async () => {
  const source = transferAttention({ approvalDays: 5, releaseDays: 6 });
  const transfer = async (change: Partial<Selectable<TransfersTable>>, of = organisationId) => {
    const [id, address] = [newId(), newName()];
    await within(database, of, (tx) =>
      tx
        .insertInto('transfers')
        .values({
          ...{
            id,
            organisation_id: of,
            address,
            customer_id: of === organisationId ? customerId : null,
            requested_at: inDays(-3),
          },
          ...{ registrar_status: null, status_since: null, asked_at: null, nameservers_before: null },
          ...{
            nameservers_after: null,
            compared_at: null,
            completed_at: null,
            failed_at: null,
            reason: null,
          },
          ...change,
        })
        .execute(),
    );
    return { id, address: change.address ?? address };
  };
  const asked = await transfer({});
  const stuck = await transfer({ requested_at: inDays(-6), customer_id: null });
  const released = await transfer({ registrar_status: 'pending_registry', status_since: inDays(-1) });
  const failed = await transfer({ failed_at: inDays(-13), reason: 'Refused by the owner' });
  await transfer({ completed_at: now });
  await transfer({ failed_at: inDays(-14) });
  // Asked for again: the newer request stands in its place.
  const again = await transfer({ failed_at: inDays(-2) });
  const newer = await transfer({ address: again.address, requested_at: inDays(-1) });
  const here = await transfer({ failed_at: inDays(-2) });
  await domainRow(database, organisationId, { address: here.address });
  const expired = await transfer({ failed_at: inDays(-2) });
  await domainRow(database, organisationId, { address: expired.address, status: 'expired' });
  // What another organization has, or asks for, and what has left again takes nothing from the list.
  const [theirs, left] = [
    await transfer({ failed_at: inDays(-2) }),
    await transfer({ failed_at: inDays(-2) }),
  ];
  const other = await organisationRow(database);
  await domainRow(database, other, { address: theirs.address });
  await transfer({ address: left.address, requested_at: inDays(-1) }, other);
  await domainRow(database, organisationId, { address: left.address, status: 'ended' });

  const row = ({ id, address }: { id: string; address: string }, deadline: Date | null, facts: object) => ({
    ...{ organisationId, object: id, customerId, address, deadline },
    facts: { state: 'approval', late: false, reason: null, at: inDays(-3).toISOString(), ...facts },
  });
  const expected = [
    row(asked, inDays(2), {}),
    { ...row(stuck, inDays(-1), { late: true, at: inDays(-6).toISOString() }), customerId: null },
    row(released, inDays(5), { state: 'release' }),
    row(failed, null, { state: 'failed', reason: 'Refused by the owner', at: inDays(-13).toISOString() }),
    row(newer, inDays(4), { at: inDays(-1).toISOString() }),
    row(theirs, null, { state: 'failed', at: inDays(-2).toISOString() }),
    row(left, null, { state: 'failed', at: inDays(-2).toISOString() }),
  ];
  const byObject = (rows: { object: string }[]) => new Map(rows.map((one) => [one.object, one]));
  expect(byObject(await stated(source))).toEqual(byObject(expected));
});
