import { dayMs, hourMs } from '#contracts/values/time.ts';

/** What is decided about a payment setup link: pure, from the link, the letters sent so far, and now. */

/** Design, security: 3 an hour per customer. */
const mostPerHour = 3;
const livesMs = 7 * dayMs;

export const countedSince = (now: Date) => new Date(now.getTime() - hourMs);
export const linkEndsAt = (now: Date) => new Date(now.getTime() + livesMs);

/** How long to wait before the next letter; 0: now. `sent`: those of the last hour, the oldest first. */
export function waitBeforeLinkMs(sent: readonly Date[], now: Date): number {
  const [first] = sent;
  if (!first || sent.length < mostPerHour) return 0;
  return Math.max(1, first.getTime() + hourMs - now.getTime());
}

/** A link opens the provider's page until it ends, while there is somebody to bill. */
export function isUsable(
  link: { expires_at: Date },
  customer: { deleted: boolean; billDirectly: boolean },
  now: Date,
): boolean {
  return link.expires_at > now && !customer.deleted && customer.billDirectly;
}
