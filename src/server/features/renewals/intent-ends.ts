import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { considerTopUp } from '../../ledger/auto-balance.ts';
import { conclusionOf, type Unable, unableChange } from './auto-renew.rules.ts';
import { type Intent, itemOfOrder, moveIntent, type Place } from './renewals.repo.ts';

/** A letter tells of all that could not be renewed in one go. */
const gatherMs = 60_000;

/** Takes over what the order engine made of the item. */
export async function conclude(tx: Tx, place: Place, intent: Intent, now: Date): Promise<void> {
  const item = intent.order_id ? await itemOfOrder(tx, place, intent.order_id) : undefined;
  const conclusion = conclusionOf(item);
  if (conclusion === null) return;
  if (conclusion === 'done') {
    const change = { state: 'done' as const, reason: null, reason_kind: null, updated_at: now };
    await moveIntent(tx, intent, ['ordered'], change);
    return;
  }
  await unable(tx, intent, { kind: 'refused', reason: conclusion.refused }, now);
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
