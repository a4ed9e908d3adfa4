import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { topupRow } from '../../../../tests/support/rows.ts';
import { inTransaction, sql, type Tx } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import type { Payment } from '../../ports/payments.ts';
import { createTokens } from '../tokens/index.ts';
import { createClosing } from '../users/closing.service.ts';
import { applyPayment } from './apply-payment.ts';
import { endAutoBalance } from './end-auto-balance.ts';

/** Money that comes in the moment in which its organisation is closed (docs/decisions/0289). */

let stand: BillingStand;
let scope: Scope;
let topupId: string;
let paymentId: string;
beforeAll(async () => {
  stand = await openBillingStand();
});
beforeEach(async () => {
  scope = await stand.organisation();
  paymentId = newId();
  // Its answer was lost: nobody was given it to pay, so it does not stand against closing.
  const created_at = new Date(stand.clock.now().getTime() - 86_400_000 * 400);
  topupId = await topupRow(stand.database, scope.organisationId, { cents: 100_00, created_at });
});
afterEach(async () => {
  vi.restoreAllMocks();
  expect(await stand.faults()).toEqual([]);
});
afterAll(() => stand.close());

const tenant = <T>(run: (tx: Tx) => Promise<T>) => inTransaction(stand.database.db, scope, run);
const arrived = (reversedCents = 0): Payment => ({
  ...{ id: paymentId, state: 'succeeded', amountCents: 100_00, feeCents: null, reversedCents },
  disputes: null,
  ...{ method: 'card', paymentMethod: null, failure: null, failureCode: null, chargeId: null },
  ...{ createdAt: stand.clock.now(), topupId, organisationId: scope.organisationId },
});
const apply = (tx: Tx, reversedCents = 0) =>
  applyPayment({ clock: stand.clock, publicUrl: 'https://portal.test' }, tx, topupId, arrived(reversedCents));
const balance = async () =>
  (await tenant((tx) => tx.selectFrom('wallets').select('posted_cents').executeTakeFirstOrThrow()))
    .posted_cents;
const isClosed = async () =>
  (await tenant((tx) => tx.selectFrom('organisations').select('closed_at').executeTakeFirstOrThrow()))
    .closed_at !== null;
/** What was said to the operator about the organisation. */
const alarms = async () => {
  await stand.jobs();
  return stand.people.letters
    .filter(({ to, text }) => to === 'operator@portal.test' && text.includes(scope.organisationId))
    .map(({ text }) => text);
};

/** The closing of the organisation, which stops within its transaction where `ends` does. */
function close(ends: (tx: Tx) => Promise<unknown>): Promise<void> {
  const { db, systemDb } = stand.database;
  const tokens = createTokens({ db, systemDb, clock: stand.clock, newId });
  const stopping = async (tx: Tx) => {
    await ends(tx);
    return [];
  };
  return createClosing({
    ...{ db, tokens },
    clock: stand.clock,
    endsWithOrganisation: [stopping, endAutoBalance],
  })(scope);
}

/** A place at which somebody stops until they may go on. */
function stop() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const here = async () => {
    reach();
    await released;
  };
  return { here, reached, release };
}

/** Somebody waits for a lock that has a name, as the closing and all who ask for it do. */
const waiting = () =>
  eventually(async () => {
    const { rows } = await sql`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`.execute(
      stand.database.systemDb,
    );
    expect(rows).toHaveLength(1);
  });

test('money that is being credited is waited for, and stands against closing', async () => {
  const written = stop();
  const paying = tenant(async (tx) => {
    await apply(tx);
    await written.here();
  });
  await written.reached;
  const closing = close(async () => undefined);
  closing.catch(() => undefined);
  try {
    await waiting();
  } finally {
    written.release();
  }
  await paying;
  await expect(closing).rejects.toMatchObject({
    message: 'The organization cannot be closed while it has a balance of $100.00.',
  });
  expect(await isClosed()).toBe(false);
  expect(await balance()).toBe(100_00);
  expect(await alarms()).toEqual([]);
});

test('money that comes while the organization is being closed waits for that, is booked there, and calls the operator', async () => {
  const marked = stop();
  const closing = close(marked.here);
  await marked.reached;
  const paying = tenant(apply);
  try {
    await waiting();
  } finally {
    marked.release();
  }
  await closing;
  expect(await paying).toBe(true);
  expect(await isClosed()).toBe(true);
  expect(await balance()).toBe(100_00);
  expect(await alarms()).toEqual([expect.stringContaining('$100.00 arrived by payment')]);
});

test('the closing that gave up in the end lets the money through without a word', async () => {
  const marked = stop();
  const closing = close(async () => {
    await marked.here();
    throw new Error('the process died');
  });
  closing.catch(() => undefined);
  await marked.reached;
  const paying = tenant(apply);
  try {
    await waiting();
  } finally {
    marked.release();
  }
  await expect(closing).rejects.toThrow('the process died');
  expect(await paying).toBe(true);
  expect(await isClosed()).toBe(false);
  expect(await alarms()).toEqual([]);
});

test('an automatic top-up whose answer comes while the organization is being closed does not wait in a circle with it', async () => {
  await tenant(apply);
  await tenant((tx) =>
    tx
      .updateTable('billing_profiles')
      .set({ auto_topup: true, payment_method_id: 'pm_card_visa', payment_customer_id: 'cus_gone' })
      .execute(),
  );
  await stand.give(scope, -100_00);
  const marked = stop();
  const closings: Promise<void>[] = [];
  // Its payment is made; meanwhile its top-up ended, and a person closes the organisation.
  vi.spyOn(stand.payments, 'chargeStored').mockImplementation(async ({ topupId: id }) => {
    await tenant((tx) => tx.updateTable('topups').set({ state: 'cancelled' }).where('id', '=', id).execute());
    closings.push(close(marked.here));
    await marked.reached;
    return { ...arrived(), id: newId(), topupId: id };
  });
  const considering = stand.billing.autoTopup.consider(scope.organisationId);
  try {
    await waiting();
  } finally {
    marked.release();
  }
  await Promise.all([considering, ...closings]);
  expect(await isClosed()).toBe(true);
  expect(await balance()).toBe(100_00);
  expect(await alarms()).toEqual([expect.stringContaining('$100.00 arrived by payment')]);
});

test('what is disputed, and what is won back, after an organization is closed calls the operator each time', async () => {
  await close(async () => undefined);
  const said: string[][] = [];
  for (const reversedCents of [0, 100_00, 60_00, 60_00]) {
    const before = (await alarms()).length;
    await tenant((tx) => apply(tx, reversedCents));
    said.push((await alarms()).slice(before).map((text) => /\$[^;]*by payment/.exec(text)?.[0] ?? text));
  }
  expect(said).toEqual([
    ['$100.00 arrived by payment'],
    ['$100.00 was returned or disputed by payment'],
    ['$40.00 of a dispute came back by payment'],
    [],
  ]);
  expect(await balance()).toBe(40_00);
});
