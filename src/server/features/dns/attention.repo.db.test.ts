import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AttentionCause } from '#contracts/values/attention.ts';
import type { AttentionSource } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';
import type { DomainsTable } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { zoneWriteAttention } from './attention.repo.ts';
import { openPlaces } from './places.repo.ts';
import type { VersionState } from './versions.repo.ts';

type DomainStatus = DomainsTable['status'];

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

const version = (domainId: string, state: VersionState, createdAt: Date, of = organisationId, more = {}) =>
  within(database, of, (tx) =>
    tx
      .insertInto('zone_versions')
      .values({
        ...{ id: newId(), organisation_id: of, domain_id: domainId, state, created_at: createdAt },
        ...{ records: '{}', record_count: 0, hash: newId(), author_id: null, author: 'Ann', reason: '' },
        ...more,
      } as never)
      .execute(),
  );

test('a domain is stated once, whose last write nobody knows the end of, and none whose zone was written since', async () => {
  const [open, over, ended] = [
    await domainRow(database, organisationId, { customer_id: customerId }),
    await domainRow(database, organisationId),
    await domainRow(database, organisationId, { status: 'ended' }),
  ];
  await version(open.id, 'unknown', inDays(-2));
  // What was refused changed nothing.
  await version(open.id, 'refused', inDays(-1));
  await version(over.id, 'unknown', inDays(-2));
  await version(over.id, 'applied', inDays(-1));
  await version(ended.id, 'unknown', inDays(-2));
  const stranger = await organisationRow(database);
  await version((await domainRow(database, stranger)).id, 'unknown', inDays(-2), stranger);
  expect(await stated(zoneWriteAttention)).toEqual([
    {
      ...{ organisationId, object: open.id, customerId, address: open.address, deadline: null },
      facts: { at: inDays(-2).toISOString() },
    },
  ]);
});

describe('a job asks the registrar about zones', () => {
  const [settleMs, watchMs] = [60_000, 3_600_000];
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const asked = async () => {
    const clock = { now: () => now };
    const places = await across(database, (tx) => openPlaces(tx, { clock, settleMs, watchMs }));
    return places.map(({ address }) => address);
  };
  async function zone(
    state: VersionState,
    agoMs: number,
    more: { status?: DomainStatus; given_up?: true } = {},
  ) {
    const { status = 'active', ...marks } = more;
    const { id, address } = await domainRow(database, organisationId, { status });
    await version(id, state, ago(agoMs), organisationId, marks);
    return { id, address };
  }
  beforeEach(() => across(database, (tx) => sql`DELETE FROM zone_versions`.execute(tx)));

  test('whose last write may have ended any way, as soon as it can strike no more, the longest open first', async () => {
    const late = await zone('unknown', settleMs);
    const early = await zone('writing', settleMs + 2, { status: 'expired' });
    const between = await zone('unknown', settleMs + 1);
    await zone('unknown', settleMs - 1);
    for (const status of ['transferring', 'ended'] as const) await zone('unknown', watchMs, { status });
    for (const state of ['applied', 'found', 'refused', 'staged'] as const) await zone(state, watchMs);
    const followed = await zone('unknown', watchMs);
    await version(followed.id, 'applied', ago(settleMs));
    const order = [early, between, late].map(({ address }) => address);
    expect(await asked()).toEqual(order);
  });

  test('with a write that was given up for an hour, also when others have written since', async () => {
    const given = { given_up: true } as const;
    const watched = await zone('refused', watchMs - 1, given);
    await version(watched.id, 'applied', now);
    await zone('refused', watchMs, given);
    expect(await asked()).toEqual([watched.address]);
  });
});
