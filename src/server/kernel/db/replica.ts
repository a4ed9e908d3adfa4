import { joined } from '../joined.ts';
import { answersOf, type Done, type Statement } from './batch.ts';
import { DatabaseSilent, isConnectionLoss } from './connection-loss.ts';
import { createPool } from './database.ts';
import { factsOf } from './login-check.ts';
import { loginFaults } from './login-rules.ts';
import { preparedName } from './prepared.ts';
import type { Answering, ReplicaSeen } from './replica.rules.ts';
import { hasOnePlan } from './shaped.ts';

/** A standby that answers for the primary. */
export interface Replica {
  /** Host and port. */
  name: string;
  /** The last look; null: it did not answer, or its login may do too much. */
  seen(): ReplicaSeen | null;
  look(): Promise<ReplicaSeen | null>;
  /** What is wrong with its login, as sentences that say what to do. */
  faults(): readonly string[];
  /** Does the statements there; throws when it does not answer soon, or not rightly. */
  read(organisationId: string, statements: readonly Statement[]): Promise<Reading>;
  end(): Promise<void>;
}

export interface Reading {
  /** What it was in front of the first statement. */
  found: Answering;
  answers: Done[];
  /** Up to where it had replayed the log behind the last one. */
  lsn: number;
}

const setting = 'DATABASE_READ_URL';
/** The primary is there: nobody waits longer for a replica than it takes to ask elsewhere. */
const connectMs = 1_000;
const lookMs = 1_500;
/** As long as the server lets a statement run, and a bit longer until it counts as silent. */
const statementMs = 10_000;
const silenceMs = 12_000;

const lookText = `SELECT pg_is_in_recovery() AS standby, (SELECT system_identifier FROM pg_control_system())::text AS system,
    (SELECT timeline FROM database_place) AS timeline,
    (pg_last_wal_replay_lsn() - '0/0')::bigint AS lsn`;
/** As a reading of the primary sets it (reading.ts), and a limit of its own. */
const setUp = `SELECT set_config('transaction_read_only', 'on', true), set_config('app.organisation', $1, true),
    set_config('statement_timeout', '${statementMs}', true)`;
const setUpList = `${setUp}, set_config('plan_cache_mode', 'force_generic_plan', true)`;
const before = `SELECT pg_is_in_recovery() AS standby, (SELECT timeline FROM database_place) AS timeline,
    (pg_last_wal_replay_lsn() - '0/0')::bigint AS lsn,
    coalesce((SELECT max(sequence) FROM audit_log WHERE organisation_id = $1::uuid), 0)::bigint AS entries`;
const behind = `SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint AS lsn`;

export function createReplica(options: {
  url: string;
  maxConnections: number;
  preparedStatements: boolean;
}): Replica {
  const { url, preparedStatements } = options;
  const common = { url, isReplica: true, connectMs } as const;
  const pool = createPool({ ...common, maxConnections: options.maxConnections, silenceMs });
  // A connection of its own: one whose connections are all busy is not one that is away.
  const lookPool = createPool({ ...common, maxConnections: 1, silenceMs: lookMs });
  /** Readings under way: they are given up when it turns out that it is away. */
  const underWay = new Set<(error: Error) => void>();
  let seen: ReplicaSeen | null = null;
  let isChecked = false;
  let faults: readonly string[] = [];

  const lookOnce = joined(
    async () => {
      try {
        if (!isChecked) {
          const facts = await factsOf(lookPool);
          // Migrations may be on their way here.
          faults = loginFaults({ ...facts, migrated: true }, 'tenants', setting);
          isChecked = faults.length === 0;
        }
        const { rows } = await lookPool.query<ReplicaSeen>(lookText);
        seen = faults.length === 0 ? (rows[0] ?? null) : null;
      } catch (error) {
        seen = null;
        isChecked = false;
        for (const giveUp of underWay) giveUp(error as Error);
      }
      return seen;
    },
    () => '',
  );

  async function read(organisationId: string, statements: readonly Statement[]): Promise<Reading> {
    const own = (text: string, values: readonly unknown[]): Statement => ({
      ...{ text, values },
      name: preparedStatements ? preparedName(text) : undefined,
    });
    const client = await pool.connect();
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => giveUp(new DatabaseSilent('The replica did not answer in time.')),
      silenceMs,
    );
    underWay.add(giveUp);
    let isBroken = false;
    try {
      const batch = [
        own(statements.every(({ text }) => hasOnePlan(text)) ? setUpList : setUp, [organisationId]),
        own(before, [organisationId]),
        ...statements,
        own(behind, []),
      ];
      const [, first, ...rest] = await Promise.race([answersOf(client, batch), givenUp]);
      const found = first?.rows[0] as Answering | undefined;
      const last = rest.pop()?.rows[0] as { lsn: number } | undefined;
      if (!found || !last) throw new Error('the replica did not say where it is');
      return { found, answers: rest, lsn: last.lsn };
    } catch (error) {
      isBroken = isConnectionLoss(error);
      throw error;
    } finally {
      clearTimeout(timer);
      underWay.delete(giveUp);
      client.release(isBroken);
    }
  }

  return {
    name: new URL(url).host,
    seen: () => seen,
    look: () => lookOnce(''),
    faults: () => faults,
    read,
    end: async () => {
      await Promise.all([pool.end(), lookPool.end()]);
    },
  };
}
