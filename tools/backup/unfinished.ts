/** What must not be left behind: servers on copies, and folders that hold data in the clear. */
const unfinished = new Set<() => Promise<void>>();

/** Cleans up when `work` has ended, however it ended, or when a signal ends the process before. */
export async function cleaningUp<T>(cleanUp: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  unfinished.add(cleanUp);
  try {
    return await work();
  } finally {
    unfinished.delete(cleanUp);
    await cleanUp();
  }
}

/** For the programs: a signal cleans up, the last begun first, and ends the process. */
export function cleanUpOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      for (const cleanUp of [...unfinished].reverse()) await cleanUp().catch(() => undefined);
      process.exit(1);
    });
  }
}
