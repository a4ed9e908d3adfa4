/**
 * Calls `end` at the first SIGINT or SIGTERM. A second one comes when a process group is stopped, because npm passes it on; it must not cut
 * off what the first waits for.
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
