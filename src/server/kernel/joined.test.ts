import { describe, expect, test } from 'vitest';
import { joined } from './joined.ts';

/** Reads that end when the test says so. */
function stand() {
  const reads: { key: string; end: (value: number) => void; fail: (error: Error) => void }[] = [];
  const ask = joined(
    (key: string) =>
      new Promise<number>((end, fail) => {
        reads.push({ key, end, fail });
      }),
    (key) => key,
  );
  return { reads, ask };
}
const settled = () => new Promise((next) => setImmediate(next));

describe('reads of the same thing', () => {
  test('that are asked for while one is under way share the next, which begins afterwards', async () => {
    const { reads, ask } = stand();
    const first = ask('a');
    const [second, third] = [ask('a'), ask('a')];
    await settled();
    expect(reads).toHaveLength(1);
    reads[0]?.end(1);
    expect(await first).toBe(1);
    await settled();
    expect(reads).toHaveLength(2);
    // While the second read is under way, its answer may be older than the question.
    const fourth = ask('a');
    reads[1]?.end(2);
    expect([await second, await third]).toEqual([2, 2]);
    await settled();
    reads[2]?.end(3);
    expect(await fourth).toBe(3);
  });

  test('one after another are read each time', async () => {
    const { reads, ask } = stand();
    for (const value of [1, 2, 3]) {
      const asked = ask('a');
      reads[value - 1]?.end(value);
      expect(await asked).toBe(value);
    }
    expect(reads).toHaveLength(3);
  });

  test('asked for in the moment in which one ends are read after it', async () => {
    const { reads, ask } = stand();
    const first = ask('a');
    const atItsEnd = first.then(() => ask('a'));
    const waiting = ask('a');
    reads[0]?.end(1);
    await settled();
    expect(reads).toHaveLength(2);
    reads[1]?.end(2);
    expect([await waiting, await atItsEnd]).toEqual([2, 2]);
  });

  test('fail together, and the next one who asks begins again', async () => {
    const { reads, ask } = stand();
    const asked = [ask('a'), ask('a')];
    reads[0]?.fail(new Error('gone'));
    const results = await Promise.allSettled(asked);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(reads).toHaveLength(1);
    const again = ask('a');
    reads[1]?.end(5);
    expect(await again).toBe(5);
  });

  test('of other things do not wait', async () => {
    const { reads, ask } = stand();
    void ask('a');
    const other = ask('b');
    reads[1]?.end(7);
    expect([reads.map(({ key }) => key), await other]).toEqual([['a', 'b'], 7]);
  });
});
