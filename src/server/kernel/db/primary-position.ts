import type { Position } from '#contracts/values/position.ts';
import { joined } from '../joined.ts';
import { answersOf } from './batch.ts';
import { createPool } from './database.ts';
import type { Needed, PrimarySeen } from './replica.rules.ts';

/** How far the primary is. */
export interface PrimaryPosition {
  /** Of all that is committed and can be seen. Those who ask together are answered together. */
  now(): Promise<Position>;
  /** The same, and how far the organization is on it. */
  neededNow(organisationId: string): Promise<Needed>;
  look(): Promise<PrimarySeen>;
  end(): Promise<void>;
}

/** What is committed and can be seen is before it; without synchronous commits it may not have been flushed. */
const present = `left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
    ((CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
      ELSE pg_current_wal_flush_lsn() END) - '0/0')::bigint AS lsn`;

/** @param url of the login of tenants' work */
export function createPrimaryPosition(url: string): PrimaryPosition {
  const pool = createPool({ url, maxConnections: 4, silenceMs: 5_000, isOwn: true });

  const now = joined(
    async (_: string) => {
      const { rows } = await pool.query<Position>(`SELECT ${present}`);
      return rows[0] ?? neverSaid();
    },
    () => '',
  );

  const neededNow = joined(
    async (organisationId: string) => {
      const client = await pool.connect();
      let isBroken = true;
      try {
        const [, answer] = await answersOf(client, [
          { text: "SELECT set_config('app.organisation', $1, true)", values: [organisationId] },
          {
            text: `SELECT ${present},
              coalesce((SELECT max(sequence) FROM audit_log WHERE organisation_id = $1::uuid), 0)::bigint AS entries`,
            values: [organisationId],
          },
        ]);
        isBroken = false;
        return (answer?.rows[0] as Needed | undefined) ?? neverSaid();
      } finally {
        client.release(isBroken);
      }
    },
    (organisationId) => organisationId,
  );

  async function look(): Promise<PrimarySeen> {
    const { rows } = await pool.query<Omit<PrimarySeen, 'at'>>(
      `SELECT ${present}, (SELECT system_identifier FROM pg_control_system())::text AS system`,
    );
    return { ...(rows[0] ?? neverSaid()), at: performance.now() };
  }

  return { now: () => now(''), neededNow, look, end: () => pool.end() };
}

function neverSaid(): never {
  throw new Error('the database did not say how far it is');
}
