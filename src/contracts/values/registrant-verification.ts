import { dayMs } from './time.ts';

/**
 * A registrant has to confirm their email address within 15 days of a registration or a change of name or email;
 * otherwise the registrar suspends the domain (ICANN, checked 2026-11-21).
 */
export const verificationStates = ['verified', 'waiting', 'reviewing', 'suspended'] as const;
export type VerificationState = (typeof verificationStates)[number];

/** With so many days left the matter is urgent: the MSP gets a second letter, and the page says it in red. */
export const verificationSoonDays = 5;

/** Days until the deadline, begun ones counted: "1 day left" is the last day. 0: it is over. null: no deadline. */
export function verificationDaysLeft(deadline: Date | null, now: Date): number | null {
  return deadline && Math.max(0, Math.ceil((deadline.getTime() - now.getTime()) / dayMs));
}

/** Whether the deadline is so near that it has to be said loudly. */
export function isVerificationUrgent(deadline: Date | null, now: Date): boolean {
  const days = verificationDaysLeft(deadline, now);
  return days !== null && days <= verificationSoonDays;
}
