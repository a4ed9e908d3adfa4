import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople } from '../../../../tests/support/people.ts';
import { across, itemRow, newName, orderRow, within } from '../../../../tests/support/rows.ts';
import { sql } from '../../kernel/db/database.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarOrders } from '../../ports/registrar.ts';
import { closeTransfer, compareTask, lookBeforeTask, openTransfer } from './transfers.repo.ts';
import { createFollowing } from './transfers-following.ts';

/** The delegation of a transferred domain: seen before, compared after, and told where it differs. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = (await createPeople(database).organisation()).scope.organisationId;
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
let asked: string[];
let statusOf: RegistrarOrders['transferStatus'];
let [delegated, served]: [string[], string[] | null] = [[], []];
const following = (at = now) =>
  createFollowing({
    publicUrl: 'https://portal.test',
    systemDb: database.systemDb,
    clock: { now: () => at },
    resolver: {
      nameservers: async (address) => {
        asked.push(`resolver ${address}`);
        return delegated;
      },
    },
    registrar: {
      transferStatus: (address) => statusOf(address),
      domain: async (address) => {
        asked.push(`registrar ${address}`);
        return served && ({ nameservers: served } as never);
      },
    },
  }).tasks;
beforeEach(() => {
  asked = [];
  statusOf = () => Promise.reject(new Error('not asked here'));
});

async function transfer(state: object = {}) {
  const address = newName();
  const orderId = await orderRow(database, organisationId);
  const item = { kind: 'transfer', address, state: 'succeeded' } as const;
  const itemId = await itemRow(database, { organisationId, orderId }, item);
  await within(database, organisationId, (tx) =>
    openTransfer(tx, { itemId, organisationId, address, customerId: null, now }),
  );
  if (Object.keys(state).length > 0) {
    await across(database, (tx) => tx.updateTable('transfers').set(state).where('id', '=', itemId).execute());
  }
  const read = () =>
    across(database, (tx) =>
      tx
        .selectFrom('transfers')
        .select(['nameservers_before', 'nameservers_after', 'compared_at'])
        .where('id', '=', itemId)
        .executeTakeFirstOrThrow(),
    );
  // What the order itself has begun.
  await takeJobs(database.url);
  return { item: { organisationId, itemId }, address, read };
}
const letters = async () => {
  const jobs = await takeJobs(database.url);
  for (const { task, payload } of jobs) {
    const words = JSON.stringify(payload);
    expect([task, payload.organisationId]).toEqual(['billing.notify', organisationId]);
    // As it was, and as it is.
    expect(words).toMatch(/Before[^\]]*ns1\.old\.net.*Now/);
  }
  return jobs.length;
};
const old = ['ns1.old.net', 'ns2.old.net'];

test.each([
  ['nothing was known of it before', null, ['ns1.new.net', 'ns2.new.net'], 0],
  ['it had no nameservers before', [], ['ns1.new.net', 'ns2.new.net'], 0],
  ['it is the same in another order', old, old.toReversed(), 0],
  ['one of its nameservers is another', old, ['ns1.old.net', 'ns2.new.net'], 1],
  ['it has none any more', old, [], 1],
])(
  'the managers are told once that the delegation changed; not where %s',
  async (_what, known, after, told) => {
    const one = await transfer({ completed_at: now, nameservers_before: known });
    served = after;
    await following()[compareTask](one.item);
    expect(await letters()).toBe(told);
    const seen = { nameservers_before: known, nameservers_after: [...after].sort(), compared_at: now };
    expect(await one.read()).toEqual(seen);
    served = ['ns9.late.net'];
    await following()[compareTask](one.item);
    expect([await letters(), await one.read(), asked]).toEqual([0, seen, [`registrar ${one.address}`]]);
  },
);

test('nothing is compared before the transfer is completed, and a domain that is not there yet is looked at again', async () => {
  const open = await transfer({ nameservers_before: old });
  served = ['ns1.new.net'];
  await following()[compareTask](open.item);
  expect(asked).toEqual([]);
  const done = await transfer({ completed_at: now, nameservers_before: old });
  served = null;
  await expect(following()[compareTask](done.item)).rejects.toThrow(UpstreamUnavailable);
  expect([await letters(), (await done.read()).compared_at]).toEqual([0, null]);
});

test('the delegation is compared a minute after the transfer is complete, and looked up at once before', async () => {
  const address = newName();
  const orderId = await orderRow(database, organisationId);
  const itemId = await itemRow(database, { organisationId, orderId }, { kind: 'transfer', address });
  const opened = { itemId, organisationId, address, customerId: null, now };
  const record = (run: Parameters<typeof within<void>>[2]) => within(database, organisationId, run);
  const payload = { organisationId, itemId };
  await takeJobs(database.url);
  // An order that is looked at again opens its transfer again.
  for (let time = 0; time < 2; time += 1) {
    await record((tx) => openTransfer(tx, opened));
    expect(await takeJobs(database.url)).toEqual(time === 0 ? [{ task: lookBeforeTask, payload }] : []);
  }
  await record((tx) => closeTransfer(tx, { itemId, organisationId, reason: null, now }));
  expect(await runsAt(database.url, `${compareTask}:${itemId}`)).toEqual(new Date(now.getTime() + 60_000));
  expect(await takeJobs(database.url)).toEqual([{ task: compareTask, payload }]);
  await record((tx) => closeTransfer(tx, { itemId, organisationId, reason: null, now }));
  expect(await takeJobs(database.url)).toEqual([]);
  const lost = await transfer();
  await record((tx) =>
    closeTransfer(tx, { itemId: lost.item.itemId, organisationId, reason: 'Refused', now }),
  );
  expect(await takeJobs(database.url)).toEqual([]);
});

test('the delegation before is looked up once, while the transfer is open', async () => {
  const one = await transfer();
  delegated = old;
  await following()[lookBeforeTask](one.item);
  delegated = ['ns1.late.net'];
  await following()[lookBeforeTask](one.item);
  expect([asked, (await one.read()).nameservers_before]).toEqual([[`resolver ${one.address}`], old]);
});

describe('each open transfer is asked about', () => {
  beforeEach(async () => {
    await across(database, (tx) => tx.updateTable('transfers').set({ failed_at: now }).execute());
  });
  const askedAbout = () => {
    const names = new Set<string>();
    statusOf = async (address) => {
      names.add(address);
      if (address.startsWith('refused')) throw new UpstreamRefused('forbidden', '400', 'No.');
      if (address.startsWith('broken')) throw new RangeError('a status that is none');
      return 'pending_owner' as never;
    };
    return names;
  };

  test('where the registrar’s word about another one cannot be read; the round has failed then', async () => {
    const [first, second] = [await transfer({ asked_at: new Date(0) }), await transfer({ asked_at: now })];
    await across(database, (tx) =>
      tx
        .updateTable('transfers')
        .set({ address: 'broken.com' })
        .where('id', '=', first.item.itemId)
        .execute(),
    );
    const names = askedAbout();
    await expect(following()['transfers.poll']()).rejects.toThrow('a status that is none');
    expect([...names]).toEqual(['broken.com', second.address]);
  });

  test('however many there are of which the registrar will not speak', async () => {
    const [many, last] = [await transfer(), await transfer({ asked_at: now })];
    await across(database, (tx) =>
      sql`WITH copied AS (
          INSERT INTO order_items SELECT (jsonb_populate_record(i, jsonb_build_object(
              'id', gen_random_uuid(), 'address', 'refused' || n || '.com'))).*
            FROM order_items i, generate_series(1, 500) n WHERE i.id = ${many.item.itemId} RETURNING id, address)
        INSERT INTO transfers SELECT (jsonb_populate_record(t, jsonb_build_object(
            'id', copied.id, 'address', copied.address))).*
        FROM transfers t, copied WHERE t.id = ${many.item.itemId}`.execute(tx),
    );
    const names = askedAbout();
    await following()['transfers.poll']();
    expect(names.size).toBeLessThanOrEqual(500);
    await following(new Date(now.getTime() + 20 * 60_000))['transfers.poll']();
    expect(names).toContain(last.address);
  });
});
