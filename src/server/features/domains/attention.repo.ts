import { dayMs } from '#contracts/values/time.ts';
import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';
import { isStuck, stepsOf, type TransferTimes } from './transfer-steps.rules.ts';

interface Name {
  organisationId: string;
  id: string;
  address: string;
  customerId: string | null;
}

/** A failed transfer is shown for so long, or until the name is here or asked for again. */
const failedShownDays = 14;

/** Transfers to us: under way, and failed ones that nobody has ordered again. */
export function transferAttention(times: TransferTimes): AttentionSource<'transfer'> {
  return {
    cause: 'transfer',
    async present(tx, question) {
      const { now } = question;
      const since = new Date(now.getTime() - failedShownDays * dayMs);
      const { rows } = await sql<
        Name & {
          requestedAt: Date;
          registrarStatus: string | null;
          statusSince: Date | null;
          failedAt: Date | null;
          reason: string | null;
        }
      >`
        SELECT t.organisation_id AS "organisationId", t.id, t.address, t.customer_id AS "customerId",
          t.requested_at AS "requestedAt", t.registrar_status AS "registrarStatus",
          t.status_since AS "statusSince", t.failed_at AS "failedAt", t.reason
        FROM transfers t
        WHERE ${inQuestion('t.organisation_id', question)} AND t.completed_at IS NULL
          AND (t.failed_at IS NULL OR (t.failed_at > ${since}
            AND NOT EXISTS (SELECT FROM transfers n WHERE n.organisation_id = t.organisation_id
              AND n.address = t.address AND n.requested_at > t.requested_at)
            AND NOT EXISTS (SELECT FROM domains d WHERE d.organisation_id = t.organisation_id
              AND d.address = t.address AND d.status IN ('active', 'expired'))))`.execute(tx);
      return rows.map((row) => {
        const steps = stepsOf({ ...row, completedAt: null }, times);
        const current = steps.find(({ state }) => state === 'current');
        const expectedBy = current?.expectedBy ?? null;
        return {
          ...{ organisationId: row.organisationId, object: row.id, customerId: row.customerId },
          address: row.address,
          deadline: expectedBy === null ? null : new Date(expectedBy),
          facts: {
            state: row.failedAt ? ('failed' as const) : stateOf(current?.kind),
            ...{ late: isStuck(steps, now), reason: row.reason },
            at: (row.failedAt ?? row.requestedAt).toISOString(),
          },
        };
      });
    },
  };
}

const stateOf = (step: string | undefined) => (step === 'approval' ? 'approval' : 'release');

/** Registrants who have not confirmed their email address; not of what has left the account. */
export const registrantAttention: AttentionSource<'registrant'> = {
  cause: 'registrant',
  async present(tx, question) {
    const { rows } = await sql<Name & { verification: string; deadline: Date | null; bounced: boolean }>`
      SELECT organisation_id AS "organisationId", id, address, customer_id AS "customerId", verification,
        verification_deadline AS deadline, verification_bounced AS bounced
      FROM domains
      WHERE status <> 'ended' AND missing_since IS NULL AND verification IN ('waiting', 'suspended')
        AND ${inQuestion('organisation_id', question)}`.execute(tx);
    return rows.map(({ id, verification, bounced, ...row }) => ({
      ...{ ...row, object: id, facts: { suspended: verification === 'suspended', bounced } },
    }));
  },
};

/** Deleted names that the registry still gives back: as `restorableUntil` has it. */
export const restoreAttention: AttentionSource<'restore'> = {
  cause: 'restore',
  async present(tx, question) {
    const { rows } = await sql<Name & { until: Date }>`
      SELECT organisation_id AS "organisationId", id, address, customer_id AS "customerId", restorable_until AS until
      FROM domains
      WHERE status = 'expired' AND restorable_until > ${question.now}
        AND ${inQuestion('organisation_id', question)}`.execute(tx);
    return rows.map(({ id, until, ...row }) => ({
      ...{ ...row, object: id, deadline: until, facts: { until: until.toISOString() } },
    }));
  },
};
