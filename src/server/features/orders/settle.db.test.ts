import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { attemptsOf, runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  certificateRow,
  customerRow,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { adjust, balances, hold } from '../../ledger/ledger.ts';
import { certificateAct } from './acts/certificate.ts';
import { redemptionAct } from './acts/redemption.ts';
import { registrationAct } from './acts/registration.ts';
import { renewalAct } from './acts/renewal.ts';
import { transferAct } from './acts/transfer.ts';
import { createAdoption } from './adopt.ts';
import type { Verdict } from './engine.rules.ts';
import type { Item } from './item.ts';
import { findItem } from './items.repo.ts';
import { reopen, settle } from './settle.ts';

/** What each verdict writes, moves and wakes: one item of one order, with its money held. */

const now = new Date('2026-11-22T12:00:00Z');
let database: TestDatabase;
let organisationId: string;
let customerId: string;
const act = {
  ...{ send: vi.fn(), find: vi.fn(), succeeded: vi.fn(), started: vi.fn(), declined: vi.fn() },
};

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  await tenant((tx) =>
    adjust(tx, { organisationId, cents: 1_000_00, ref: 'start', actor: 'test', text: '' }),
  );
});
afterAll(() => database.close());
beforeEach(async () => {
  vi.clearAllMocks();
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
async function item(change: Parameters<typeof itemRow>[2] = {}, ofOrder?: string): Promise<Item> {
  const orderId = ofOrder ?? (await orderRow(database, organisationId));
  const place = { customer_id: customerId, state: 'sending' as const, ...change };
  const itemId = await itemRow(database, { organisationId, orderId }, place);
  await tenant((tx) => hold(tx, { organisationId, items: [{ itemId, cents: 10_00 }], pendingLimitCents: 0 }));
  return read(itemId);
}
async function read(id: string): Promise<Item> {
  const found = await tenant((tx) => findItem(tx, systemClock, id));
  if (!found) throw new Error(`no item ${id}`);
  return found;
}
const carryOut = (of: Item, verdict: Verdict, by = act as never) =>
  tenant((tx) => settle(tx, by, of, verdict, now));
const held = async () => (await tenant((tx) => balances(tx, organisationId))).heldCents;
const tasks = async () => (await takeJobs(database.url)).map(({ task }) => task);
const later = (ms: number) => new Date(now.getTime() + ms);
/** When it is looked at again, by its job and by the sweep. */
const planned = async ({ id }: Item) => ({
  job: await runsAt(database.url, `order-item:${id}`),
  sweep:
    (
      await tenant((tx) =>
        tx.selectFrom('order_items').select('next_check_at').where('id', '=', id).executeTakeFirst(),
      )
    )?.next_check_at ?? null,
  attempts: await attemptsOf(database.url, 'orders.advance'),
});
const orderState = async (of: Item) =>
  tenant((tx) => tx.selectFrom('orders').select('state').where('id', '=', of.orderId).executeTakeFirst());

describe('an item', () => {
  test('that succeeded is paid, written down, ends its order, and is followed up', async () => {
    const mine = await item();
    const before = await held();
    expect(await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7' } })).toBe(true);
    expect(await held()).toBe(before - 10_00);
    expect(act.succeeded).toHaveBeenCalledTimes(1);
    expect(await orderState(mine)).toEqual({ state: 'settled' });
    const payload = { organisationId, itemId: mine.id };
    expect(await takeJobs(database.url)).toEqual([{ task: 'orders.after-success', payload }]);
    expect(await read(mine.id)).toMatchObject({ state: 'succeeded', registrarOrderId: '7' });
  });

  test('that succeeded after trouble says what the registrar noted, or nothing: the trouble is over', async () => {
    const troubled = { state: 'unknown' as const, outcome_note: 'The call ended without an answer.' };
    const [plain, noted] = [await item(troubled), await item(troubled)];
    await carryOut(plain, { to: 'succeeded', result: { registrarOrderId: '7' } });
    await carryOut(noted, {
      to: 'succeeded',
      result: { registrarOrderId: '8', notes: ['Locked.', 'Late.'] },
    });
    expect((await read(plain.id)).outcomeNote).toBeNull();
    expect((await read(noted.id)).outcomeNote).toBe('Locked. Late.');
  });

  test('that recovery wrote down is paid and not followed up: its customer may have been charged for it before', async () => {
    const adopt = createAdoption({ db: database.db, clock: systemClock, pendingLimitCents: 0 });
    const itemId = newId();
    await adopt({
      ...{ itemId, organisationId, customerId, kind: 'domain', address: newName(), years: 1 },
      ...{ priceCents: 10_00, costCents: 8_00, details: {}, orderedAt: now },
    });
    const before = await held();
    await carryOut(await read(itemId), { to: 'succeeded', result: { registrarOrderId: '7' } });
    expect(await held()).toBe(before - 10_00);
    expect(await read(itemId)).toMatchObject({ state: 'succeeded' });
    expect(await tasks()).toEqual([]);
  });

  test('that ends at the same moment as the other one of its order ends the order with it', async () => {
    const one = await item();
    const other = await item({}, one.orderId);
    let ending: Promise<boolean> | undefined;
    await tenant(async (tx) => {
      await settle(tx, act as never, one, { to: 'succeeded', result: { registrarOrderId: '7' } }, now);
      // The first has written its end, which the other cannot see before the first is through.
      ending = carryOut(other, { to: 'declined', reason: 'Taken' });
      await eventually(async () => {
        const { rows } = await sql`SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE NOT granted AND datname = current_database()`.execute(database.systemDb);
        expect(rows).not.toEqual([]);
      });
    });
    expect(await ending).toBe(true);
    expect(await orderState(one)).toEqual({ state: 'partial' });
  });

  test('that was declined gives its money back, says why, and ends its order', async () => {
    const mine = await item();
    const before = await held();
    await carryOut(mine, { to: 'declined', reason: 'Taken' });
    expect(await held()).toBe(before - 10_00);
    expect(act.declined).toHaveBeenCalledTimes(1);
    expect(await orderState(mine)).toEqual({ state: 'failed' });
    expect(await read(mine.id)).toMatchObject({ state: 'declined', publicError: 'Taken' });
  });

  test.each([
    ['domain', 'Registration of'],
    ['renewal', 'Renewal of'],
    ['transfer', 'Transfer of'],
    ['redemption', 'Restoration of'],
    ['certificate', 'Certificate for'],
  ] as const)(
    'is called by what it is (%s) in the statement: "%s", with its price, and why it was given back',
    async (kind, label) => {
      const [done, refused] = [await item({ kind }), await item({ kind })];
      await carryOut(done, { to: 'succeeded', result: { registrarOrderId: '7' } });
      await carryOut(refused, { to: 'declined', reason: 'Taken.' });
      const entries = await tenant((tx) =>
        tx
          .selectFrom('journal as j')
          .leftJoin('postings as p', (join) =>
            join.onRef('p.journal_id', '=', 'j.id').on('p.account', '=', 'wallet'),
          )
          .select(['j.kind', 'j.actor', 'j.text', 'p.cents'])
          .where('j.order_item_id', 'in', [done.id, refused.id])
          .orderBy('j.kind')
          .execute(),
      );
      expect(entries).toEqual([
        { kind: 'purchase', actor: 'orders', text: `${label} ${done.address}`, cents: -10_00 },
        { kind: 'release', actor: 'orders', text: `${label} ${refused.address}: Taken.`, cents: null },
      ]);
      const cost = await tenant((tx) =>
        tx
          .selectFrom('postings as p')
          .innerJoin('journal as j', 'j.id', 'p.journal_id')
          .select(['p.account', 'p.cents'])
          .where('j.order_item_id', '=', done.id)
          .where('p.account', '<>', 'wallet')
          .execute(),
      );
      expect(cost.map(({ cents }) => Math.abs(cents)).toSorted()).toContain(done.costCents);
    },
  );

  test('goes to each state from those that lead there, and from no other; what is refused moves no money', async () => {
    const states = ['queued', 'sending', 'pending', 'unknown', 'review', 'succeeded', 'declined'] as const;
    const verdicts: Verdict[] = [
      { to: 'succeeded', result: { registrarOrderId: '7' } },
      { to: 'declined', reason: 'No.' },
      { to: 'pending', registrarOrderId: '7', afterMs: 1 },
      { to: 'queued', note: '', afterMs: 1 },
      { to: 'unknown', note: '', afterMs: 1 },
      { to: 'review', note: '' },
    ];
    const from: Record<string, string[]> = {};
    for (const verdict of verdicts) {
      const moved: string[] = [];
      for (const state of states) {
        const mine = await item({ state });
        const before = await held();
        if (await carryOut(mine, verdict)) moved.push(state);
        else expect([(await read(mine.id)).state, await held()]).toEqual([state, before]);
      }
      from[verdict.to] = moved;
    }
    const underWay = ['sending', 'pending', 'unknown'];
    expect(from).toEqual({
      succeeded: [...underWay, 'review'],
      declined: ['queued', ...underWay, 'review'],
      ...{ pending: underWay, unknown: underWay, review: underWay, queued: ['sending', 'unknown'] },
    });
  });

  test('that a busy registrar did not take keeps its money, is no longer unknown, and is sent again after a pause', async () => {
    const mine = await item({ state: 'unknown', unknown_since: now, checks: 3 });
    const before = await held();
    expect(await carryOut(mine, { to: 'queued', note: 'Come again.', afterMs: 4_000 })).toBe(true);
    expect(await read(mine.id)).toMatchObject({
      ...{ state: 'queued', unknownSince: null, outcomeNote: 'Come again.', checks: 3 },
    });
    expect(await held()).toBe(before);
    expect(await orderState(mine)).toEqual({ state: 'held' });
    expect(await planned(mine)).toEqual({ job: later(4_000), sweep: later(4_000), attempts: [5] });
  });

  test('that has ended is not looked at again, and no order ends while another of its items is open', async () => {
    const mine = await item({ state: 'pending', next_check_at: now });
    const other = await item({ state: 'review' }, mine.orderId);
    await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7' } });
    expect((await planned(mine)).sweep).toBeNull();
    expect(await orderState(mine)).toEqual({ state: 'held' });
    await carryOut(other, { to: 'declined', reason: 'No.' });
    expect(await orderState(mine)).toEqual({ state: 'partial' });
  });

  test('that is accepted is shown as started once, and looked at again ever later', async () => {
    const mine = await item();
    const wait = { to: 'pending', registrarOrderId: '7', afterMs: 15_000 } as const;
    await carryOut(mine, wait);
    const waiting = await read(mine.id);
    expect(waiting).toMatchObject({ state: 'pending', registrarOrderId: '7', checks: 1 });
    await carryOut(waiting, { ...wait, registrarOrderId: null });
    expect(await read(mine.id)).toMatchObject({ registrarOrderId: '7', checks: 2 });
    expect(act.started).toHaveBeenCalledTimes(1);
    expect(await planned(mine)).toEqual({ job: later(15_000), sweep: later(15_000), attempts: [5] });
    expect(await takeJobs(database.url)).toEqual([
      { task: 'orders.advance', payload: { organisationId, itemId: mine.id } },
    ]);
  });

  test('that turns out to be accepted after nobody knew is shown as started too', async () => {
    const mine = await item({ state: 'unknown', unknown_since: now });
    await carryOut(mine, { to: 'pending', registrarOrderId: '7', afterMs: 15_000 });
    expect(act.started).toHaveBeenCalledTimes(1);
    expect(await read(mine.id)).toMatchObject({ state: 'pending', registrarOrderId: '7' });
  });

  test('whose outcome is unknown keeps its money, and since when it is unknown', async () => {
    const mine = await item();
    const before = await held();
    await carryOut(mine, { to: 'unknown', note: 'No answer', afterMs: 2_000 });
    const first = await read(mine.id);
    expect(first).toMatchObject({ state: 'unknown', unknownSince: now, checks: 1, outcomeNote: 'No answer' });
    expect(await planned(mine)).toEqual({ job: later(2_000), sweep: later(2_000), attempts: [5] });
    await tenant((tx) =>
      settle(
        tx,
        act as never,
        first,
        { to: 'unknown', note: '', afterMs: 2_000 },
        new Date(now.getTime() + 5_000),
      ),
    );
    expect(await read(mine.id)).toMatchObject({ unknownSince: now, checks: 2 });
    expect(await held()).toBe(before);
  });

  test('that nobody has asked about for long is unknown from now on, and asked about as something new', async () => {
    const mine = await item({
      state: 'unknown',
      unknown_since: new Date(now.getTime() - 99 * 86_400_000),
      checks: 9,
    });
    const before = await held();
    await carryOut(mine, { to: 'unknown', note: 'No answer', afterMs: 2_000, fromNow: true });
    expect(await read(mine.id)).toMatchObject({ state: 'unknown', unknownSince: now, checks: 1 });
    expect(await planned(mine)).toEqual({ job: later(2_000), sweep: later(2_000), attempts: [5] });
    expect(await held()).toBe(before);
  });

  test('that a person has to see keeps its money and calls one; reopened it is asked about again', async () => {
    const since = new Date(now.getTime() - 86_400_000);
    const mine = await item({ state: 'unknown', unknown_since: since });
    const before = await held();
    await carryOut(mine, { to: 'review', note: 'Contradictory' });
    const text = `Registration of ${mine.address}: Contradictory`;
    expect(await takeJobs(database.url)).toEqual([
      { task: 'operator.alert', payload: { kind: 'review', itemId: mine.id, organisationId, text } },
    ]);
    const seen = await read(mine.id);
    expect(seen).toMatchObject({ state: 'review', outcomeNote: 'Contradictory', registrarOrderId: null });
    expect(await planned(mine)).toMatchObject({ job: null, sweep: null });
    await tenant((tx) => reopen(tx, seen, now));
    expect(await read(mine.id)).toMatchObject({ state: 'unknown', unknownSince: since });
    expect((await planned(mine)).sweep).toEqual(now);
    expect(await held()).toBe(before);
    // Once more, by somebody who saw it in review still.
    expect(await tenant((tx) => reopen(tx, seen, later(5_000)))).toBe(false);
    expect((await read(mine.id)).updatedAt).toEqual(now);
  });

  test('that a person has to see keeps the number that the registrar gave it; reopened, it is unknown since then', async () => {
    const mine = await item({ state: 'pending', registrar_order_id: '7' });
    await carryOut(mine, { to: 'review', note: 'For too long.' });
    const seen = await read(mine.id);
    expect(seen).toMatchObject({ registrarOrderId: '7', unknownSince: null });
    await tenant((tx) => reopen(tx, seen, now));
    expect(await read(mine.id)).toMatchObject({ state: 'unknown', unknownSince: now, registrarOrderId: '7' });
    const other = await item();
    await carryOut(other, { to: 'review', note: 'Listed elsewhere.', registrarOrderId: '8' });
    expect((await read(other.id)).registrarOrderId).toBe('8');
  });

  test('that has moved on meanwhile is left alone, and its money too', async () => {
    const mine = await item();
    await carryOut(mine, { to: 'declined', reason: 'Taken' });
    const before = await held();
    expect(await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7' } })).toBe(false);
    expect(await held()).toBe(before);
    expect(act.succeeded).not.toHaveBeenCalled();
  });
});

describe('the portal’s own copy', () => {
  const domainAt = (address: string) =>
    tenant((tx) => tx.selectFrom('domains').selectAll().where('address', '=', address).executeTakeFirst());
  const transferOf = (id: string) =>
    tenant((tx) => tx.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirst());

  test('of a registered name has its owner, its choices and its dates', async () => {
    const details = JSON.stringify({ autoRenew: true, privacy: true, contacts: contactsOf() });
    const mine = await item({ address: newName(), years: 2, details });
    const done = { to: 'succeeded', result: { registrarOrderId: '7', registeredAt: now } } as const;
    await carryOut(mine, done, registrationAct({} as never) as never);
    expect(await domainAt(mine.address)).toMatchObject({
      ...{ customer_id: customerId, status: 'active', auto_renew: true, privacy: true, registered_at: now },
      ...{ expires_at: new Date('2028-11-22T12:00:00Z'), credentials_sealed: null },
    });
  });

  test('of a registered name has the login that was made for it, the registry’s dates where they are known, and nothing that was not chosen', async () => {
    const sealed = Buffer.from('sealed');
    const [known, unknown] = [
      await item({ address: newName(), secrets_sealed: sealed }),
      await item({ address: newName() }),
    ];
    const dates = {
      registeredAt: new Date('2026-11-22T11:59:00Z'),
      expiresAt: new Date('2027-11-21T23:59:59Z'),
    };
    const act = registrationAct({} as never) as never;
    await carryOut(known, { to: 'succeeded', result: { registrarOrderId: '7', ...dates } }, act);
    const nothing = { registeredAt: null, expiresAt: null };
    await carryOut(unknown, { to: 'succeeded', result: { registrarOrderId: '8', ...nothing } }, act);
    expect(await domainAt(known.address)).toMatchObject({
      ...{ registered_at: dates.registeredAt, expires_at: dates.expiresAt, credentials_sealed: sealed },
      ...{ auto_renew: false, privacy: false },
    });
    expect(await domainAt(unknown.address)).toMatchObject({
      ...{ registered_at: now, expires_at: new Date('2027-11-22T12:00:00Z') },
    });
  });

  test('of a renewed name has its new expiry; without one nothing is written', async () => {
    const before = new Date('2026-12-10T00:00:00Z');
    const { address } = await domainRow(database, organisationId, { status: 'expired', expires_at: before });
    const mine = await item({ kind: 'renewal', address });
    const act = renewalAct({} as never) as never;
    const heldBefore = await held();
    const without = carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7' } }, act);
    await expect(without).rejects.toThrow('has no expiry date');
    expect([await held(), (await read(mine.id)).state]).toEqual([heldBefore, 'sending']);
    const expiresAt = new Date('2027-12-10T00:00:00Z');
    await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7', expiresAt } }, act);
    expect(await domainAt(address)).toMatchObject({
      status: 'active',
      expires_at: expiresAt,
      renewed_at: now,
    });
  });

  test('of a restored name is an active one again, with its expiry where that is known', async () => {
    const before = {
      status: 'expired',
      expires_at: new Date('2026-10-10T00:00:00Z'),
      restorable_until: now,
    } as const;
    const act = redemptionAct({} as never) as never;
    for (const expiresAt of [null, new Date('2027-10-10T00:00:00Z')]) {
      const { address } = await domainRow(database, organisationId, before);
      const mine = await item({ kind: 'redemption', address });
      await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7', expiresAt } }, act);
      expect(await domainAt(address)).toMatchObject({
        ...{ status: 'active', restorable_until: null, renewed_at: now },
        expires_at: expiresAt ?? before.expires_at,
      });
    }
  });

  test('of a certificate is all that was ordered, and whose it is', async () => {
    const contacts = contactsOf();
    const admin = { ...contacts.admin, firstName: 'Adam' };
    const billing = { ...contacts.billing, firstName: 'Bill' };
    const ordered = {
      ...{ provider: 'digicert', productType: 'rapidssl', csr: 'CSR', validation: 'Email' },
      ...{ approverEmail: 'admin@a.com', renewsOrderId: null },
    };
    const detailsOf = (change: object = {}) =>
      JSON.stringify({ contacts: { ...contacts, admin, billing }, certificate: { ...ordered, ...change } });
    const act = certificateAct({} as never) as never;
    const bought = async (details: string, result: object = {}) => {
      const mine = await item({ kind: 'certificate', address: newName(), details });
      await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: mine.id, ...result } }, act);
      return tenant((tx) =>
        tx.selectFrom('certificates').selectAll().where('order_item_id', '=', mine.id).executeTakeFirst(),
      );
    };
    const first = await bought(detailsOf(), { state: 'in-progress' });
    expect(first).toMatchObject({
      ...{ organisation_id: organisationId, customer_id: customerId, provider: 'digicert' },
      ...{ product_type: 'rapidssl', csr: 'CSR', validation_method: 'Email', approver_email: 'admin@a.com' },
      ...{ state: 'in-progress', ordered_at: now, acme_access_id: null, auto_reissue: true },
      contacts: { admin, billing, tech: admin },
    });
    expect(first?.registrar_order_id).toBe(first?.order_item_id);
    // The registrar's answer to the order may say no state yet.
    expect((await bought(detailsOf()))?.state).toBe('awaiting-approval');
    const term_ends_at = new Date('2026-12-22T12:00:00Z');
    await certificateRow(database, organisationId, { registrar_order_id: 'R-old', term_ends_at });
    const renewed = await bought(detailsOf({ renewsOrderId: 'R-old' }));
    expect(renewed?.term_ends_at?.getTime()).toBeGreaterThan(first?.term_ends_at?.getTime() ?? 0);
    const broken = await item({ kind: 'certificate', address: newName() });
    const without = carryOut(broken, { to: 'succeeded', result: { registrarOrderId: '9' } }, act);
    await expect(without).rejects.toThrow('has no details');
  });

  test('of a transfer begins with its acceptance and ends with its refusal', async () => {
    const [sealed, details] = [Buffer.from('sealed'), JSON.stringify({ autoRenew: true })];
    const mine = await item({ kind: 'transfer', address: newName(), secrets_sealed: sealed, details });
    const transfer = transferAct({} as never) as never;
    await carryOut(mine, { to: 'pending', registrarOrderId: '7', afterMs: 15_000 }, transfer);
    expect(await transferOf(mine.id)).toMatchObject({
      ...{ failed_at: null, completed_at: null, address: mine.address, customer_id: customerId },
      requested_at: now,
    });
    expect(await domainAt(mine.address)).toMatchObject({
      ...{ status: 'transferring', customer_id: customerId, auto_renew: true, credentials_sealed: sealed },
    });
    await carryOut(await read(mine.id), { to: 'declined', reason: 'Refused by the holder' }, transfer);
    expect(await transferOf(mine.id)).toMatchObject({ failed_at: now, reason: 'Refused by the holder' });
    expect((await domainAt(mine.address))?.status).not.toBe('transferring');
  });

  test('of a transfer that came in has its expiry, and the transfer is complete', async () => {
    const mine = await item({ kind: 'transfer', address: newName() });
    const expiresAt = new Date('2027-11-22T12:00:00Z');
    const done = { to: 'succeeded', result: { registrarOrderId: '7', expiresAt } } as const;
    await carryOut(mine, done, transferAct({} as never) as never);
    expect(await transferOf(mine.id)).toMatchObject({ completed_at: now, failed_at: null });
    expect(await domainAt(mine.address)).toMatchObject({
      ...{ status: 'active', expires_at: expiresAt, registered_at: null, transferred_at: now },
      ...{ customer_id: customerId, auto_renew: false },
    });
  });

  test('of a transfer that came in has when it was first registered, where that is known', async () => {
    const mine = await item({ kind: 'transfer', address: newName() });
    const [registeredAt, expiresAt] = [new Date('2020-05-01T00:00:00Z'), new Date('2027-11-22T12:00:00Z')];
    const result = { registrarOrderId: '7', registeredAt, expiresAt };
    await carryOut(mine, { to: 'succeeded', result }, transferAct({} as never) as never);
    expect(await domainAt(mine.address)).toMatchObject({
      registered_at: registeredAt,
      expires_at: expiresAt,
    });
  });
});
