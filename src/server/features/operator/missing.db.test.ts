import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import {
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import { createMissing } from './missing.ts';
import { listQueue } from './queue.repo.ts';

let database: TestDatabase;
let organisationId: string;
/** What the registrar says when it is read. */
let read: () => Promise<unknown>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  read = async () => null;
  await takeJobs(database.url);
});

const now = new Date('2026-11-22T12:00:00Z');
const day = (count: number) => new Date(now.getTime() + count * 86_400_000);
const ada = { id: newId(), name: 'Ada Smith', ip: '192.0.2.7', requestId: 'r' };
const end = (id: string) =>
  createMissing({
    ...{ systemDb: database.systemDb, clock: { now: () => now } },
    registrar: { domain: read as never },
  }).end(ada, id, 'Transferred away');
const missing = (change: Parameters<typeof domainRow>[2] = {}) =>
  domainRow(database, organisationId, { missing_since: day(-1), created_at: day(-9), ...change });
const stateOf = async (id: string) => {
  const row = await within(database, organisationId, (tx) =>
    tx.selectFrom('domains').select(['status', 'end_reason']).where('id', '=', id).executeTakeFirst(),
  );
  return row?.status;
};
const queued = async () =>
  (await listQueue(database.systemDb, now)).filter((entry) => entry.organizationId === organisationId);
const here = (domain: string) => async () => ({ domain });

describe('a domain that is missing', () => {
  test('is in the queue since it is missing, until it has ended', async () => {
    const { id, address } = await missing();
    await domainRow(database, organisationId);
    await missing({ status: 'ended' });
    expect(await queued()).toMatchObject([
      { kind: 'missing', id, subject: address, organization: 'Test', since: day(-1).toISOString() },
    ]);
    await end(id);
    expect(await queued()).toEqual([]);
  });

  test('is ended once the registrar says again that it does not have it, and the log says who did it, and why', async () => {
    const customerId = await customerRow(database, organisationId);
    const { id, address } = await missing({ status: 'expired', customer_id: customerId });
    expect(await end(id)).toEqual({ message: `${address} is no longer listed for Test.` });
    expect(await stateOf(id)).toBe('ended');
    expect(await logged(database.db, { organisationId }, 'operator.endDomain')).toEqual([
      {
        ...{ by: 'operator Ada Smith', kind: 'ended domain', object: address },
        ...{ before: { status: 'expired' }, after: { status: 'ended', reason: 'Transferred away' } },
      },
    ]);
    expect(await loggedAbout(database.db, { organisationId }, 'operator.endDomain')).toEqual([customerId]);
    await expect(end(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each([
    ['does not answer', new UpstreamUnavailable('no answer'), 'upstream_unavailable'],
    ['refuses to say', new UpstreamRefused('other', '500', 'No.'), 'registrar_refused'],
  ])('stays when the registrar %s: that is no absence', async (_what, failure, code) => {
    const { id } = await missing();
    read = () => Promise.reject(failure);
    await expect(end(id)).rejects.toMatchObject({ code });
    expect(await stateOf(id)).toBe('active');
  });

  test('stays when the registrar has it after all, and is read', async () => {
    const { id, address } = await missing();
    read = here(address);
    await expect(end(id)).rejects.toMatchObject({ code: 'unprocessable' });
    expect(await stateOf(id)).toBe('active');
    expect(await takeJobs(database.url)).toEqual([
      { task: 'domains.sync', payload: { organisationId, address } },
    ]);
    expect(await logged(database.db, { organisationId }, 'operator.endDomain')).toEqual([]);
  });

  test('stays while an order of it is open', async () => {
    const { id, address } = await missing();
    const orderId = await orderRow(database, organisationId);
    await itemRow(database, { organisationId, orderId }, { address, kind: 'transfer', state: 'sending' });
    await expect(end(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await stateOf(id)).toBe('active');
  });

  test('stays when it was found while the registrar was read', async () => {
    const { id, address } = await missing();
    read = async () => {
      await within(database, organisationId, (tx) =>
        tx.updateTable('domains').set({ missing_since: null }).where('address', '=', address).execute(),
      );
      return null;
    };
    await expect(end(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await stateOf(id)).toBe('active');
  });

  test('is ended when it is in the account by the order of another organisation', async () => {
    const { id, address } = await missing();
    const other = await organisationRow(database);
    const order = { organisationId: other, orderId: await orderRow(database, other) };
    const taken = { kind: 'transfer', state: 'review', registrar_order_id: '7' } as const;
    await itemRow(database, order, { ...taken, address, created_at: day(-2) });
    read = here(address);
    await end(id);
    expect(await stateOf(id)).toBe('ended');
  });

  test('is the only one that can be ended', async () => {
    const { id } = await domainRow(database, organisationId);
    await expect(end(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await stateOf(id)).toBe('active');
  });
});
