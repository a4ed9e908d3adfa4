import type { SandboxStore } from '../store.ts';

const MINUTE_MS = 60_000;

/** design/security.md, rate limits. Windows run on the sandbox's clock, so that a test can let one pass. */
const LIMITS = {
  login: { count: 10, windowMs: 15 * MINUTE_MS },
  reset: { count: 5, windowMs: 60 * MINUTE_MS },
  signup: { count: 1000, windowMs: 60 * MINUTE_MS },
} as const;

export type LimitKind = keyof typeof LIMITS;

export type Attempt =
  | { allowed: true /** How many there were before this one. */; earlier: number }
  | { allowed: false; retryAfterSeconds: number };

export interface Limits {
  /** Counts an attempt before its outcome is known, so that parallel ones cannot slip through. */
  take(kind: LimitKind, key: string): Attempt;
  /** Forgets the attempts, e.g. after the right password. */
  forget(kind: LimitKind, key: string): void;
  clear(): void;
}

export function openLimits(store: SandboxStore, realm: string): Limits {
  const { db } = store;
  return {
    take(kind, key) {
      const { count, windowMs } = LIMITS[kind];
      const now = store.now();
      db.prepare('DELETE FROM identity_attempts WHERE realm = ? AND kind = ? AND at_ms <= ?').run(
        realm,
        kind,
        now - windowMs,
      );
      const { n, oldest } = db
        .prepare(
          'SELECT count(*) AS n, min(at_ms) AS oldest FROM identity_attempts WHERE realm = ? AND kind = ? AND key = ?',
        )
        .get(realm, kind, key) as { n: number; oldest: number | null };
      if (n >= count) {
        const waitMs = (oldest ?? now) + windowMs - now;
        return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
      }
      db.prepare('INSERT INTO identity_attempts (realm, kind, key, at_ms) VALUES (?, ?, ?, ?)').run(
        realm,
        kind,
        key,
        now,
      );
      return { allowed: true, earlier: n };
    },
    forget(kind, key) {
      db.prepare('DELETE FROM identity_attempts WHERE realm = ? AND kind = ? AND key = ?').run(
        realm,
        kind,
        key,
      );
    },
    clear() {
      db.prepare('DELETE FROM identity_attempts WHERE realm = ?').run(realm);
    },
  };
}

/** A pause that grows with each failure and never locks an account: the right password still works after it. */
export function growingDelayMs(failures: number): number {
  return failures < 3 ? 0 : Math.min(1000, 250 * 2 ** (failures - 3));
}
