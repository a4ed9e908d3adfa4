import { hourMs } from '#contracts/values/time.ts';

/** Customers that are asked about in one go. */
export const mostInTurn = 200;

/**
 * Whose turn it is in this hour, of all that wait in the portal: everyone's where they are few, and each one's after some hours
 * where they are many. The clock alone decides, so that no process has to remember where the round is.
 */
export function turnOf<T>(all: readonly T[], now: Date): T[] {
  const turns = Math.max(1, Math.ceil(all.length / mostInTurn));
  const turn = Math.floor(now.getTime() / hourMs) % turns;
  return all.filter((_, place) => place % turns === turn);
}
