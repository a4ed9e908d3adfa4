import { joined } from '../joined.ts';
import { type Db, sql } from './database.ts';

/** Which database this is. A copy of it, wherever and however it was made, differs in at least one part. */
export interface Place {
  /** Server, database and a table of it: loading a dump gives the table another number. */
  database: string;
  /** Of the write-ahead log: each promotion, and each recovery to a moment, begins another. */
  timeline: string;
}

/** What was seen at one look. */
export interface SeenPlace {
  found: Place;
  /** null: no process has noted it yet. */
  noted: Place | null;
  /** What was committed until then is in the database. */
  notedAt: Date | null;
  /** Registrar and payment provider are being compared with the database: nothing is sent. */
  held: boolean;
}

/** Why the database may know less than its processes once did; null: it is the one that they noted. */
export function changeOf(
  { found, noted }: Pick<SeenPlace, 'found' | 'noted'>,
  { losslessPromotions }: { losslessPromotions: boolean },
): 'elsewhere' | 'promoted' | null {
  if (!noted) return null;
  if (noted.database !== found.database) return 'elsewhere';
  if (noted.timeline !== found.timeline) return losslessPromotions ? null : 'promoted';
  return null;
}

/**
 * One statement. The timeline is that of the next commit: the control file may say the former one for a while. `ended` is a
 * value, because a statement without values is planned again each time, and planning this one takes three times as long as
 * doing it.
 */
export async function seePlace(db: Db): Promise<SeenPlace> {
  const { rows } = await sql<{
    database: string;
    timeline: string;
    notedDatabase: string | null;
    notedTimeline: string | null;
    notedAt: Date | null;
    held: boolean;
  }>`SELECT
      (SELECT system_identifier FROM pg_control_system()) || '.'
        || (SELECT oid FROM pg_database WHERE datname = current_database()) || '.'
        || 'public.database_place'::regclass::oid AS database,
      left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
      p.database AS "notedDatabase", p.timeline AS "notedTimeline", p.seen_at AS "notedAt",
      EXISTS (SELECT FROM recoveries WHERE state <> ${'ended'}) AS held
    FROM (SELECT) AS one LEFT JOIN database_place p ON true`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database did not say which one it is');
  const { database, timeline, notedDatabase, notedTimeline, notedAt, held } = row;
  const noted =
    notedDatabase !== null && notedTimeline !== null
      ? { database: notedDatabase, timeline: notedTimeline }
      : null;
  return { found: { database, timeline }, noted, notedAt, held };
}

export interface Gate {
  /** Whether anything may be sent to the outside world, asked of the database at this moment. */
  mayAct(): Promise<boolean>;
  /** What the last look said. */
  isHeld(): boolean;
  look(): Promise<SeenPlace>;
}

/**
 * Before each outside write: is this the database that we know, and is nothing being compared? Behind a pooler a process
 * does not notice that the server was another one. Those who ask at the same time share a look, which begins after they have asked.
 */
export function createGate(db: Db, options: { losslessPromotions: boolean }): Gate {
  let held = false;
  const look = joined(
    async () => {
      const seen = await seePlace(db);
      held = seen.held || changeOf(seen, options) !== null;
      return seen;
    },
    () => 'place',
  );
  return {
    look: () => look(undefined),
    isHeld: () => held,
    mayAct: async () => {
      await look(undefined);
      return !held;
    },
  };
}
