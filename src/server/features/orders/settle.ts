import type { Tx } from '#kernel/db/database.ts';
import type { OrderItemState } from '#kernel/db/schema.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { capture, release } from '../../ledger/ledger.ts';
import type { Act, ActResult } from './act.ts';
import { type Item, openStates } from './item.ts';

/**
 * The transitions of an item (design: order engine). Each is one conditional update; money and the portal's copy
 * move in the same transaction, and only when exactly that one row changed. Returns whether it did.
 */

type OpenState = (typeof openStates)[number];

async function move(
  tx: Tx,
  item: Item,
  from: readonly OpenState[],
  to: OrderItemState,
  set: {
    registrarOrderId?: string | null;
    publicError?: string | null;
    note?: string | null;
    nextCheckAt?: Date | null;
    unknownSince?: Date | null;
    checks?: number;
  },
  now: Date,
): Promise<boolean> {
  const result = await tx
    .updateTable('order_items')
    .set({
      state: to,
      updated_at: now,
      next_check_at: set.nextCheckAt ?? null,
      ...(set.registrarOrderId === undefined ? {} : { registrar_order_id: set.registrarOrderId }),
      ...(set.publicError === undefined ? {} : { public_error: set.publicError }),
      ...(set.note === undefined ? {} : { outcome_note: set.note }),
      ...(set.unknownSince === undefined ? {} : { unknown_since: set.unknownSince }),
      ...(set.checks === undefined ? {} : { checks: set.checks }),
    })
    .where('id', '=', item.id)
    .where('state', 'in', [...from])
    // An attempt that was given up may answer late: it must not end a newer one.
    .where('attempt', '=', item.attempt)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The registrar did it: the hold becomes a payment and the portal owns the thing. */
export async function settleSucceeded(
  tx: Tx,
  act: Act,
  item: Item,
  result: ActResult,
  now: Date,
): Promise<boolean> {
  const moved = await move(
    tx,
    item,
    ['sending', 'unknown', 'pending', 'review'],
    'succeeded',
    {
      registrarOrderId: result.registrarOrderId,
      publicError: null,
      note: result.notes?.length ? result.notes.join(' ') : null,
    },
    now,
  );
  if (!moved) return false;
  await capture(tx, {
    organisationId: item.organisationId,
    itemId: item.id,
    costCents: item.costCents,
    actor: 'orders',
    text: `${labels[item.kind]} ${item.address}`,
  });
  await act.succeeded(tx, item, result, now);
  await finishOrder(tx, item, now);
  await enqueueJob(
    tx,
    'orders.after-success',
    { organisationId: item.organisationId, itemId: item.id },
    {
      key: `after:${item.id}`,
    },
  );
  return true;
}

/** The registrar did not and will not do it: the hold goes back. */
export async function settleDeclined(
  tx: Tx,
  act: Act,
  item: Item,
  reason: string,
  now: Date,
): Promise<boolean> {
  const moved = await move(tx, item, openStates, 'declined', { publicError: reason }, now);
  if (!moved) return false;
  await release(tx, {
    organisationId: item.organisationId,
    itemId: item.id,
    actor: 'orders',
    text: `${labels[item.kind]} ${item.address}: ${reason}`,
  });
  await act.declined?.(tx, item, reason, now);
  await finishOrder(tx, item, now);
  return true;
}

/** Accepted, but the effect comes later. */
export async function settlePending(
  tx: Tx,
  act: Act,
  item: Item,
  pending: { registrarOrderId: string | null; nextCheckAt: Date },
  now: Date,
): Promise<boolean> {
  const first = item.state !== 'pending';
  const moved = await move(
    tx,
    item,
    ['sending', 'unknown', 'pending'],
    'pending',
    {
      ...(pending.registrarOrderId ? { registrarOrderId: pending.registrarOrderId } : {}),
      nextCheckAt: pending.nextCheckAt,
      checks: item.checks + 1,
    },
    now,
  );
  if (moved && first) await act.started?.(tx, item, now);
  if (moved) await checkAt(tx, item, pending.nextCheckAt);
  return moved;
}

/** Nobody knows. The hold stays until the registrar has said what became of it. */
export async function settleUnknown(
  tx: Tx,
  item: Item,
  note: string,
  nextCheckAt: Date,
  now: Date,
): Promise<boolean> {
  const moved = await move(
    tx,
    item,
    ['sending', 'unknown', 'pending'],
    'unknown',
    { note, nextCheckAt, unknownSince: item.unknownSince ?? now, checks: item.checks + 1 },
    now,
  );
  if (moved) await checkAt(tx, item, nextCheckAt);
  return moved;
}

/** A person had a look: the registrar is asked again, as for any outcome that is not known. The hold stays. */
export function settleReopened(tx: Tx, item: Item, now: Date): Promise<boolean> {
  const unknownSince = item.unknownSince ?? now;
  return move(tx, item, ['review'], 'unknown', { nextCheckAt: now, unknownSince }, now);
}

/** Nothing happened and the same attempt may go again later, even if others took it for lost meanwhile. */
export async function settleBusy(
  tx: Tx,
  item: Item,
  note: string,
  nextCheckAt: Date,
  now: Date,
): Promise<boolean> {
  const moved = await move(
    tx,
    item,
    ['sending', 'unknown'],
    'queued',
    { note, nextCheckAt, unknownSince: null },
    now,
  );
  if (moved) await checkAt(tx, item, nextCheckAt);
  return moved;
}

/** A person has to look. The hold stays, operators are told. */
export async function settleReview(tx: Tx, item: Item, note: string, now: Date): Promise<boolean> {
  const moved = await move(tx, item, ['sending', 'unknown', 'pending'], 'review', { note }, now);
  if (moved) {
    await enqueueJob(tx, 'operator.alert', {
      kind: 'review',
      itemId: item.id,
      organisationId: item.organisationId,
      text: `${labels[item.kind]} ${item.address}: ${note}`,
    });
  }
  return moved;
}

/** An order ends with its last open item. */
async function finishOrder(tx: Tx, item: Item, now: Date): Promise<void> {
  // Locks the order first: of two items that end at once, the later one must see the earlier.
  await tx.selectFrom('orders').select('id').where('id', '=', item.orderId).forUpdate().execute();
  const states = await tx
    .selectFrom('order_items')
    .select('state')
    .where('order_id', '=', item.orderId)
    .execute();
  const open = states.some(({ state }) => (openStates as readonly string[]).includes(state));
  if (open) return;
  const succeeded = states.filter(({ state }) => state === 'succeeded').length;
  const state = succeeded === states.length ? 'settled' : succeeded === 0 ? 'failed' : 'partial';
  await tx
    .updateTable('orders')
    .set({ state, ended_at: now })
    .where('id', '=', item.orderId)
    .where('state', 'in', ['held', 'running'])
    .execute();
}

async function checkAt(tx: Tx, item: Item, at: Date): Promise<void> {
  await enqueueJob(
    tx,
    'orders.advance',
    { organisationId: item.organisationId, itemId: item.id },
    { key: `order-item:${item.id}`, runAt: at, maxAttempts: 5 },
  );
}

const labels = {
  domain: 'Registration of',
  renewal: 'Renewal of',
  redemption: 'Restoration of',
  transfer: 'Transfer of',
  certificate: 'Certificate for',
} as const;
