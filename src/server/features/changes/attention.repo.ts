import type { AttentionFacts } from '#contracts/values/attention.ts';
import { minuteMs } from '#contracts/values/time.ts';
import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';

/** Somebody who has just described a change is looking at it. */
const lookedAtMs = 10 * minuteMs;

/** Changes that are done in part, paused, or ready for a while. */
export const changeAttention: AttentionSource<'change'> = {
  cause: 'change',
  async present(tx, question) {
    const since = new Date(question.now.getTime() - lookedAtMs);
    const { rows } = await sql<Omit<AttentionFacts['change'], 'at'> & { organisationId: string; at: Date }>`
      SELECT c.organisation_id AS "organisationId", c.id AS "changeId", c.title, c.state, c.note,
        coalesce(c.ended_at, c.started_at, c.looked_at, c.created_at) AS at,
        (SELECT count(*)::int FROM change_items i WHERE i.change_id = c.id
          AND i.state IN ('ready', 'queued', 'applying', 'failed', 'moved')) AS left
      FROM changes c
      WHERE (c.state IN ('paused', 'partly') OR c.state = 'ready' AND c.looked_at <= ${since})
        AND ${inQuestion('c.organisation_id', question)}`.execute(tx);
    return rows
      .filter(({ state, left }) => state !== 'ready' || left > 0)
      .map(({ organisationId, at, ...facts }) => ({
        ...{ organisationId, object: facts.changeId, customerId: null, address: null, deadline: null },
        facts: { ...facts, at: at.toISOString() },
      }));
  },
};
