import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import type { RowClaim } from '#kernel/db/claims.ts';
import type { Tx } from '#kernel/db/database.ts';
import { type BilledCustomer, findBilledCustomer } from '../customers/index.ts';
import { paymentAccountOf } from './account.repo.ts';
import { chargeable } from './charge-lines.ts';
import {
  addToCharge,
  type Charge,
  chargeAt,
  claimCharge,
  findCharge,
  isStillOpen,
  isStopped,
  justConfirmed,
  type UnreadPayment,
  unreadPayments,
} from './charges.repo.ts';
import { isCollecting, lookAgainAt, sameMomentSince } from './charges.rules.ts';

export interface ChargeRef {
  organisationId: string;
  chargeId: string;
}

export interface Taken {
  charge: Charge;
  customer: BilledCustomer;
  account: { id: string; ready: boolean } | null;
  /** By a dispute of the customer, as this is written. One that comes later stops it before the wire. */
  stopped: boolean;
  /** The first to try this attempt; otherwise the answer of another process may be lost. */
  fresh: boolean;
}

/** The charge to send now, claimed; null when there is none, or it waits. `unread`: what has to be read before. */
export async function takeCharge(
  tx: Tx,
  { organisationId, chargeId }: ChargeRef,
  claim: RowClaim,
  now: Date,
): Promise<Taken | { unread: UnreadPayment[] } | null> {
  const before = await findCharge(tx, chargeId);
  if (!before) return null;
  const unread = await unreadPayments(tx, before.customer_id);
  if (unread.length > 0) return { unread };
  if (before.state === 'collecting') {
    if (await waitsForMore(tx, before, now)) return null;
    await gather(tx, before, now);
  }
  const claimed = await claimCharge(tx, chargeId, now);
  const charge = claimed ?? (before.state === 'sending' ? before : null);
  if (!charge) return null;
  // From here on, the previous holder, who may be paused, has lost the claim.
  await claim.take(tx);
  const customer = await findBilledCustomer(tx, { id: charge.customer_id });
  const account = await paymentAccountOf(tx, organisationId);
  const stopped = await isStopped(tx, charge.customer_id);
  if (claimed) await logTry(tx, claimed, now);
  return customer ? { charge, customer, account, stopped, fresh: claimed !== null } : null;
}

/** Looks again soon when items of the purchase are still open. */
async function waitsForMore(tx: Tx, charge: Charge, now: Date): Promise<boolean> {
  if (!isCollecting(charge.created_at, now) || !(await isStillOpen(tx, charge))) return false;
  await chargeAt(tx, { id: charge.id, organisationId: charge.organisation_id }, lookAgainAt(now));
  return true;
}

/** Each try has its entry, written before the provider is asked. */
function logTry(tx: Tx, charge: Charge, at: Date): Promise<void> {
  const { action, actor } = jobActions['direct-billing.charge'];
  const job = { organisationId: charge.organisation_id, userId: null, email: actor, ip: null };
  return audit(tx, job, {
    ...{ at, action, objectKind: 'direct-charge', object: charge.id, customerId: charge.customer_id },
    after: { cents: charge.cents, try: charge.attempt, order: charge.order_id },
  });
}

/** What was confirmed in the same moment, and whose own job has not come yet, goes with it. */
async function gather(tx: Tx, charge: Charge, now: Date): Promise<void> {
  const organisationId = charge.organisation_id;
  for (const itemId of await justConfirmed(tx, charge, sameMomentSince(now))) {
    const item = await chargeable(tx, itemId);
    const id = item && (await addToCharge(tx, organisationId, item, now));
    if (id && id !== charge.id) await chargeAt(tx, { id, organisationId }, now);
  }
}
