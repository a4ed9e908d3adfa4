import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answers, createAnswers, slices } from './give-way.ts';

const nobody: Answers = { begin: () => () => undefined, ended: () => undefined };

/** A step of the work takes a quarter of a millisecond. Others wait for their turn, and then need 100. */
async function worked(steps: number): Promise<{ pauses: number; turns: number }> {
  let nowMs = 0;
  let turns = 0;
  let others = setImmediate(theirTurn);
  function theirTurn() {
    turns += 1;
    nowMs += 100;
    others = setImmediate(theirTurn);
  }
  const giveWay = slices(() => nowMs, nobody);
  let pauses = 0;
  for (let step = 0; step < steps; step += 1) {
    nowMs += 0.25;
    const wait = giveWay();
    if (!wait) continue;
    pauses += 1;
    await wait;
  }
  clearImmediate(others);
  return { pauses, turns };
}

describe('long work', () => {
  test('gives way after each millisecond of its own, and who waits has a turn', async () => {
    expect(await worked(1_000)).toEqual({ pauses: 250, turns: 250 });
  });

  test('that is short is not held up', async () => {
    expect(await worked(3)).toEqual({ pauses: 0, turns: 0 });
  });
});

describe('long work while others are answered', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Work that takes as many milliseconds as it has steps; the time is its own. */
  function workOf() {
    let nowMs = 0;
    const answers = createAnswers(() => nowMs);
    const giveWay = slices(() => nowMs, answers);
    /** Works for one slice. Returns whether it may go on, once everything that runs has run. */
    const slice = () => {
      nowMs += 1;
      const state = { goesOn: false };
      void giveWay()?.then(() => (state.goesOn = true));
      return state;
    };
    const pass = (ms: number) => {
      nowMs += ms;
      vi.advanceTimersByTime(ms);
    };
    return { answers, slice, pass };
  }

  async function goesOn(state: { goesOn: boolean }): Promise<boolean> {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    return state.goesOn;
  }

  /** Work that has taken a while, and has waited for nobody. */
  async function longWork(tookMs = 99) {
    const work = workOf();
    for (let at = 0; at < tookMs; at += 1) expect(await goesOn(work.slice())).toBe(true);
    return work;
  }

  test('lets a request end first, and each that comes meanwhile', async () => {
    const work = await longWork();
    const answered = work.answers.begin();
    const state = work.slice();
    const answeredToo = work.answers.begin();
    expect(await goesOn(state)).toBe(false);
    answered();
    expect(await goesOn(state)).toBe(false);
    answeredToo();
    expect(await goesOn(state)).toBe(true);
    expect(await goesOn(work.slice())).toBe(true);
  });

  test('goes on after 16 ms, however many requests come', async () => {
    const work = await longWork();
    work.answers.begin();
    const state = work.slice();
    expect(await goesOn(state)).toBe(false);
    work.pass(14);
    work.answers.begin();
    expect(await goesOn(state)).toBe(false);
    work.pass(2);
    expect(await goesOn(state)).toBe(true);
  });

  test('does not wait for a request that takes longer than 16 ms, and so not for its own', async () => {
    const work = workOf();
    work.answers.begin();
    for (let at = 0; at < 20; at += 1) expect(await goesOn(work.slice())).toBe(true);
    work.answers.begin();
    work.pass(16);
    expect(await goesOn(work.slice())).toBe(true);
  });

  test('waits for nobody before it is long: a request that has a moment of work is not held up by another', async () => {
    const work = workOf();
    for (let at = 0; at < 15; at += 1) {
      work.answers.begin();
      expect(await goesOn(work.slice())).toBe(true);
    }
  });

  test('waits for others for a third of its time, however many requests come', async () => {
    const work = await longWork(14);
    let waitedMs = 0;
    for (let at = 0; at < 100; at += 1) {
      work.answers.begin();
      const state = work.slice();
      for (; waitedMs < 100 && !(await goesOn(state)); waitedMs += 1) {
        work.pass(1);
        work.answers.begin();
      }
    }
    // It worked for 114 ms, and so for two thirds of 171.
    expect(waitedMs).toBeLessThanOrEqual(57);
    expect(waitedMs).toBeGreaterThan(54);
  });

  test('of a request that ends twice is not counted twice', async () => {
    const work = await longWork();
    const answered = work.answers.begin();
    work.answers.begin();
    answered();
    answered();
    expect(await goesOn(work.slice())).toBe(false);
  });
});
