import { hash } from 'node:crypto';
import type { VerifiedIdentity } from '../../ports/identity.ts';

/** So long a verified token is taken at its word; then its signature and the provider's keys are looked at again. */
const reuseMs = 60_000;
const maxTokens = 10_000;

interface Known {
  identity: VerifiedIdentity;
  untilMs: number;
  keysVersion: number;
}

export interface VerifiedTokens {
  /** The identity of a token that was verified a moment ago under the same keys and has not expired; else undefined. */
  find(token: string, nowMs: number, keysVersion: number): VerifiedIdentity | undefined;
  keep(token: string, identity: VerifiedIdentity, nowMs: number, keysVersion: number): void;
}

/**
 * Signatures that were checked: a browser sends the same token with each of its requests. Only the token is taken as
 * read; the database says each time who the person is and what they may do. Kept by digest, so that memory holds no
 * tokens.
 */
export function createVerifiedTokens(): VerifiedTokens {
  const known = new Map<string, Known>();
  const digest = (token: string) => hash('sha256', token, 'base64');
  return {
    find(token, nowMs, keysVersion) {
      const key = digest(token);
      const found = known.get(key);
      if (!found) return undefined;
      if (nowMs < found.untilMs && found.keysVersion === keysVersion) return found.identity;
      known.delete(key);
      return undefined;
    },
    keep(token, identity, nowMs, keysVersion) {
      if (known.size >= maxTokens) {
        const [oldest] = known.keys();
        if (oldest !== undefined) known.delete(oldest);
      }
      const untilMs = Math.min(identity.expiresAt * 1_000, nowMs + reuseMs);
      if (nowMs < untilMs) known.set(digest(token), { identity, untilMs, keysVersion });
    },
  };
}
