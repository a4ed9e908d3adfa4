import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemTransaction } from '#kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import {
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { recordRegistration, recordRestoration } from './portfolio.repo.ts';
import { enqueueSyncElsewhere } from './sync.repo.ts';
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

/** What it says of the registrant; an error: nothing. */
let registrant: object | Error | null = null;
beforeEach(() => {
  registrant = null;
});

/** The registrar answers so, and what is given happens while it does. */
async function sync(
  address: string,
  answer: RegistrarDomain | null,
  meanwhile = async () => {},
  jobs: 'take' | 'keep' = 'take',
) {
  const registrar = {
    domain: async () => {
      await meanwhile();
      return answer;
    },
    verification: async () => {
      if (registrant instanceof Error) throw registrant;
      return registrant;
    },
  } as unknown as Parameters<typeof createDomainSync>[0]['registrar'];
  const tasks = createDomainSync({
    ...{ systemDb: database.systemDb, registrar, clock: { now: () => now } },
    facts: { periods: { graceDays: 40, redemptionDays: 30 } } as never,
  });
  await takeJobs(database.url);
  await tasks['domains.sync']({ organisationId, address });
  if (jobs === 'keep') return;
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

const there = (address: string) =>
  ({ domain: address, expiresAt: days(200), locked: true, nameservers: [], privacy: null }) as never;

test('a name that is gone without a reason reaches a person once, until it is found and gone again', async () => {
  const { id, address } = await domainRow(database, organisationId, { expires_at: days(100) });
  expect(await sync(address, null)).toEqual(['operator.alert']);
  expect(await row(id)).toMatchObject({ status: 'active', restorable_until: null, missing_since: now });
  expect(await sync(address, null)).toEqual([]);
  expect(await sync(address, there(address))).toEqual([]);
  expect(await row(id)).toMatchObject({ missing_since: null, expires_at: days(200) });
  expect(await sync(address, null)).toEqual(['operator.alert']);
});

test('a name that was not restored in time reaches a person, and one that was gone before its end is not a deleted one', async () => {
  const late = await domainRow(database, organisationId, {
    ...{ status: 'expired', expires_at: days(-71), restorable_until: days(-1) },
  });
  expect(await sync(late.address, null)).toEqual(['operator.alert']);
  const left = await domainRow(database, organisationId, { expires_at: days(-41), missing_since: days(-90) });
  expect(await sync(left.address, null)).toEqual([]);
  expect(await row(left.id)).toMatchObject({ restorable_until: null, missing_since: days(-90) });
});

/** An order of another organisation for the name, made then. */
async function orderElsewhere(address: string, change: Parameters<typeof itemRow>[2], created_at: Date) {
  const other = await organisationRow(database);
  const order = { organisationId: other, orderId: await orderRow(database, other) };
  await itemRow(database, order, { address, created_at, ...change });
}

const taken = { kind: 'transfer', registrar_order_id: '7' } as const;

test.each(['pending', 'unknown', 'review'] as const)(
  'a name that another organization’s order brought here is not theirs who listed it before; the order is %s',
  async (state) => {
    const { id, address } = await domainRow(database, organisationId, { created_at: days(-9), locked: null });
    await orderElsewhere(address, { ...taken, state }, days(-1));
    expect(await sync(address, there(address))).toEqual(['operator.alert']);
    expect(await row(id)).toMatchObject({ missing_since: now, expires_at: null, locked: null });
    expect(await sync(address, there(address))).toEqual([]);
  },
);

test.each([
  ['was not taken by the registrar', { ...taken, state: 'review', registrar_order_id: null }, -1],
  ['has come to nothing', { ...taken, state: 'declined' }, -1],
  ['is over', { ...taken, state: 'succeeded' }, -1],
  ['is of something else', { ...taken, state: 'pending', kind: 'renewal' }, -1],
  ['is older than what is listed', { ...taken, state: 'review' }, -10],
] as const)('an order elsewhere takes nothing away that %s', async (_what, item, day) => {
  const { id, address } = await domainRow(database, organisationId, { created_at: days(-9) });
  await orderElsewhere(address, item, days(day));
  expect(await sync(address, there(address))).toEqual([]);
  expect(await row(id)).toMatchObject({ missing_since: null, expires_at: days(200) });
});

test('an own order, and one of another name, take nothing away', async () => {
  const { id, address } = await domainRow(database, organisationId, { created_at: days(-9) });
  const own = { organisationId, orderId: await orderRow(database, organisationId) };
  await itemRow(database, own, { ...taken, address, state: 'pending', created_at: days(-1) });
  await orderElsewhere('another-name.com', { ...taken, state: 'pending' }, days(-1));
  await sync(address, there(address));
  expect((await row(id)).missing_since).toBeNull();
});

test('a name that is bought again while the registrar answers that it is gone is not missing', async () => {
  const left = await domainRow(database, organisationId, { missing_since: days(-1) });
  const now = days(0);
  const bought = { customerId: null, autoRenew: false, privacy: false, credentialsSealed: null, now };
  const again = { ...bought, organisationId, address: left.address, registeredAt: now, expiresAt: days(365) };
  const jobs = await sync(left.address, null, () =>
    systemTransaction(database.systemDb, (tx) => recordRegistration(tx, again)),
  );
  expect(jobs).toEqual(['domains.sync']);
  const rows = await within(database, organisationId, (tx) =>
    tx
      .selectFrom('domains')
      .select(['status', 'missing_since'])
      .where('address', '=', left.address)
      .execute(),
  );
  expect(rows.find(({ status }) => status === 'active')).toMatchObject({ missing_since: null });
});

test('a name that is restored while the registrar answers that it is gone stays, and alarms nobody', async () => {
  const { id, address } = await domainRow(database, organisationId, {
    ...{ status: 'expired', expires_at: days(-41), restorable_until: days(29) },
  });
  const jobs = await sync(address, null, () => restored(address));
  expect(await row(id)).toMatchObject({ status: 'active', restorable_until: null, expires_at: days(300) });
  expect(jobs).toEqual(['domains.sync']);
});

test('what the registrar says of the registrant is kept with the reading; where it does not say, what is known stays', async () => {
  const { id, address } = await domainRow(database, organisationId, { verification: 'verified' });
  for (const silence of [new UpstreamUnavailable('no answer'), new UpstreamRefused('other', '400', 'No.')]) {
    registrant = silence;
    await sync(address, there(address));
    expect(await row(id)).toMatchObject({ verification: 'verified', expires_at: days(200) });
  }
  registrant = { state: 'waiting', deadline: days(9), daysToSuspend: null, emailBounced: false };
  await sync(address, there(address));
  expect(await row(id)).toMatchObject({ verification: 'waiting', verification_deadline: days(9) });
  // Of a name that is not there nothing is said that could be kept.
  registrant = { state: 'suspended', deadline: null, daysToSuspend: null, emailBounced: false };
  await sync(address, null);
  expect((await row(id)).verification).toBe('waiting');
  registrant = new TypeError('a bug');
  await expect(sync(address, there(address))).rejects.toThrow('a bug');
});

test('a name that is not ours is not made one by a reading, nor told of where it is gone', async () => {
  for (const status of ['transferring', 'ended'] as const) {
    const { id, address } = await domainRow(database, organisationId, { status });
    for (const answer of [there(address), null]) expect(await sync(address, answer)).toEqual([]);
    expect(await row(id)).toMatchObject({ status, missing_since: null, synced_at: null });
  }
});

test('a name that another organization’s order brought here is no deleted one, and its operator hears why', async () => {
  const { id, address } = await domainRow(database, organisationId, {
    ...{ created_at: days(-60), expires_at: days(-41), restorable_until: days(9), status: 'expired' },
  });
  await orderElsewhere(address, { ...taken, state: 'pending' }, days(-1));
  await sync(address, there(address), undefined, 'keep');
  expect(await row(id)).toMatchObject({ missing_since: now, status: 'expired' });
  const [alert] = await takeJobs(database.url);
  expect(alert?.payload).toEqual({
    kind: 'domain missing',
    text: `${address} is in the registrar's account by an order of another organization, and one that had it before still lists it.`,
  });
});

test('the operator hears which name is gone, and as what the portal has it', async () => {
  const { address } = await domainRow(database, organisationId, { expires_at: days(100) });
  await sync(address, null, undefined, 'keep');
  const [alert] = await takeJobs(database.url);
  expect(alert?.payload).toEqual({
    kind: 'domain missing',
    text: `${address} is not in the registrar's account any more, but the portal has it as active.`,
  });
});

test('a name that stands in the way of another organization is read for the one that lists it', async () => {
  const [other, name] = [await organisationRow(database), newName()];
  const listed = await domainRow(database, other, { address: name });
  await takeJobs(database.url);
  const elsewhere = (address: string, of = organisationId) =>
    systemTransaction(database.systemDb, (tx) => enqueueSyncElsewhere(tx, { organisationId: of, address }));
  await elsewhere(listed.address);
  expect(await takeJobs(database.url)).toEqual([
    { task: 'domains.sync', payload: { organisationId: other, address: name } },
  ]);
  // One's own listing stands in nobody's way, nor does what has ended or is still coming.
  await elsewhere(listed.address, other);
  for (const status of ['ended', 'transferring'] as const) {
    await elsewhere((await domainRow(database, other, { status })).address);
  }
  expect(await takeJobs(database.url)).toEqual([]);
});
