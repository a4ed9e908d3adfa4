import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDomainLock } from './domain-lock.ts';
import { createLimiter, NoTurn } from './limiter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Work that ends when told to. */
function jobs() {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      order.push(name);
      ends.push(resolve);
    });
  const endOne = async () => {
    ends.shift()?.();
    await vi.advanceTimersByTimeAsync(5);
  };
  return { order, work, endOne };
}

describe('the limiter', () => {
  test('never runs more at a time than allowed', async () => {
    const limiter = createLimiter({ parallel: 3, perSecond: 1_000 });
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    const all = Promise.all(
      Array.from({ length: 20 }, (_, index) => limiter.run(`k${index % 2}`, 1_000, work)),
    );
    await vi.advanceTimersByTimeAsync(200);
    await all;
    expect(most).toBe(3);
  });

  test('serves organisations in turn: one order of B waits for one of A, not for all', async () => {
    const limiter = createLimiter({ parallel: 1, perSecond: 1_000 });
    const { order, work, endOne } = jobs();
    for (let index = 0; index < 50; index++) void limiter.run('A', 60_000, work(`A${index}`));
    void limiter.run('B', 60_000, work('B0'));
    void limiter.run('B', 60_000, work('B1'));
    await vi.advanceTimersByTimeAsync(0);
    for (let index = 0; index < 5; index++) await endOne();
    expect(order).toEqual(['A0', 'A1', 'B0', 'A2', 'B1', 'A3']);
  });

  test('lets changes go first, then look-ups, then sweeps, each organization in turn, and forgets none', async () => {
    const limiter = createLimiter({ parallel: 1, perSecond: 1_000 });
    const { order, work, endOne } = jobs();
    void limiter.run('A', 60_000, work('begun'));
    void limiter.run('A', 60_000, work('sweep'), 'sweep');
    for (let index = 0; index < 2; index++) void limiter.run('A', 60_000, work(`look A${index}`));
    void limiter.run('B', 60_000, work('look B'));
    for (let index = 0; index < 5; index++) void limiter.run('A', 60_000, work(`order A${index}`), 'change');
    void limiter.run('B', 60_000, work('order B'), 'change');
    await vi.advanceTimersByTimeAsync(0);
    for (let index = 0; index < 10; index++) await endOne();
    expect(order).toEqual([
      ...['begun', 'order A0', 'order B', 'order A1', 'order A2', 'look A0', 'order A3', 'order A4'],
      ...['look B', 'look A1', 'sweep'],
    ]);
  });

  test('starts no more a second than allowed', async () => {
    const limiter = createLimiter({ parallel: 100, perSecond: 10 });
    let started = 0;
    const work = async () => {
      started += 1;
    };
    for (let index = 0; index < 40; index++) void limiter.run('A', 60_000, work);
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toBe(10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started).toBeGreaterThanOrEqual(19);
    expect(started).toBeLessThanOrEqual(20);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(started).toBe(40);
  });

  test('gives up what has no turn in time, and never starts it later', async () => {
    const limiter = createLimiter({ parallel: 1, perSecond: 1_000 });
    const { order, work, endOne } = jobs();
    void limiter.run('A', 60_000, work('first'));
    const late = expect(limiter.run('A', 100, work('late'))).rejects.toThrow(NoTurn);
    await vi.advanceTimersByTimeAsync(101);
    await late;
    await endOne();
    expect(order).toEqual(['first']);
  });

  test('rests when asked to, and goes on afterwards', async () => {
    const limiter = createLimiter({ parallel: 5, perSecond: 1_000 });
    const { order, work } = jobs();
    limiter.rest(1_000);
    void limiter.run('A', 60_000, work('one'));
    await vi.advanceTimersByTimeAsync(999);
    expect(order).toEqual([]);
    await vi.advanceTimersByTimeAsync(5);
    expect(order).toEqual(['one']);
  });

  test('work that throws frees its place', async () => {
    const limiter = createLimiter({ parallel: 1, perSecond: 1_000 });
    await expect(limiter.run('A', 100, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(limiter.run('A', 100, async () => 'yes')).resolves.toBe('yes');
  });
});

describe('the lock of a domain', () => {
  test('runs writes to one domain in the order they came, and others beside', async () => {
    const lock = createDomainLock();
    const { order, work, endOne } = jobs();
    void lock.run('a.com', 1_000, work('a1'));
    void lock.run('a.com', 1_000, work('a2'));
    void lock.run('b.com', 1_000, work('b1'));
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['a1', 'b1']);
    await endOne();
    expect(order).toEqual(['a1', 'b1', 'a2']);
  });

  test('gives up a wait without letting the next one in early', async () => {
    const lock = createDomainLock();
    const { order, work, endOne } = jobs();
    void lock.run('a.com', 1_000, work('first'));
    const late = expect(lock.run('a.com', 100, work('late'))).rejects.toThrow(NoTurn);
    void lock.run('a.com', 1_000, work('third'));
    await vi.advanceTimersByTimeAsync(150);
    await late;
    expect(order).toEqual(['first']);
    await endOne();
    expect(order).toEqual(['first', 'third']);
  });
});
