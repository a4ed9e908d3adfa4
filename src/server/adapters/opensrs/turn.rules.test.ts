import { describe, expect, test } from 'vitest';
import { nextTurn, nobodyPassed, type Urgency } from './turn.rules.ts';

/** Whose turns come while all of these wait on and on. */
function turns(waiting: Urgency[], count: number): Urgency[] {
  const order: Urgency[] = [];
  let passed = nobodyPassed;
  for (let turn = 0; turn < count; turn += 1) {
    const next = nextTurn(new Set(waiting), passed);
    if (!next) break;
    order.push(next.urgency);
    ({ passed } = next);
  }
  return order;
}

const countOf = (order: Urgency[], urgency: Urgency) => order.filter((one) => one === urgency).length;

describe('whose turn it is at the registrar', () => {
  test('nobody’s when nobody waits', () => {
    expect(nextTurn(new Set(), nobodyPassed)).toBeNull();
  });

  test.each<[Urgency[], Urgency]>([
    [['change', 'look-up', 'sweep'], 'change'],
    [['look-up', 'change'], 'change'],
    [['sweep', 'look-up'], 'look-up'],
    [['sweep'], 'sweep'],
    [['look-up'], 'look-up'],
  ])('of %j first: %s', (waiting, first) => {
    expect(nextTurn(new Set(waiting), nobodyPassed)?.urgency).toBe(first);
  });

  test('a look-up lets four changes pass, and no fifth', () => {
    expect(turns(['change', 'look-up'], 6)).toEqual([
      ...(['change', 'change', 'change', 'change', 'look-up'] as const),
      'change',
    ]);
  });

  test('a sweep lets twelve others pass, and no thirteenth', () => {
    const order = turns(['look-up', 'sweep'], 14);
    expect(order.indexOf('sweep')).toBe(12);
    expect(order[13]).toBe('look-up');
  });

  test('of everything, changes get most and a sweep is never forgotten', () => {
    const order = turns(['change', 'look-up', 'sweep'], 130);
    expect(countOf(order, 'change')).toBeGreaterThan(90);
    expect(countOf(order, 'look-up')).toBeGreaterThan(20);
    expect(countOf(order, 'sweep')).toBeGreaterThanOrEqual(9);
  });

  test('who does not wait is not passed: they begin with their whole patience', () => {
    const { passed } = nextTurn(new Set(['change']), { change: 0, 'look-up': 3, sweep: 11 }) ?? {};
    expect(passed).toEqual(nobodyPassed);
  });
});
