import { vi } from 'vitest';

/** As in the browser's tests: the library's own second is over before a busy machine has come to it. `PATIENCE_MS` shortens it. */
export const patienceMs = Number(process.env.PATIENCE_MS ?? 240_000);

/** Waits until the check passes. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: patienceMs, interval: 20 });
