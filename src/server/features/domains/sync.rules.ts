/** So many readings wait at most: some two minutes of a registrar's usual limit. */
export const mostReadingsWaiting = 1_000;

/** Readings go side by side in so many queues: more than one, as an answer takes longer than its turn at the registrar. */
export const readingQueues = 4;

/** How many domains get a reading now, with so many that wait already: what the registrar is slow with is not piled up. */
export function readingsToPlan(waiting: number): number {
  return Math.max(0, mostReadingsWaiting - waiting);
}
