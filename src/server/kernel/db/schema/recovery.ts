import type { Generated } from 'kysely';

/** Which database this is, and what was done when it was another one. */

export interface DatabasePlaceTable {
  only_one: Generated<boolean>;
  database: string;
  timeline: string;
  seen_at: Date;
}

export type RecoveryReason = 'elsewhere' | 'promoted' | 'asked';
type RecoveryStep = 'payments' | 'names' | 'certificates' | 'zones';
export type RecoveryState = 'running' | 'waiting' | 'ended';

export interface RecoveriesTable {
  id: string;
  reason: RecoveryReason;
  since: Date;
  state: RecoveryState;
  step: Generated<RecoveryStep>;
  done: Generated<number>;
  total: number | null;
  hindrance: string | null;
  holder: string | null;
  held_until: Date | null;
  started_at: Date;
  ended_at: Date | null;
}

export interface RecoveryFindingsTable {
  id: string;
  recovery_id: string;
  kind: string;
  subject: string;
  organisation_id: string | null;
  text: string;
  needs_person: boolean;
  found_at: Date;
  settled_at: Date | null;
}
