import { describe, expect, test } from 'vitest';
import { untilItChanges } from './polling.ts';

const before = { balance: 100_00, pendingBalance: 0 };
const credited = { balance: 200_00, pendingBalance: 0 };
const pending = { balance: 100_00, pendingBalance: 100_00 };

/** Looks at these totals one after the other, the last one again and again. */
async function run(totals: (typeof before)[], known: typeof before | null = before) {
  let looks = 0;
  const pauses: number[] = [];
  const change = await untilItChanges(
    known,
    async () => totals[Math.min(looks++, totals.length - 1)] ?? before,
    async (ms) => pauses.push(ms),
  );
  return { change, looks, pauses: pauses.length };
}

describe('after a payment (P2 §4 and §9)', () => {
  test('a balance that never changes is looked at ten times, and no more', async () => {
    expect(await run([before])).toEqual({ change: 'unchanged', looks: 10, pauses: 9 });
  });

  test.each([
    ['money that is there', credited, 'credited'],
    ['money on its way', pending, 'pending'],
  ])('%s ends the looking', async (_, total, change) => {
    expect(await run([total])).toEqual({ change, looks: 1, pauses: 0 });
    expect(await run([before, before, total])).toEqual({ change, looks: 3, pauses: 2 });
    expect(await run([...Array.from({ length: 9 }, () => before), total])).toMatchObject({ change });
  });

  test('a purchase meanwhile, which lowers the balance, is not taken for the payment', async () => {
    const less = { balance: 90_00, pendingBalance: 0 };
    expect(await run([less])).toEqual({ change: 'unchanged', looks: 10, pauses: 9 });
    expect(await run([less, { ...less, pendingBalance: 100_00 }])).toMatchObject({
      change: 'pending',
      looks: 2,
    });
  });

  test('a balance that was not known before is not taken for the payment', async () => {
    expect(await run([credited], null)).toEqual({ change: 'unchanged', looks: 10, pauses: 9 });
    expect(await run([before, credited], null)).toEqual({ change: 'credited', looks: 2, pauses: 1 });
  });

  test('a look that fails, as without a network, is followed by the next', async () => {
    const answers = [null, null, credited];
    const look = async () => answers.shift() ?? Promise.reject(new Error('no answer'));
    expect(await untilItChanges(before, look, async () => undefined)).toBe('credited');
    const noAnswer = () => Promise.reject(new Error('no answer'));
    expect(await untilItChanges(before, noAnswer, async () => undefined)).toBe('unchanged');
  });
});
