import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { considerTopUp } from '../../ledger/auto-balance.ts';
import { conclusionOf, stepOf, type Unable, unableChange } from './auto-renew.rules.ts';
import { type Intent, itemOfOrder, lockedIntent, moveIntent, type Place } from './renewals.repo.ts';

/** A letter tells of all that could not be renewed in one go. */
const gatherMs = 60_000;

/** Takes over what the order engine made of the item. What is not due any more is not tried again: nobody is told that it is. */
export async function conclude(
  tx: Tx,
  place: Place,
  intent: Intent,
  { now, due = true }: { now: Date; due?: boolean },
): Promise<void> {
  const item = intent.order_id ? await itemOfOrder(tx, place, intent.order_id) : undefined;
  const conclusion = conclusionOf(item);
  if (conclusion === null) return;
  if (conclusion === 'done') {
    const change = { state: 'done' as const, reason: null, reason_kind: null, updated_at: now };
    await moveIntent(tx, intent, ['ordered'], change);
    return;
  }
  if (due) return unable(tx, intent, { kind: 'refused', reason: conclusion.refused }, now);
  await moveIntent(tx, intent, ['ordered'], { state: 'dropped', updated_at: now });
}

/** Of what is not due any more: auto renew was turned off, for one, after the renewal was ordered. What became of that counts. */
export async function takeOutcome(tx: Tx, place: Place, expiresAt: Date, now: Date): Promise<void> {
  const intent = await lockedIntent(tx, place, expiresAt.getUTCFullYear());
  if (intent && stepOf(intent, now) === 'conclude') await conclude(tx, place, intent, { now, due: false });
}

/** The renewal did not come about: a letter tells of it, and a short balance may be topped up. */
export async function unable(
  tx: Tx,
  intent: Intent,
  why: Unable,
  now: Date,
  from: readonly Intent['state'][] = ['intended', 'ordered'],
): Promise<void> {
  const { organisation_id: organisationId } = intent;
  const moved = await moveIntent(tx, intent, from, unableChange(intent, why, now));
  if (!moved) return;
  const runAt = new Date(now.getTime() + gatherMs);
  await enqueueJob(
    tx,
    'renewals.tell-unable',
    { organisationId },
    { key: `tell-unable:${organisationId}`, runAt },
  );
  if (why.kind === 'funds') await considerTopUp(tx, organisationId);
}
