/**
 * Starts to measure and returns how to read it, in milliseconds. The monotonic clock stands still while the machine
 * sleeps, and the wall clock can be set back: the larger of the two passages counts. Code that measures a deadline with it
 * is at worst too early, never too late (docs/decisions/0110).
 */
export function startPassage(
  clocks: { wallMs(): number; monotonicMs(): number } = {
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now(),
  },
): () => number {
  const wall = clocks.wallMs();
  const monotonic = clocks.monotonicMs();
  return () => Math.max(clocks.wallMs() - wall, clocks.monotonicMs() - monotonic, 0);
}
