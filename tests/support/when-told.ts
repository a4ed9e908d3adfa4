/**
 * Calls `end` when this process is told to end. It may be told twice, because npm passes on what the whole group has heard: the second
 * time must not cut off what the first one waits for.
 */
export function whenTold(end: () => Promise<void>): void {
  let isEnding = false;
  const once = () => {
    if (isEnding) return;
    isEnding = true;
    void end();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, once);
}
