import { minuteMs } from '#contracts/values/time.ts';

/** So many organizations are looked at in one go, however few there are in a round. */
const leastInSlice = 20;
const mostSlices = 60;

/**
 * Whose turn it is in a round that takes a slice each minute: everyone's in a small portal, and in a large one everyone's once an
 * hour at least. The clock alone decides, so that no process has to remember where the round is.
 */
export function sliceAt<T>(all: readonly T[], now: Date): T[] {
  const slices = Math.max(1, Math.min(mostSlices, Math.ceil(all.length / leastInSlice)));
  const turn = Math.floor(now.getTime() / minuteMs) % slices;
  return all.filter((_, place) => place % slices === turn);
}
