import { type OpenItemState, openItemStates } from '#contracts/values/order-states.ts';
import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { capture, release } from '../../ledger/ledger.ts';
import type { Act } from './act.ts';
import { orderStateOf, type Verdict } from './engine.rules.ts';
import type { Item } from './item.ts';
import { endOrder, lockedStates, moveItem } from './items.repo.ts';

/**
 * The transitions of an item (design: order engine). Each is one conditional update; money and the portal's copy
 * move in the same transaction, and only when exactly that one row changed. Returns whether it did.
 */

type ItemState = Item['state'];
type VerdictTo<To extends Verdict['to']> = Extract<Verdict, { to: To }>;

/** The states that an item may come from. What is queued was not sent; what is in review ends, or a person reopens it. */
const from: Record<Verdict['to'], readonly OpenItemState[]> = {
  succeeded: ['sending', 'unknown', 'pending', 'review'],
  declined: openItemStates,
  pending: ['sending', 'unknown', 'pending'],
  // The same attempt may go again later, even if others took it for lost meanwhile.
  queued: ['sending', 'unknown'],
  unknown: ['sending', 'unknown', 'pending'],
  review: ['sending', 'unknown', 'pending'],
};

const labels = {
  domain: 'Registration of',
  renewal: 'Renewal of',
  redemption: 'Restoration of',
  transfer: 'Transfer of',
  certificate: 'Certificate for',
} as const;

const labelOf = (item: Item) => `${labels[item.kind]} ${item.address}`;

/** Carries a verdict out. */
export function settle(tx: Tx, act: Act, item: Item, verdict: Verdict, now: Date): Promise<boolean> {
  switch (verdict.to) {
    case 'succeeded':
      return succeed(tx, act, item, verdict, now);
    case 'declined':
      return decline(tx, act, item, verdict, now);
    case 'pending':
      return wait(tx, act, item, verdict, now);
    case 'queued':
    case 'unknown':
      return lookAgainLater(tx, item, verdict, now);
    case 'review':
      return review(tx, item, verdict, now);
  }
}

/** A person had a look: the registrar is asked again, as for any outcome that is not known. The hold stays. */
export function reopen(tx: Tx, item: Item, now: Date): Promise<boolean> {
  const unknownSince = item.unknownSince ?? now;
  return moveItem(tx, item, ['review'], { to: 'unknown', now, nextCheckAt: now, unknownSince });
}

/** The registrar did it: the hold becomes a payment and the portal owns the thing. */
async function succeed(tx: Tx, act: Act, item: Item, { to, result }: VerdictTo<'succeeded'>, now: Date) {
  const { organisationId } = item;
  const moved = await moveItem(tx, item, from[to], {
    to,
    now,
    registrarOrderId: result.registrarOrderId,
    publicError: null,
    note: result.notes?.length ? result.notes.join(' ') : null,
  });
  if (!moved) return false;
  const { id: itemId, costCents } = item;
  await act.succeeded(tx, item, result, now);
  // Whether an end customer was charged for it is known to the payment provider alone.
  if (!item.details.adopted)
    await enqueueJob(tx, 'orders.after-success', { organisationId, itemId }, { key: `after:${itemId}` });
  const entry = { organisationId, itemId, costCents, actor: 'orders', text: labelOf(item) };
  await finishOrder(tx, item, now, (before) => capture(tx, entry, before));
  return true;
}

/** The registrar did not and will not do it: the hold goes back. */
async function decline(tx: Tx, act: Act, item: Item, { to, reason }: VerdictTo<'declined'>, now: Date) {
  const moved = await moveItem(tx, item, from[to], { to, now, publicError: reason });
  if (!moved) return false;
  const { organisationId, id: itemId } = item;
  await act.declined?.(tx, item, reason, now);
  const entry = { organisationId, itemId, actor: 'orders', text: `${labelOf(item)}: ${reason}` };
  await finishOrder(tx, item, now, (before) => release(tx, entry, before));
  return true;
}

/** Accepted, but the effect comes later. */
async function wait(tx: Tx, act: Act, item: Item, verdict: VerdictTo<'pending'>, now: Date) {
  const { to, registrarOrderId, afterMs } = verdict;
  const nextCheckAt = new Date(now.getTime() + afterMs);
  const moved = await moveItem(tx, item, from[to], {
    to,
    now,
    ...(registrarOrderId ? { registrarOrderId } : {}),
    nextCheckAt,
    checks: item.checks + 1,
  });
  if (!moved) return false;
  if (item.state !== 'pending') await act.started?.(tx, item, now);
  await checkAt(tx, item, nextCheckAt);
  return true;
}

/** Not sent, or nobody knows. The hold stays until the registrar has said what became of it. */
async function lookAgainLater(tx: Tx, item: Item, verdict: VerdictTo<'queued' | 'unknown'>, now: Date) {
  const { to, note, afterMs } = verdict;
  const nextCheckAt = new Date(now.getTime() + afterMs);
  const moved = await moveItem(tx, item, from[to], {
    to,
    now,
    note,
    nextCheckAt,
    ...sinceBy(verdict, item, now),
  });
  if (moved) await checkAt(tx, item, nextCheckAt);
  return moved;
}

function sinceBy(verdict: VerdictTo<'queued' | 'unknown'>, item: Item, now: Date) {
  if (verdict.to === 'queued') return { unknownSince: null };
  return verdict.fromNow
    ? { unknownSince: now, checks: 1 }
    : { unknownSince: item.unknownSince ?? now, checks: item.checks + 1 };
}

/** A person has to look. The hold stays, operators hear of it. */
async function review(tx: Tx, item: Item, { to, note, registrarOrderId }: VerdictTo<'review'>, now: Date) {
  const order = registrarOrderId ? { registrarOrderId } : {};
  const moved = await moveItem(tx, item, from[to], { to, now, note, ...order });
  if (!moved) return false;
  const about = { itemId: item.id, organisationId: item.organisationId };
  await enqueueJob(tx, 'operator.alert', { kind: 'review', ...about, text: `${labelOf(item)}: ${note}` });
  return true;
}

/**
 * Moves the item's money, and ends the order with its last open item. Each locks a row, of the order and of the wallet, for which the
 * other items of the order wait: so both come last, in one round trip, with the hold ended and all else written before.
 */
async function finishOrder(
  tx: Tx,
  item: Item,
  now: Date,
  moveMoney: (before: () => Promise<ItemState[]>) => Promise<ItemState[] | undefined>,
): Promise<void> {
  const states = await moveMoney(() => lockedStates(tx, item.orderId));
  if (!states) throw new Error('money moved before the order was locked');
  const state = orderStateOf(states);
  if (state) await endOrder(tx, item.orderId, state, now);
}

async function checkAt(tx: Tx, item: Item, at: Date): Promise<void> {
  await enqueueJob(
    tx,
    'orders.advance',
    { organisationId: item.organisationId, itemId: item.id },
    { key: `order-item:${item.id}`, runAt: at, maxAttempts: 5 },
  );
}
