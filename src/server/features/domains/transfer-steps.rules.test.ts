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

  test('a transfer is stuck when its present step should be over, and not a moment before', () => {
    const waiting = stepsOf(facts(), times);
    expect(isStuck(waiting, daysIn(0.99))).toBe(false);
    expect(isStuck(waiting, daysIn(1.01))).toBe(true);
    const released = stepsOf(facts({ registrarStatus: 'pending_registry', statusSince: daysIn(1) }), times);
    expect(isStuck(released, daysIn(5.9))).toBe(false);
    expect(isStuck(released, daysIn(6.1))).toBe(true);
    expect(isStuck(stepsOf(facts({ completedAt: daysIn(9) }), times), daysIn(90))).toBe(false);
    expect(isStuck(stepsOf(facts({ failedAt: daysIn(9) }), times), daysIn(90))).toBe(false);
  });
});
