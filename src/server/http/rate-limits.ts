import { AppError } from '#contracts/errors.ts';
import type { RateName } from '#contracts/operation.ts';
import { type Db, sql } from '#kernel/db/database.ts';

interface Limit {
  hits: number;
  windowSeconds: number;
}

/** Per user (design: Rate limits). `default` is per address and process, before anything is looked up. */
export const limits: Record<RateName, Limit> = {
  default: { hits: 1_200, windowSeconds: 60 },
  lookup: { hits: 60, windowSeconds: 60 },
  purchase: { hits: 10, windowSeconds: 60 },
  invite: { hits: 20, windowSeconds: 3_600 },
  link: { hits: 5, windowSeconds: 3_600 },
  upload: { hits: 30, windowSeconds: 3_600 },
  transferCheck: { hits: 60, windowSeconds: 60 },
  profile: { hits: 20, windowSeconds: 3_600 },
};

/** Counts one hit; throws `rate_limited` with the seconds to wait. */
export type RateLimiter = (key: string, limit: Limit) => Promise<void> | void;

/** Counts in the database, so that all processes count together. */
export function createSharedLimiter(db: Db): RateLimiter {
  return async (key, limit) => {
    const { rows } = await sql<{ hits: number; wait: number }>`
      INSERT INTO rate_windows AS w (key, window_start, hits) VALUES (${key}, now(), 1)
      ON CONFLICT (key) DO UPDATE SET
        hits = CASE WHEN w.window_start < now() - make_interval(secs => ${limit.windowSeconds}) THEN 1 ELSE w.hits + 1 END,
        window_start = CASE WHEN w.window_start < now() - make_interval(secs => ${limit.windowSeconds}) THEN now() ELSE w.window_start END
      RETURNING hits, ceil(extract(epoch FROM window_start + make_interval(secs => ${limit.windowSeconds}) - now()))::int AS wait`.execute(
      db,
    );
    const [row] = rows;
    if (row && row.hits > limit.hits) refuse(row.wait);
  };
}

/** More keys than this and the oldest windows are dropped: a flood of addresses must not fill the memory. */
const maxKeys = 50_000;

/** Counts in this process: for what comes before authentication, where a database call would itself be the attack. */
export function createLocalLimiter(now: () => number = Date.now): RateLimiter {
  const windows = new Map<string, { startMs: number; hits: number }>();
  return (key, limit) => {
    const at = now();
    const window = windows.get(key);
    if (!window || at - window.startMs >= limit.windowSeconds * 1000) {
      if (windows.size >= maxKeys) windows.clear();
      windows.set(key, { startMs: at, hits: 1 });
      return;
    }
    window.hits += 1;
    if (window.hits > limit.hits)
      refuse(Math.ceil((window.startMs + limit.windowSeconds * 1000 - at) / 1000));
  };
}

function refuse(waitSeconds: number): never {
  throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, waitSeconds) });
}
