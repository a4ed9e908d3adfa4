import { createRandom } from '../faults/simulated-registrar.ts';

/** A run of chances that its seed repeats. */
export interface Chance {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  one<T>(of: readonly T[]): T;
  happens(rate: number): boolean;
  /** Another run, of this one's seed and this name. */
  branch(name: string): Chance;
}

export function chanceOf(seed: number): Chance {
  const next = createRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    one: (of) => of[between(0, of.length - 1)] as (typeof of)[number],
    happens: (rate) => next() < rate,
    branch: (name) =>
      chanceOf([...name].reduce((hash, sign) => (hash * 31 + sign.charCodeAt(0)) | 0, seed) >>> 0),
  };
}
