import type { ChangeCounts } from '#contracts/operations/changes.ts';
import { type ChangeState, mayAct } from '#contracts/values/changes.ts';

/** What is decided about a change as a whole, and about the attempts at one of its items. */

/** Where a change goes when nothing of it is left to be done by itself. */
export function endOf(
  counts: Pick<ChangeCounts, 'failed' | 'moved'>,
): Extract<ChangeState, 'done' | 'partly'> {
  return counts.failed + counts.moved > 0 ? 'partly' : 'done';
}

/**
 * Whether a change counts as undone when another one that took it back has ended. `left`: the domains that still have it. While
 * it is under way itself, as when it was tried again meanwhile, nobody knows that yet.
 */
export function isUndone(original: ChangeState, left: number): boolean {
  return left === 0 && mayAct(original, 'undo');
}

/** Nothing was changed, or it is not known whether: the same may be asked again. */
const transient: ReadonlySet<string> = new Set([
  'in_progress',
  'upstream_unavailable',
  'outcome_unknown',
  'rate_limited',
  'unavailable',
  'internal',
]);

const pausesMs = [2_000, 5_000, 15_000, 30_000, 60_000, 120_000] as const;

/** What becomes of an item whose attempt ended with this error; `attempts` counts it. Null: a person decides. */
export function nextTryMs(code: string, attempts: number, retryAfterSeconds = 0): number | null {
  const pauseMs = transient.has(code) ? pausesMs[attempts - 1] : undefined;
  return pauseMs === undefined ? null : Math.max(pauseMs, retryAfterSeconds * 1_000);
}
