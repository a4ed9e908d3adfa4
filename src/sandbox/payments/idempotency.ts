import { createHash } from 'node:crypto';
import type { SandboxStore } from '../store.ts';
import { ApiError } from './errors.ts';

interface SavedReply {
  status: number;
  body: string;
}

export interface IdempotencyKeys {
  /** The reply of the first request under this key; refuses the key with other parameters or while it is in use. */
  replay(key: string, fingerprint: string): SavedReply | null;
  /** Marks the key as in use until `release`. */
  claim(key: string): void;
  release(key: string): void;
  save(key: string, fingerprint: string, reply: SavedReply): void;
}

/** A key is remembered for 24 hours at least (docs.stripe.com/api/idempotent_requests, checked 2026-11-21). */
const KEPT_MS = 24 * 3_600_000;
const LONGEST_KEY = 255;

/** What makes two requests the same request. */
export function fingerprintOf(method: string, path: string, body: string): string {
  return createHash('sha256').update(`${method} ${path}\n${body}`).digest('hex');
}

export function checkKey(key: string): void {
  if (key.length <= LONGEST_KEY) return;
  throw new ApiError(
    400,
    { type: 'idempotency_error', message: `Idempotency-Key may be at most ${LONGEST_KEY} characters.` },
    false,
  );
}

export function openIdempotency(store: SandboxStore): IdempotencyKeys {
  const { db } = store;
  const select = db.prepare(
    'SELECT fingerprint, status, body, created_ms FROM payments_idempotency WHERE key = ?',
  );
  const insert = db.prepare(
    'INSERT OR REPLACE INTO payments_idempotency (key, fingerprint, status, body, created_ms) VALUES (?, ?, ?, ?, ?)',
  );
  const inUse = new Set<string>();
  return {
    replay(key, fingerprint) {
      if (inUse.has(key)) {
        throw new ApiError(
          409,
          {
            type: 'idempotency_error',
            code: 'idempotency_key_in_use',
            message:
              'There is currently another in-progress request using this Idempotent Key. Please try again later.',
          },
          false,
        );
      }
      const row = select.get(key) as
        | { fingerprint: string; status: number; body: string; created_ms: number }
        | undefined;
      if (!row || row.created_ms < store.now() - KEPT_MS) return null;
      if (row.fingerprint !== fingerprint) {
        throw new ApiError(
          400,
          {
            type: 'idempotency_error',
            message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key.slice(key.indexOf(' ') + 1)}' if you meant to execute a different request.`,
          },
          false,
        );
      }
      return { status: row.status, body: row.body };
    },
    claim: (key) => void inUse.add(key),
    release: (key) => void inUse.delete(key),
    save(key, fingerprint, reply) {
      insert.run(key, fingerprint, reply.status, reply.body, store.now());
    },
  };
}
