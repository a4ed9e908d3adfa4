import { isIPv6 } from 'node:net';
import { AppError } from '#contracts/errors.ts';
import type { RateName } from '#contracts/operation.ts';
import { type Db, sql } from '#kernel/db/database.ts';

/**
 * So many hits per period, of which at most `burst` at once (all, when absent). Each hit counts for period ÷ hits of
 * time, and time passes evenly: there is no window at whose edge twice as many would get through.
 */
export interface Limit {
  hits: number;
  periodSeconds: number;
  burst?: number;
}

/** Per user, counted in the database (design: Rate limits). */
export const limits: Record<Exclude<RateName, 'default'>, Limit> = {
  lookup: { hits: 60, periodSeconds: 60, burst: 20 },
  purchase: { hits: 10, periodSeconds: 60 },
  invite: { hits: 5, periodSeconds: 3_600 },
  link: { hits: 3, periodSeconds: 3_600 },
  upload: { hits: 30, periodSeconds: 3_600 },
  transferCheck: { hits: 30, periodSeconds: 60 },
  profile: { hits: 5, periodSeconds: 3_600 },
};

/** On all calls together. Before anybody is known, then per user, then per organisation. */
export const perAddress: Limit = { hits: 1_200, periodSeconds: 60, burst: 600 };
export const perUser: Limit = { hits: 600, periodSeconds: 60, burst: 300 };
export const perOrganisation: Limit = { hits: 3_000, periodSeconds: 60, burst: 1_500 };

/** The limit times the operator's factor. */
export function scaled(limit: Limit, scale: number): Limit {
  if (scale === 1) return limit;
  const times = (value: number) => Math.max(1, Math.round(value * scale));
  return {
    ...limit,
    hits: times(limit.hits),
    ...(limit.burst === undefined ? {} : { burst: times(limit.burst) }),
  };
}

/** Counts one hit; throws `rate_limited` with the seconds to wait. A refused hit does not count. */
export type RateLimiter = (key: string, limit: Limit) => Promise<void> | void;

/** Time that one hit costs, and how far ahead of the clock a key may run before it has to wait. */
function costs(limit: Limit) {
  const hitMs = (limit.periodSeconds * 1000) / limit.hits;
  return { hitMs, slackMs: hitMs * ((limit.burst ?? limit.hits) - 1) };
}

/** Counts in the database, so that all processes count together. `window_start`: up to when a key has used its time. */
export function createSharedLimiter(db: Db): RateLimiter {
  return async (key, limit) => {
    const { hitMs, slackMs } = costs(limit);
    const hit = sql`make_interval(secs => ${hitMs / 1000})`;
    const slack = sql`make_interval(secs => ${slackMs / 1000})`;
    const { rows } = await sql<{ hits: number }>`
      INSERT INTO rate_windows AS w (key, window_start, hits) VALUES (${key}, clock_timestamp() + ${hit}, 1)
      ON CONFLICT (key) DO UPDATE SET
        window_start = greatest(w.window_start, clock_timestamp()) + ${hit}, hits = w.hits + 1
      WHERE w.window_start <= clock_timestamp() + ${slack}
      RETURNING hits`.execute(db);
    if (rows.length > 0) return;
    const waits = await sql<{ seconds: number }>`
      SELECT extract(epoch FROM window_start - clock_timestamp() - ${slack})::float8 AS seconds
      FROM rate_windows WHERE key = ${key}`.execute(db);
    refuse((waits.rows[0]?.seconds ?? 0) * 1000);
  };
}

/** With more keys than this the oldest are forgotten: a flood of addresses must not fill the memory. */
const maxKeys = 50_000;

/**
 * Counts in this process: for the general limits, where a database call for every request would itself be the load.
 * N processes let through N times as much.
 */
export function createLocalLimiter(now: () => number = Date.now): RateLimiter {
  const usedUntilMs = new Map<string, number>();
  return (key, limit) => {
    const { hitMs, slackMs } = costs(limit);
    const at = now();
    const used = Math.max(usedUntilMs.get(key) ?? 0, at);
    if (used > at + slackMs) refuse(used - at - slackMs);
    // Deleted first, so that the map stays in the order of the last use.
    usedUntilMs.delete(key);
    usedUntilMs.set(key, used + hitMs);
    if (usedUntilMs.size > maxKeys) {
      const [oldest] = usedUntilMs.keys();
      if (oldest !== undefined) usedUntilMs.delete(oldest);
    }
  };
}

function refuse(waitMs: number): never {
  throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** Whoever has one address of an IPv6 network has all 2^64 of them. */
export function addressKey(ip: string): string {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const front = head.split(':').filter(Boolean);
  const back = tail.split(':').filter(Boolean);
  const groups = ip.includes('::')
    ? [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back]
    : front;
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
