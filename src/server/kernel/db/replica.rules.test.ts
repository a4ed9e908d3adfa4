import { expect, test } from 'vitest';
import {
  type Answering,
  faultOf,
  isEnough,
  keptLooks,
  lagOf,
  type Needed,
  neededOf,
  type PrimarySeen,
  type ReplicaSeen,
} from './replica.rules.ts';

const look = (at: number, lsn: number, changes: Partial<PrimarySeen> = {}): PrimarySeen => ({
  ...{ at, lsn, system: '7', timeline: '00000001' },
  ...changes,
});
const replica = (changes: Partial<ReplicaSeen> = {}): ReplicaSeen => ({
  ...{ standby: true, system: '7', timeline: '00000001', lsn: 100 },
  ...changes,
});
const limits = { now: 20_000, mostLagMs: 10_000 };
const looks = [look(9_000, 100), look(19_000, 100)];

test('a standby that follows may serve', () => {
  expect(faultOf(replica(), looks, limits)).toBe(null);
});

test('one that does not answer, that was promoted, that is of another cluster or another timeline may not', () => {
  expect(faultOf(null, looks, limits)).toBe('away');
  expect(faultOf(replica({ standby: false }), looks, limits)).toBe('promoted');
  expect(faultOf(replica({ lsn: null }), looks, limits)).toBe('promoted');
  expect(faultOf(replica({ system: '8' }), looks, limits)).toBe('elsewhere');
  expect(faultOf(replica({ timeline: '00000002' }), looks, limits)).toBe('timeline');
  expect(faultOf(replica({ timeline: null }), looks, limits)).toBe('timeline');
});

test('none may as long as the primary was not seen in the last five seconds', () => {
  expect(faultOf(replica(), [], limits)).toBe('away');
  expect(faultOf(replica(), [look(15_000, 100)], limits)).toBe(null);
  expect(faultOf(replica(), [look(14_999, 100)], limits)).toBe('away');
});

test('the lag counts from when the primary first had what the replica has not', () => {
  const going = [look(1_000, 50), look(2_000, 100), look(3_000, 101), look(4_000, 300)];
  expect(lagOf(100, going, 5_000)).toBe(2_000);
  expect(lagOf(101, going, 5_000)).toBe(1_000);
  expect(lagOf(300, going, 5_000)).toBe(0);
  expect(lagOf(999, going, 5_000)).toBe(0);
});

test('a lag of exactly the limit is borne, a longer one is not', () => {
  expect(faultOf(replica({ lsn: 99 }), [look(10_000, 100), look(19_000, 100)], limits)).toBe(null);
  expect(faultOf(replica({ lsn: 99 }), [look(9_999, 100), look(19_000, 100)], limits)).toBe('lag');
});

test('looks are kept for twice the limit, and not beyond a promotion', () => {
  const next = look(50_000, 500);
  expect(keptLooks([look(29_999, 1), look(30_000, 2)], next, 10_000)).toEqual([look(30_000, 2), next]);
  expect(keptLooks([look(49_000, 9_000, { timeline: '00000002' })], next, 10_000)).toEqual([next]);
  expect(keptLooks([look(49_000, 9_000, { system: '8' })], next, 10_000)).toEqual([next]);
});

const now: Needed = { timeline: '00000002', lsn: 500, entries: 7 };

test('a caller is shown at least what it was shown before; who does not say gets everything until now', () => {
  expect(neededOf({ timeline: '00000002', lsn: 300 }, now)).toEqual({ ...now, lsn: 300 });
  expect(neededOf(null, now)).toEqual(now);
});

test('a place on another timeline, or one that was not reached yet, stands for now', () => {
  expect(neededOf({ timeline: '00000001', lsn: 300 }, now)).toEqual(now);
  expect(neededOf({ timeline: '00000003', lsn: 300 }, now)).toEqual(now);
  expect(neededOf({ timeline: '00000002', lsn: 9_999 }, now)).toEqual(now);
});

test('rows of a replica are shown when it has all that is needed, to the last byte and the last entry', () => {
  const found: Answering = { standby: true, timeline: '00000002', lsn: 500, entries: 7 };
  expect(isEnough(found, now)).toBe(true);
  expect(isEnough({ ...found, lsn: 501, entries: 8 }, now)).toBe(true);
  expect(isEnough({ ...found, lsn: 499 }, now)).toBe(false);
  expect(isEnough({ ...found, lsn: null }, now)).toBe(false);
  expect(isEnough({ ...found, lsn: null }, { ...now, lsn: 0 })).toBe(false);
  expect(isEnough({ ...found, entries: 6 }, now)).toBe(false);
  expect(isEnough({ ...found, standby: false }, now)).toBe(false);
  expect(isEnough({ ...found, timeline: '00000001' }, now)).toBe(false);
  expect(isEnough({ ...found, timeline: null }, now)).toBe(false);
});
