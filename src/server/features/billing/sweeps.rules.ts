import { dayMs } from '#contracts/values/time.ts';

/** Sweeps overlap by this much: clocks differ, and lists lag. */
const overlapMs = 3 * dayMs;
/** The provider forgets an event after 30 days; the overlap is part of them. */
const eventsReachMs = 27 * dayMs;
/** Within this time money goes back: disputes end 120 days after a payment, and some banks take longer. */
const payersRegretMs = 180 * dayMs;

/**
 * From when on a sweep reads payments and events, `reachedAt` being the beginning of the last one that came to its end, or null. Where
 * the provider has forgotten events in between, older payments are read again: each says itself what became of it.
 */
export function lookBack(reachedAt: Date | null, now: Date): { payments: Date; events: Date } {
  const reachedMs = Math.min(reachedAt?.getTime() ?? now.getTime() - eventsReachMs, now.getTime());
  const isForgotten = now.getTime() - reachedMs > eventsReachMs;
  return {
    events: new Date(reachedMs - overlapMs),
    payments: new Date(reachedMs - (isForgotten ? payersRegretMs : overlapMs)),
  };
}
