import { dayMs } from '#contracts/values/time.ts';
import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';

/** A payer who has not confirmed by then has gone away; an automatic one is not forgotten as fast. */
const manualShownMs = dayMs;
const automaticShownMs = 60 * manualShownMs;

/** Top-ups that wait for the payer, and automatic ones that were declined and that no later one has made up for. */
export const paymentAttention: AttentionSource<'payment'> = {
  cause: 'payment',
  async present(tx, question) {
    const ago = (ms: number) => new Date(question.now.getTime() - ms);
    const { rows } = await sql<{
      organisationId: string;
      id: string;
      cents: number;
      state: 'requires_action' | 'failed';
      at: Date;
    }>`
      SELECT t.organisation_id AS "organisationId", t.id, t.cents, t.state, t.updated_at AS at
      FROM topups t
      WHERE ${inQuestion('t.organisation_id', question)}
        AND ((t.kind <> 'auto' AND t.state = 'requires_action' AND t.updated_at > ${ago(manualShownMs)})
          OR (t.kind = 'auto' AND t.state IN ('failed', 'requires_action') AND t.updated_at > ${ago(automaticShownMs)}))
        AND NOT EXISTS (SELECT FROM topups l WHERE l.organisation_id = t.organisation_id
          AND l.created_at > t.created_at AND (l.kind = 'auto' OR l.state IN ('succeeded', 'processing')))`.execute(
      tx,
    );
    return rows.map(({ organisationId, id, cents, state, at }) => ({
      ...{ organisationId, object: id, customerId: null, address: null, deadline: null },
      facts: {
        ...{ topUpId: id, cents, at: at.toISOString() },
        waits: state === 'requires_action' ? ('person' as const) : ('declined' as const),
      },
    }));
  },
};
