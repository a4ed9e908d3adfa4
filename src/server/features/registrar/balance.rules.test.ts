import { expect, test } from 'vitest';
import { availableCents, isAlarmDue, levelOf } from './balance.rules.ts';

const account = { balanceCents: 100_00, heldCents: 10_00, openCents: 20_00 };

test('what can be spent is the balance less what is held and what is under way', () => {
  expect(availableCents(account)).toBe(70_00);
});

test.each([
  ['enough', 70_00],
  ['low', 70_01],
  ['enough', 0],
] as const)('%s with a mark at %d cents', (level, threshold) => {
  expect(levelOf(account, threshold)).toBe(level);
});

test('it is short as soon as what is under way cannot be paid, whatever the mark', () => {
  expect(levelOf({ ...account, openCents: 90_00 }, 0)).toBe('enough');
  expect(levelOf({ ...account, openCents: 90_01 }, 0)).toBe('short');
});

const now = new Date('2026-11-22T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);
const dayMs = 86_400_000;

test.each([
  [false, 'enough', null, null],
  [true, 'low', null, null],
  [true, 'low', null, ago(1)],
  [true, 'low', 'low', null],
  [false, 'low', 'low', ago(dayMs - 1)],
  [true, 'low', 'low', ago(dayMs)],
  [true, 'short', 'low', ago(1)],
  [false, 'short', 'short', ago(1)],
  [false, 'low', 'short', ago(1)],
] as const)('an alarm is due: %s at level %s after %s of %s', (due, level, last, at) => {
  expect(isAlarmDue(level, { level: last, at }, now)).toBe(due);
});
