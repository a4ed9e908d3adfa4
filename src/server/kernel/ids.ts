import { createHash } from 'node:crypto';
import { canonicalJson } from './changed-parts.rules.ts';
import { freshBytes } from './random-bytes.ts';

/** UUIDv7 (RFC 9562): sorts by time, 74 random bits. */
export function newId(nowMs: number = Date.now()): string {
  const bytes = freshBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** UUIDv8 (RFC 9562) of what it names: the same in every database. */
export function idOf(named: unknown): string {
  const hex = hashOf(named);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A secret for links and tokens: 256 bits, URL-safe. */
export function newSecret(): string {
  return freshBytes(32).toString('base64url');
}

export function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}

export function hashOf(value: unknown): string {
  return sha256(canonicalJson(value)).toString('hex');
}
