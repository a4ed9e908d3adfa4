import { expect, test } from 'vitest';
import type { Change } from '#contracts/operations/changes.ts';
import { changeStates } from '#contracts/values/changes.ts';
import {
  differenceText,
  domainsText,
  isMoving,
  mayHaveChanged,
  offersUndo,
  placeText,
  presentStep,
  progressOf,
  undoTexts,
} from './change-words.ts';

const startedAt = '2026-11-25T12:00:00.000Z';
const of = (state: Change['state'], counts: Partial<Change['counts']> = {}) =>
  ({ state, startedAt, counts: { done: 0, applying: 0, ...counts } }) as Change;

test('a change moves while it is under way, and while what was begun before its end is being sent', () => {
  expect(isMoving(of('running'))).toBe(true);
  expect(isMoving(of('draft'))).toBe(true);
  expect(isMoving(of('cancelled', { applying: 1 }))).toBe(true);
  expect(isMoving(of('cancelled'))).toBe(false);
  expect(isMoving(of('ready'))).toBe(false);
});

test('domains may be others once more of them are done, and when the change comes to its end', () => {
  const running = of('running', { done: 1, applying: 1 });
  expect(mayHaveChanged(running, running)).toBe(false);
  expect(mayHaveChanged(running, of('running', { done: 2, applying: 1 }))).toBe(true);
  expect(mayHaveChanged(of('running'), of('partly'))).toBe(true);
  expect(mayHaveChanged(of('cancelled', { applying: 1 }), of('cancelled'))).toBe(true);
  expect(mayHaveChanged(of('draft'), { ...of('ready'), startedAt: null })).toBe(false);
});

test('an undo is offered while none is on its way, and again where the last one has left domains out', () => {
  const offered = (state: Change['state'], more: Partial<Change> = {}, counts = {}) =>
    offersUndo({ ...of(state, { done: 200, ...counts }), undoneBy: null, leftByUndo: null, ...more });
  expect(offered('done')).toBe(true);
  expect(offered('done', { undoneBy: 'u' })).toBe(false);
  expect(offered('done', { undoneBy: 'u', leftByUndo: 150 })).toBe(true);
  expect(offered('done', { undoneBy: 'u', leftByUndo: 0 })).toBe(false);
  expect(offered('undone', { undoneBy: 'u' })).toBe(false);
  expect(offered('cancelled', {}, { applying: 1 })).toBe(false);
  expect(offered('cancelled', {}, { done: 0 })).toBe(false);
});

test('a change says what takes it back, and where it is still', () => {
  const text = (state: Change['state'], leftByUndo: number | null) =>
    undoTexts({ state, leftByUndo }).join('another change');
  expect(text('done', null)).toBe('This change is to be undone by another change.');
  expect(text('undone', null)).toBe('This change was undone by another change.');
  expect(text('done', 150)).toBe(
    'This change was undone in part by another change: 150 domains still have it.',
  );
  expect(text('partly', 1)).toBe('This change was undone in part by another change: 1 domain still has it.');
  expect(text('done', 0)).toBe('This change was undone by another change.');
});

test('the place of a domain is among those that the filters leave', () => {
  expect(placeText(1, { loaded: 3, more: false, counted: 120 })).toBe('1 of 3');
  expect(placeText(2, { loaded: 100, more: true, counted: 1_200 })).toBe('2 of 1,200');
  expect(placeText(2, { loaded: 100, more: true, counted: null })).toBe('2 of more than 100');
});

test('each state is at one step of the way: what is reviewed, applied, and may be undone', () => {
  expect(presentStep(null)).toBe(0);
  expect(changeStates.map((state) => `${state} ${presentStep({ state })}`)).toEqual([
    ...['draft 2', 'ready 2', 'running 3', 'paused 3', 'done 4', 'partly 3', 'cancelled 4', 'undone 5'],
  ]);
});

test('progress counts what was looked at, and then what has ended of what is to be changed', () => {
  const counts = { total: 20, waiting: 4, done: 3, failed: 2, moved: 1, queued: 5, applying: 1 };
  const all = { ready: 0, warned: 0, leftOut: 1, same: 1, barred: 1, cancelled: 1, ...counts };
  expect(progressOf({ state: 'draft', counts: all })).toEqual({ done: 16, of: 20 });
  expect(progressOf({ state: 'running', counts: all })).toEqual({ done: 6, of: 12 });
});

test('a difference is counted, of records as well as of settings; one is one', () => {
  const records = { added: 1, changed: 2, removed: 3, first: [] };
  const setting = { label: 'Lock', before: 'Unlocked', after: 'Locked' };
  expect([
    differenceText({ difference: records, settings: null }),
    differenceText({ difference: null, settings: [setting] }),
    differenceText({ difference: null, settings: [setting, setting] }),
    differenceText({ difference: null, settings: null }),
  ]).toEqual(['6 changes', '1 change', '2 changes', '–']);
  expect([domainsText(0), domainsText(1), domainsText(1_200)]).toEqual([
    ...['0 domains', '1 domain', '1,200 domains'],
  ]);
});
