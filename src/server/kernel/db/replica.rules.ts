import type { Position } from '#contracts/values/position.ts';

/** The primary at one look. */
export interface PrimarySeen extends Position {
  /** By the clock of this process, in milliseconds. */
  at: number;
  /** The number that a cluster of PostgreSQL has from its birth; its standbys have the same. */
  system: string;
}

/** A replica at one look. */
export interface ReplicaSeen {
  /** false: it was promoted, or was never a standby. */
  standby: boolean;
  system: string;
  /** That which the portal's processes have noted in the data: a server that follows no more does not have the present one. */
  timeline: string | null;
  /** Up to where it has replayed the log; null: it replays none. */
  lsn: number | null;
}

/** Why nothing is read of a replica for a while. */
export const replicaFaults = ['away', 'promoted', 'elsewhere', 'timeline', 'lag'] as const;
export type ReplicaFault = (typeof replicaFaults)[number];

/** A look at the primary that is older than this says nothing of now. */
const primaryKnownMs = 5_000;

/**
 * Whether a replica may serve at all. `seen` is null while it does not answer, `looks` are those at the primary in their order.
 */
export function faultOf(
  seen: ReplicaSeen | null,
  looks: readonly PrimarySeen[],
  limits: { now: number; mostLagMs: number },
): ReplicaFault | null {
  const primary = looks.at(-1);
  if (!seen || !primary || limits.now - primary.at > primaryKnownMs) return 'away';
  if (seen.system !== primary.system) return 'elsewhere';
  if (!seen.standby || seen.lsn === null) return 'promoted';
  if (seen.timeline !== primary.timeline) return 'timeline';
  return lagOf(seen.lsn, looks, limits.now) > limits.mostLagMs ? 'lag' : null;
}

/** How long ago the primary first had what the replica does not: no clock of a server is asked. */
export function lagOf(lsn: number, looks: readonly PrimarySeen[], now: number): number {
  const missed = looks.find((look) => look.lsn > lsn);
  return missed ? now - missed.at : 0;
}

/** The looks that are still needed. Places on another timeline cannot be compared. */
export function keptLooks(
  looks: readonly PrimarySeen[],
  next: PrimarySeen,
  mostLagMs: number,
): PrimarySeen[] {
  const same = looks.filter(({ timeline, system }) => timeline === next.timeline && system === next.system);
  const since = next.at - 2 * mostLagMs;
  return [...same.filter(({ at }) => at >= since), next];
}

/** What a replica must have before it answers a caller. */
export interface Needed extends Position {
  /** How many entries the organization's audit log has: each change of it adds one, also those of jobs. */
  entries: number;
}

/**
 * @param shown what the caller says that it was last shown; null: it does not say, and gets everything until now
 * @param now the primary at this moment
 */
export function neededOf(shown: Position | null, now: Needed): Needed {
  // A place on another timeline, or one that nobody has reached yet, says nothing of this one.
  const known = shown?.timeline === now.timeline ? Math.min(shown.lsn, now.lsn) : now.lsn;
  return { ...now, lsn: known };
}

/** What a replica said of itself in front of its rows. */
export interface Answering extends Omit<ReplicaSeen, 'system'> {
  entries: number;
}

/** Whether what it read may be shown: the server behind an address may be another one than at the last look. */
export function isEnough(found: Answering, needed: Needed): boolean {
  return (
    found.standby &&
    found.timeline === needed.timeline &&
    found.lsn !== null &&
    found.lsn >= needed.lsn &&
    found.entries >= needed.entries
  );
}
