import { type Clock, systemClock } from '../clock.ts';
import { type RawBuilder, sql, type Tx } from './database.ts';

/**
 * The present moment for what processes compare with each other: claims, leases, how long an outcome has been unknown. It
 * is the database's, so that no process's clock matters (docs/decisions/0110). A simulation owns time: its clock is the
 * database's, too.
 */
export function sharedNow(clock: Clock): RawBuilder<Date> {
  return clock === systemClock ? sql<Date>`clock_timestamp()` : sql<Date>`${clock.now()}::timestamptz`;
}

/** Reads it, for what is written with it more than once. */
export async function readSharedNow(tx: Tx, clock: Clock): Promise<Date> {
  if (clock !== systemClock) return clock.now();
  const { rows } = await sql<{ now: Date }>`SELECT ${sharedNow(clock)} AS now`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('the database did not say what time it is');
  return row.now;
}

/** What is left of `limitMs` since the moment in a column, in milliseconds. */
export function leftMsOf(clock: Clock, since: RawBuilder<unknown>, limitMs: number): RawBuilder<number> {
  return sql<number>`(${limitMs} - extract(epoch from ${sharedNow(clock)} - ${since}) * 1000)::float8`;
}
