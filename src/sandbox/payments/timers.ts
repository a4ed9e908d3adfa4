import { inTransaction } from './database.ts';
import { expireSession } from './objects/checkout.ts';
import { endBankPayment } from './objects/confirm.ts';
import { openDispute } from './objects/disputes.ts';
import { bankOf } from './objects/payment-methods.ts';
import { failRefund, settleRefund } from './objects/refunds.ts';
import type { Decline } from './test-methods.ts';
import type { TimerKind, World } from './world.ts';

const POLL_MS = 200;

interface Row {
  id: number;
  kind: TimerKind;
  account: string;
  object_id: string;
}

export interface Timers {
  /** Does what is due by the sandbox's clock; says how much it was. */
  run(): number;
  close(): void;
}

export function startTimers(world: World): Timers {
  const { db } = world.store;
  const due = db.prepare(
    'SELECT id, kind, account, object_id FROM payments_timers WHERE due_ms <= ? ORDER BY due_ms, id LIMIT 100',
  );
  const remove = db.prepare('DELETE FROM payments_timers WHERE id = ?');
  const run = () => {
    const rows = due.all(world.store.now()) as unknown as Row[];
    for (const row of rows) {
      inTransaction(world.store, () => {
        remove.run(row.id);
        fire(world, row.kind, row.account, row.object_id);
      });
    }
    return rows.length;
  };
  const timer = setInterval(run, POLL_MS);
  timer.unref();
  return { run, close: () => clearInterval(timer) };
}

function fire(world: World, kind: TimerKind, account: string, id: string): void {
  if (kind === 'settle-payment') settlePayment(world, account, id);
  if (kind === 'dispute-payment') disputePayment(world, account, id);
  if (kind === 'settle-refund') settleRefund(world, account, id);
  if (kind === 'fail-refund') failRefund(world, account, id);
  if (kind === 'expire-session') {
    const held = world.objects.find('checkout.session', account, id);
    if (held?.object.status === 'open') expireSession(world, held);
  }
}

/** @param forced the outcome that the control plane wants instead of the test account's own. */
export function settlePayment(
  world: World,
  account: string,
  chargeId: string,
  forced?: { failure: Decline | null },
): void {
  const charge = world.objects.find('charge', account, chargeId)?.object;
  const intentId = charge?.payment_intent;
  if (!charge || typeof intentId !== 'string' || !charge.payment_method) return;
  const intent = world.objects.find('payment_intent', account, intentId);
  const method = world.objects.find('payment_method', account, charge.payment_method);
  if (!intent || !method) return;
  const own = bankOf(method)?.failure ?? null;
  endBankPayment(world, intent, method, charge, forced ? forced.failure : own);
}

function disputePayment(world: World, account: string, chargeId: string): void {
  const charge = world.objects.find('charge', account, chargeId)?.object;
  if (charge?.status !== 'succeeded' || charge.disputed || charge.refunded) return;
  openDispute(world, account, chargeId);
}
