import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWaitedFor, ownerFlagOf, refusedFlags } from './job-turns.rules.ts';

test('orders, incoming payments, imports and what people watch are waited for; sweeps, letters and look-ups are not', () => {
  const waited = [
    'orders.advance',
    'acme.advance',
    'billing.apply-events',
    'customers.import',
    'changes.run',
  ];
  const others = ['mail.send', 'changes.sweep', 'transfers.poll', 'domains.sync', 'customers.forget-imports'];
  expect(waited.filter((job) => !isWaitedFor(job))).toEqual([]);
  expect(others.filter(isWaitedFor)).toEqual([]);
});

test('whose a job is, is the flag of the queue that says so', () => {
  expect(ownerFlagOf({ superseded: true, 'of:a': true })).toBe('of:a');
  expect(ownerFlagOf({ superseded: true })).toBeUndefined();
  expect(ownerFlagOf(null)).toBeUndefined();
});

test('an organization gets a place only while fewer of its jobs run than places are free', () => {
  expect(refusedFlags(new Map(), 10)).toEqual([]);
  expect(refusedFlags(new Map([['a', 4]]), 10)).toEqual([]);
  expect(refusedFlags(new Map([['a', 5]]), 10)).toEqual(['a']);
  // Two of ten places are kept for what somebody waits for.
  const crowded = new Map([
    ['a', 5],
    ['b', 2],
  ]);
  expect(refusedFlags(crowded, 10)).toEqual(['a']);
  expect(refusedFlags(crowded.set('c', 1), 10)).toEqual(['a', 'b', 'background']);
});

test('where there is one place it is given to anybody', () => {
  expect(refusedFlags(new Map(), 1)).toEqual([]);
});

/** How many jobs each organization has in its places when all of them have more to do than there are places. */
function filled(organizations: number, places: number): number[] {
  const running = new Map<string, number>();
  for (let organization = 0; organization < organizations; organization += 1) {
    const flag = `of:${organization}`;
    const taken = () => [...running.values()].reduce((sum, count) => sum + count, 0);
    while (taken() < places && !refusedFlags(running, places).includes(flag)) {
      running.set(flag, (running.get(flag) ?? 0) + 1);
    }
  }
  return [...running.values()];
}

test('organizations that fill all places they get leave the next one a place, until there are as many as places allow', () => {
  expect(filled(5, 10)).toEqual([5, 3, 1, 1]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), (places) => {
      const [first = 0] = filled(1, places);
      expect(first).toBe(Math.ceil(places / 2));
      expect(filled(2, places)).toHaveLength(places > 1 ? 2 : 1);
    }),
  );
});
