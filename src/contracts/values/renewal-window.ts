import { maxValidityDays } from './certificate-life.ts';
import { dayMs, hourMs } from './time.ts';

/** When a certificate should be renewed (RFC 9773): pure, from the certificate and now. */

/** A third of its life before the end, as clients do it by themselves: it leaves room for a week of failures. */
const lastPart = 1 / 3;
/** Clients of a fleet that was set up in one night spread over so much of what is left. */
const spreadPart = 1 / 4;
/** However short the life: the window, which takes a quarter of it, ends more than ten days before the certificate. */
const leastLeftMs = 14 * dayMs;

export interface Renewable {
  /** The certificate's own place in the stretch, between 0 and 1: always the same, and even over all certificates. */
  share: number;
  validFrom: Date;
  validTo: Date;
  revoked: boolean;
}

export interface Window {
  start: Date;
  end: Date;
}

/**
 * In which the client should renew. Each certificate has its own part of the stretch, so that those of one night do not
 * come back in one night. A revoked one is due at once.
 */
export function windowOf(certificate: Renewable, now: Date): Window {
  const { share, validFrom, validTo, revoked } = certificate;
  if (revoked) return { start: new Date(now.getTime() - hourMs), end: now };
  const lifeMs = validTo.getTime() - validFrom.getTime();
  // The next one may be valid for less: by then the rhythm is that of the shorter life.
  const nextMs = Math.min(lifeMs, maxValidityDays(now) * dayMs);
  const leftMs = Math.min(Math.max(nextMs * lastPart, leastLeftMs), lifeMs * 0.9);
  const spreadMs = leftMs * spreadPart;
  const startMs = validTo.getTime() - leftMs + share * (spreadMs / 2);
  return { start: new Date(startMs), end: new Date(startMs + spreadMs / 2) };
}

/** How soon a client should ask again: twice a day, and more often when something is due. */
export function askAgainSeconds(window: Window, now: Date): number {
  return window.end <= now ? 3_600 : 6 * 3_600;
}
