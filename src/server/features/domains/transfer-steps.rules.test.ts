import { describe, expect, test } from 'vitest';
import { isStuck, stepsOf, type TransferFacts } from './transfer-steps.rules.ts';

const day = 86_400_000;
const start = new Date('2026-11-21T12:00:00Z');
const daysIn = (days: number) => new Date(start.getTime() + days * day);
const times = { approvalDays: 1, releaseDays: 5 };
const facts = (change: Partial<TransferFacts> = {}): TransferFacts => ({
  ...{ requestedAt: start, registrarStatus: 'pending_owner', statusSince: start },
  ...{ completedAt: null, failedAt: null },
  ...change,
});
const states = (given: TransferFacts) => stepsOf(given, times).map(({ state }) => state);

describe('the steps of a transfer', () => {
  test('show what is done, what it waits for, and by when', () => {
    expect(states(facts())).toEqual(['done', 'current', 'waiting', 'waiting']);
    const released = facts({ registrarStatus: 'pending_registry', statusSince: daysIn(0.5) });
    expect(states(released)).toEqual(['done', 'done', 'current', 'waiting']);
    expect(stepsOf(released, times)[2]?.expectedBy).toBe(daysIn(5.5).toISOString());
    expect(states(facts({ registrarStatus: 'completed', completedAt: daysIn(6) }))).toEqual(
      Array(4).fill('done'),
    );
    expect(states(facts({ failedAt: daysIn(2) }))).toEqual(['done', 'failed', 'waiting', 'waiting']);
  });

  test('have the times that are known, and those that are expected of what is not over', () => {
    const asked = daysIn(0).toISOString();
    expect(stepsOf(facts(), times)).toEqual([
      { kind: 'requested', state: 'done', at: asked, expectedBy: null },
      { kind: 'approval', state: 'current', at: null, expectedBy: daysIn(1).toISOString() },
      { kind: 'release', state: 'waiting', at: null, expectedBy: daysIn(6).toISOString() },
      { kind: 'completed', state: 'waiting', at: null, expectedBy: daysIn(6).toISOString() },
    ]);
    const released = facts({ registrarStatus: 'pending_registry', statusSince: daysIn(3) });
    expect(stepsOf(released, times).slice(1)).toEqual([
      { kind: 'approval', state: 'done', at: daysIn(3).toISOString(), expectedBy: null },
      { kind: 'release', state: 'current', at: null, expectedBy: daysIn(8).toISOString() },
      { kind: 'completed', state: 'waiting', at: null, expectedBy: daysIn(8).toISOString() },
    ]);
    const done = stepsOf(facts({ ...released, completedAt: daysIn(4) }), times);
    expect(done.map(({ state, at, expectedBy }) => [state, at, expectedBy])).toEqual([
      ['done', asked, null],
      ['done', daysIn(3).toISOString(), null],
      ['done', null, null],
      ['done', daysIn(4).toISOString(), null],
    ]);
    // What the registrar calls complete waits for the portal's own order.
    expect(states(facts({ registrarStatus: 'completed' }))).toEqual(['done', 'done', 'current', 'waiting']);
    const lost = stepsOf(facts({ ...released, failedAt: daysIn(4) }), times);
    expect(lost.map(({ state, expectedBy }) => [state, expectedBy])).toEqual([
      ['done', null],
      ['done', null],
      ['failed', null],
      ['waiting', null],
    ]);
  });

  test('a transfer is stuck when its present step should be over, and not a moment before', () => {
    const waiting = stepsOf(facts(), times);
    expect(isStuck(waiting, daysIn(1))).toBe(false);
    expect(isStuck(waiting, daysIn(1.01))).toBe(true);
    const released = stepsOf(facts({ registrarStatus: 'pending_registry', statusSince: daysIn(1) }), times);
    expect(isStuck(released, daysIn(5.9))).toBe(false);
    expect(isStuck(released, daysIn(6.1))).toBe(true);
    expect(isStuck(stepsOf(facts({ completedAt: daysIn(9) }), times), daysIn(90))).toBe(false);
    expect(isStuck(stepsOf(facts({ failedAt: daysIn(9) }), times), daysIn(90))).toBe(false);
  });
});
