import { describe, expect, test } from 'vitest';
import { endOfTry, notPaidText } from './retried.ts';

const failed = { state: 'failed', attempts: 2, error: 'Expired.' } as const;
const [sending, paid] = [
  { ...failed, state: 'sending', attempts: 3, error: null } as const,
  { ...failed, state: 'succeeded', attempts: 3, error: null } as const,
];
const declined = { ...failed, attempts: 3, error: 'Declined.' };

describe('a charge that is tried again', () => {
  /** Looks that show these, one after the other; then the time is up. */
  async function end(
    ...shown: (typeof failed | typeof sending | typeof declined | Error | undefined | object)[]
  ) {
    const [time, pauses] = [new AbortController(), [] as number[]];
    const left = [...shown];
    const look = async () => {
      const next = left.shift();
      if (left.length === 0) time.abort();
      if (next instanceof Error) throw next;
      return next as typeof failed | undefined;
    };
    const ended = await endOfTry(failed, look, {
      until: time.signal,
      pause: async (ms) => void pauses.push(ms),
    });
    return { ended, pauses };
  }

  test('is looked at until its try has ended, and what was read before the try does not count', async () => {
    expect(await end(failed, sending, sending, declined, paid)).toEqual({
      ...{ ended: declined, pauses: [1_000, 1_000, 1_000] },
    });
    expect((await end(paid, declined)).ended).toBe(paid);
  });

  test.each(['succeeded', 'processing', 'waived'])('has ended when it is %s', async (state) => {
    expect((await end({ ...failed, state })).ended).toMatchObject({ state });
  });

  test('is looked at again where the portal cannot be reached or does not have it; without an end nothing is known', async () => {
    expect((await end(new Error('offline'), undefined, declined)).ended).toBe(declined);
    expect((await end(failed, sending, new Error('offline'))).ended).toBeNull();
    expect((await end({ ...failed, state: 'collecting' })).ended).toBeNull();
  });
});

test.each([
  [declined, 'The charge failed. Declined.'],
  [{ ...declined, error: null }, 'The charge failed.'],
  [
    { ...declined, state: 'waived' as const },
    'Somebody settled this charge in the meantime. It was not charged.',
  ],
  [null, 'The result is not known yet. Close this and look at the list before you try again.'],
  [paid, null],
  [{ ...paid, state: 'processing' as const }, null],
])('of %j it is said: %s', (ended, text) => {
  expect(notPaidText(ended)).toBe(text);
});
