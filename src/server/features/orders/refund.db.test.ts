import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { customerRow, itemRow, orderRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { balances } from '../../ledger/ledger.ts';
import { createRefund } from './refund.ts';

/** What a certificate cost that came to nothing after it was paid. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => takeJobs(database.url));

async function paid(change: Parameters<typeof itemRow>[2] = {}) {
  const organisationId = await organisationRow(database);
  const orderId = await orderRow(database, organisationId);
  const place = { organisationId, orderId };
  const customerId = await customerRow(database, organisationId);
  const itemId = await itemRow(database, place, {
    ...{ kind: 'certificate', state: 'succeeded', customer_id: customerId, ...change },
  });
  return { organisationId, customerId, itemId, reason: 'the order was cancelled' };
}
const balanceOf = async (organisationId: string) =>
  (await within(database, organisationId, (tx) => balances(tx, organisationId))).balanceCents;
const refundAt = (now: () => Date) => createRefund({ db: database.db, clock: { now } });
const refund = (job: Awaited<ReturnType<typeof paid>>) =>
  refundAt(() => new Date('2026-11-22T12:00:00Z'))(job);
/** What tells that the customer, who may have been charged directly, is to have it back too. */
const told = async () =>
  (await takeJobs(database.url)).flatMap(({ task, payload }) =>
    task === 'orders.after-refund' ? [payload] : [],
  );

test('goes back to the wallet once however often the job runs, and is in the log once, for its customer', async () => {
  const job = await paid({ address: 'www.a.com' });
  for (let time = 0; time < 3; time += 1) await refund(job);
  expect(await balanceOf(job.organisationId)).toBe(1_000);
  const statement = await within(database, job.organisationId, (tx) =>
    tx.selectFrom('journal').select(['kind', 'actor', 'text', 'order_item_id']).execute(),
  );
  const text = 'Certificate for www.a.com: the order was cancelled';
  expect(statement).toEqual([{ kind: 'refund', actor: 'orders', text, order_item_id: job.itemId }]);
  const entries = await logged(database.db, job, 'orders.refund');
  expect(entries.map(({ after }) => after)).toEqual([
    { item: job.itemId, cents: 1_000, reason: 'the order was cancelled' },
  ]);
  expect(await loggedAbout(database.db, job, 'orders.refund')).toEqual([job.customerId]);
});

test('is to go back to a customer who was charged directly as well, for the same reason, told once however often the job runs', async () => {
  const job = await paid();
  for (let time = 0; time < 3; time += 1) await refund(job);
  const { organisationId, itemId, reason } = job;
  expect(await told()).toEqual([{ organisationId, itemId, reason }]);
});

test.each([
  ['was not a certificate', { kind: 'domain' }],
  ['was not paid yet', { state: 'pending' }],
  ['was never paid', { state: 'declined' }],
  ['cost nothing', { price_cents: 0 }],
] as const)('goes back to nobody where the item %s', async (_what, change) => {
  const job = await paid(change);
  await refund(job);
  expect(await balanceOf(job.organisationId)).toBe(0);
  expect(await told()).toEqual([]);
  expect(await logged(database.db, job, 'orders.refund')).toEqual([]);
});

test('goes back to nobody where the item is another organization’s', async () => {
  const [job, other] = [await paid(), await organisationRow(database)];
  await refund({ ...job, organisationId: other });
  expect([await balanceOf(job.organisationId), await balanceOf(other)]).toEqual([0, 0]);
  expect(await told()).toEqual([]);
});

test('is not lost when its job fails: the job is told, nothing is written, and its next run pays it back', async () => {
  const job = await paid();
  const failing = refundAt(() => {
    throw new Error('no time');
  });
  await expect(failing(job)).rejects.toThrow('no time');
  expect(await balanceOf(job.organisationId)).toBe(0);
  expect(await told()).toEqual([]);
  await refund(job);
  expect(await balanceOf(job.organisationId)).toBe(1_000);
  expect(await told()).toHaveLength(1);
});
