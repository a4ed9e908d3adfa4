import { expect, test } from 'vitest';
import { errorTable } from '#contracts/errors.ts';
import { changeStates } from '#contracts/values/changes.ts';
import { endOf, isUndone, nextTryMs } from './changes.rules.ts';

test('a change is done when nothing failed and nothing moved', () => {
  expect(endOf({ failed: 0, moved: 0 })).toBe('done');
  expect(endOf({ failed: 1, moved: 0 })).toBe('partly');
  expect(endOf({ failed: 0, moved: 1 })).toBe('partly');
});

test('a change is undone when no domain has it any more, and not while it is being tried again', () => {
  expect(changeStates.filter((state) => isUndone(state, 0))).toEqual(['done', 'partly', 'cancelled']);
  expect(changeStates.filter((state) => isUndone(state, 1))).toEqual([]);
});

test('what may pass by itself is tried six times, later and later; anything else waits for a person', () => {
  const pauses = [1, 2, 3, 4, 5, 6].map((attempts) => nextTryMs('upstream_unavailable', attempts));
  expect(pauses).toEqual([2_000, 5_000, 15_000, 30_000, 60_000, 120_000]);
  expect(nextTryMs('upstream_unavailable', 7)).toBeNull();
  expect(nextTryMs('registrar_refused', 1)).toBeNull();
  expect([nextTryMs('in_progress', 1, 90), nextTryMs('in_progress', 6, 90)]).toEqual([90_000, 120_000]);
  expect([nextTryMs('in_progress', 7, 90), nextTryMs('forbidden', 1, 90)]).toEqual([null, null]);
});

test('only what may be otherwise the next time is tried again', () => {
  const codes = Object.keys(errorTable).filter((code) => nextTryMs(code, 1) !== null);
  expect(codes.sort()).toEqual([
    ...['in_progress', 'internal', 'outcome_unknown', 'rate_limited', 'unavailable', 'upstream_unavailable'],
  ]);
});
