import type { Tx } from '#kernel/db/database.ts';
import type { TopupState } from '#kernel/db/schema.ts';
import type { Payment } from '../../ports/payments.ts';

/** Later states outrank earlier ones: an event that arrives late changes nothing (design: top-ups). */
const ranks: Record<TopupState, number> = {
  requested: 0,
  requires_action: 1,
  processing: 2,
  failed: 3,
  cancelled: 3,
  succeeded: 4,
  reversed: 5,
};

export const rankOf = (state: TopupState): number => ranks[state];

/** What a payment, as read from the provider, means for its top-up. */
export function stateOf(payment: Payment): TopupState {
  if (payment.state === 'succeeded') return payment.reversedCents > 0 ? 'reversed' : 'succeeded';
  if (payment.state === 'processing') return 'processing';
  if (payment.state === 'cancelled') return 'cancelled';
  if (payment.state === 'requires_action') return 'requires_action';
  return payment.failure ? 'failed' : 'requested';
}

export interface NewTopup {
  id: string;
  organisationId: string;
  userId: string | null;
  kind: 'manual' | 'initial' | 'auto';
  cents: number;
}

/** Intent before act: the row exists before the provider hears of it. */
export async function insertTopup(tx: Tx, topup: NewTopup): Promise<void> {
  await tx
    .insertInto('topups')
    .values({
      id: topup.id,
      organisation_id: topup.organisationId,
      user_id: topup.userId,
      kind: topup.kind,
      cents: topup.cents,
      state: 'requested',
    })
    .execute();
}

export function lockTopup(tx: Tx, id: string) {
  return tx.selectFrom('topups').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export function findTopup(tx: Tx, organisationId: string, id: string) {
  return tx
    .selectFrom('topups')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Raised by each change; undefined for a top-up that does not exist. */
export async function versionOf(tx: Tx, id: string): Promise<number | undefined> {
  const row = await tx.selectFrom('topups').select('version').where('id', '=', id).executeTakeFirst();
  return row?.version;
}
