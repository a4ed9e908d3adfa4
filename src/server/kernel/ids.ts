import { hash } from 'node:crypto';
import { canonicalJson } from './changed-parts.rules.ts';
import { freshBytes } from './random-bytes.ts';

/** How far the last milliseconds have been counted. Acts keep the moment at which they began, and others make ids meanwhile. */
const counters = new Map<number, number>();
const mostCounted = 1_000;

/**
 * UUIDv7 (RFC 9562): sorts by time, and those of one millisecond by the order in which this process made them, so that a
 * charge and its fee never change places. The 12 bits behind the time count (section 6.2, method 1), 62 are random; past
 * 3,800 ids in a millisecond only the time sorts them.
 *
 * @param nowMs milliseconds since 1970
 */
export function newId(nowMs: number = Date.now()): string {
  const bytes = freshBytes(16);
  const counter = nextOf(nowMs, bytes[7] ?? 0);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The next number of a millisecond; its first one is random, below 256. */
function nextOf(ms: number, first: number): number {
  const last = counters.get(ms);
  const next = last !== undefined && last < 0xfff ? last + 1 : first;
  // The moment that was not counted in for longest is the first to be forgotten.
  counters.delete(ms);
  counters.set(ms, next);
  if (counters.size > mostCounted) {
    const [oldest = ms] = counters.keys();
    counters.delete(oldest);
  }
  return next;
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
  return hash('sha256', text, 'buffer');
}

export function hashOf(value: unknown): string {
  return sha256(canonicalJson(value)).toString('hex');
}
