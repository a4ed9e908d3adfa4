import { carriedMostDays } from '#contracts/values/certificate-life.ts';

/** When the term of an order ends: pure. The registrar does not say it, so it follows from the order (docs/decisions/0222). */

const dayMs = 86_400_000;

function yearsAfter(at: Date, years: number): Date {
  const end = new Date(at);
  end.setUTCFullYear(end.getUTCFullYear() + years);
  return end;
}

/** The end of a new term. What is left of the one that it renews is added, for at most so many days. */
export function termEndOf(
  { now, years }: { now: Date; years: number },
  renewed: { termEndsAt: Date | null } | null,
): Date {
  const leftMs = (renewed?.termEndsAt?.getTime() ?? 0) - now.getTime();
  const carriedMs = Math.min(Math.max(leftMs, 0), carriedMostDays * dayMs);
  return new Date(yearsAfter(now, years).getTime() + carriedMs);
}

/**
 * The end of a term in the light of a certificate that was issued in it. An authority that added nothing ends its last
 * certificate with the years that were paid, to the day: then that is the end. Any other end says nothing of the term.
 */
export function termEndSeen(
  term: { orderedAt: Date; termEndsAt: Date | null },
  { notAfter }: { notAfter: Date },
): Date | null {
  const { orderedAt, termEndsAt } = term;
  if (!termEndsAt) return null;
  let years = 0;
  while (yearsAfter(orderedAt, years + 1) <= termEndsAt) years += 1;
  const paidUntil = yearsAfter(orderedAt, years);
  const carriedMs = termEndsAt.getTime() - paidUntil.getTime();
  const isCarried = carriedMs > dayMs && carriedMs <= (carriedMostDays + 1) * dayMs;
  const endsWithYears = Math.abs(notAfter.getTime() - paidUntil.getTime()) <= dayMs;
  return years > 0 && isCarried && endsWithYears ? notAfter : termEndsAt;
}
