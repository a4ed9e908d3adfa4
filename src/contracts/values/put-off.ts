import { dayMs } from './time.ts';

/** Longer is not putting off, but forgetting. */
const longestMs = 366 * dayMs;

/** Why something cannot be put off, or muted, until this moment; null: it can. */
export function putOffProblem(until: Date, now: Date): string | null {
  const isWithin = until > now && until.getTime() <= now.getTime() + longestMs;
  return isWithin ? null : 'Please choose a date within the next year';
}

/** Why an entry is not taken over or handed back: it is another's now, or nobody's, than somebody saw. */
export const ownerText = (owner: { name: string } | null): string =>
  owner
    ? `${owner.name} took this entry over since you saw it.`
    : 'This entry was handed back since you saw it. Please look at it again.';

/** Why what somebody saw is not put off: they would not see what it is now. */
export const worseText =
  'This entry has become more urgent, or says something new, since you saw it. Please look at it again.';
