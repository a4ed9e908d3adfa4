import type { LifePeriods } from '#contracts/values/domain-life.ts';
import { dayMs } from '#contracts/values/time.ts';

/** Until when a deleted domain can be had back; null: it is not deleted, or it is too late. */
export function restorableUntil(
  row: { status: string; restorable_until: Date | null },
  now: Date,
): Date | null {
  if (row.status !== 'expired' || !row.restorable_until || row.restorable_until <= now) return null;
  return row.restorable_until;
}

/**
 * The registrar does not have the name any more. Behind the end of its grace that is the deletion that was to come, also
 * when nobody has told of it: the registry gives it back until then. null: nobody expected it, a person has to look.
 */
function expectedDeletion(
  expiresAt: Date | null,
  periods: Pick<LifePeriods, 'graceDays' | 'redemptionDays'>,
  now: Date,
): Date | null {
  if (!expiresAt) return null;
  const graceEndsMs = expiresAt.getTime() + periods.graceDays * dayMs;
  return now.getTime() >= graceEndsMs ? new Date(graceEndsMs + periods.redemptionDays * dayMs) : null;
}

/**
 * The registrar does not have the name: until when it can be had back. The registrar's own word goes first. A name that was missing
 * before its deletion was due is not a deleted one. null: nobody expected it, or it is too late.
 */
export function deletedUntil(
  known: { expires_at: Date | null; restorable_until: Date | null; missing_since: Date | null },
  periods: Pick<LifePeriods, 'graceDays' | 'redemptionDays'>,
  now: Date,
): Date | null {
  const expected = known.missing_since ? null : expectedDeletion(known.expires_at, periods, now);
  const until = known.restorable_until ?? expected;
  return until && until > now ? until : null;
}
