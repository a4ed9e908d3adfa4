/**
 * Whose turn it is now, of all that wait: everyone's where they are few, and each one's in some of the next times where they are many.
 * What fails again and again then keeps nobody out, as it does where the first `most` of a list are taken each time. The clock alone
 * decides, so that no process has to remember where the round is. `everyMs`: how often it is asked.
 */
export function turnOf<T>(
  all: readonly T[],
  now: Date,
  { most, everyMs }: { most: number; everyMs: number },
): T[] {
  const turns = Math.max(1, Math.ceil(all.length / most));
  const turn = Math.floor(now.getTime() / everyMs) % turns;
  return all.filter((_, place) => place % turns === turn);
}
