import { isIPv6 } from 'node:net';
import { AppError, type ErrorCode } from '#contracts/errors.ts';
import { type Limit, waitText } from '#contracts/values/rates.ts';
import { type Db, sql } from '#kernel/db/database.ts';

/** On all calls together. Before anybody is known, then per user, then per organisation. */
export const perAddress: Limit = { hits: 1_200, periodSeconds: 60, burst: 600 };
export const perUser: Limit = { hits: 600, periodSeconds: 60, burst: 300 };
export const perOrganisation: Limit = { hits: 3_000, periodSeconds: 60, burst: 1_500 };

/** The limit times the operator's factor. */
export function scaled<T extends Limit>(limit: T, scale: number): T {
  if (scale === 1) return limit;
  const times = (value: number) => Math.max(1, Math.round(value * scale));
  return {
    ...limit,
    hits: times(limit.hits),
    ...(limit.burst === undefined ? {} : { burst: times(limit.burst) }),
  };
}

/** What a hit has left of its limit. */
export interface Left {
  /** Hits that would pass right now. */
  hits: number;
  /** Until all of them are there again. */
  resetSeconds: number;
}

export interface RateLimiter {
  /** Counts one hit; throws `rate_limited` with the seconds to wait. A refused hit does not count. */
  hit(key: string, limit: Limit): Promise<Left> | Left;
  /** Takes a counted hit back: it turned out to be none. */
  giveBack(key: string, limit: Limit): Promise<void> | void;
}

/** Time that one hit costs, and how far ahead of the clock a key may run before it has to wait. */
function costs(limit: Limit) {
  const hitMs = (limit.periodSeconds * 1000) / limit.hits;
  return { hitMs, slackMs: hitMs * ((limit.burst ?? limit.hits) - 1) };
}

function leftOf(limit: Limit, usedMs: number): Left {
  const { hitMs, slackMs } = costs(limit);
  const hits = Math.max(0, Math.floor((slackMs + hitMs - usedMs) / hitMs));
  return { hits, resetSeconds: Math.max(0, Math.ceil(usedMs / 1_000)) };
}

/** Counts in the database, so that all processes count together. `window_start`: up to when a key has used its time. */
export function createSharedLimiter(db: Db): RateLimiter {
  return {
    async hit(key, limit) {
      const { hitMs, slackMs } = costs(limit);
      const hit = sql`make_interval(secs => ${hitMs / 1000})`;
      const slack = sql`make_interval(secs => ${slackMs / 1000})`;
      const { rows } = await sql<{ seconds: number }>`
        INSERT INTO rate_windows AS w (key, window_start, hits) VALUES (${key}, clock_timestamp() + ${hit}, 1)
        ON CONFLICT (key) DO UPDATE SET
          window_start = greatest(w.window_start, clock_timestamp()) + ${hit}, hits = w.hits + 1
        WHERE w.window_start <= clock_timestamp() + ${slack}
        RETURNING extract(epoch FROM window_start - clock_timestamp())::float8 AS seconds`.execute(db);
      const [counted] = rows;
      if (counted) return leftOf(limit, counted.seconds * 1_000);
      const waits = await sql<{ seconds: number }>`
        SELECT extract(epoch FROM window_start - clock_timestamp() - ${slack})::float8 AS seconds
        FROM rate_windows WHERE key = ${key}`.execute(db);
      refuse((waits.rows[0]?.seconds ?? 0) * 1000);
    },
    async giveBack(key, limit) {
      const hit = sql`make_interval(secs => ${costs(limit).hitMs / 1000})`;
      await sql`UPDATE rate_windows SET window_start = window_start - ${hit}, hits = hits - 1
        WHERE key = ${key} AND hits > 0`.execute(db);
    },
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
  return {
    hit(key, limit) {
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
      return leftOf(limit, used + hitMs - at);
    },
    giveBack(key, limit) {
      const used = usedUntilMs.get(key);
      if (used !== undefined) usedUntilMs.set(key, used - costs(limit).hitMs);
    },
  };
}

/**
 * What is left of a limit, as draft-ietf-httpapi-ratelimit-headers has it since its version 8 (`RateLimit-Policy` and
 * `RateLimit`, read 2026-11-22), and in the three fields of the versions before, which most clients still read.
 */
export function rateFields(name: string, limit: Limit, left: Left): Record<string, string | number> {
  return {
    'ratelimit-policy': `"${name}";q=${limit.hits};w=${limit.periodSeconds}`,
    ratelimit: `"${name}";r=${left.hits};t=${left.resetSeconds}`,
    'ratelimit-limit': limit.burst ?? limit.hits,
    'ratelimit-remaining': left.hits,
    'ratelimit-reset': left.resetSeconds,
  };
}

/** The refusal of one more hit, with the limit that it met; any other failure as it is. */
export function refusalOf(name: string, limit: Limit & { what?: string }, error: unknown): unknown {
  if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) return error;
  const { retryAfterSeconds } = error;
  const headers = rateFields(name, limit, { hits: 0, resetSeconds: retryAfterSeconds });
  const message = `Too many ${limit.what ?? 'requests'}. Please try again in ${waitText(retryAfterSeconds)}.`;
  return new AppError('rate_limited', { message, retryAfterSeconds, headers });
}

/** One hit of a limit with a name; what is left of it. */
export async function count(
  limiter: RateLimiter,
  name: string,
  limit: Limit & { what?: string },
  key: string,
): Promise<Left> {
  try {
    return await limiter.hit(key, limit);
  } catch (error) {
    throw refusalOf(name, limit, error);
  }
}

/** Input that was refused: nothing was done, and nobody is to wait for having mistyped. */
const refusedInput: readonly ErrorCode[] = ['bad_request', 'validation_failed', 'already_exists'];

export function isRefusedInput(error: unknown): boolean {
  return error instanceof AppError && refusedInput.includes(error.code);
}

function refuse(waitMs: number): never {
  throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** The owner of one address of an IPv6 network has all 2^64 of them. */
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
