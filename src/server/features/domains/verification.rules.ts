import { isVerificationUrgent, type VerificationState } from '#contracts/values/registrant-verification.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { RegistrantVerification } from '../../ports/registrar.ts';

/** What the portal keeps of a registrant's verification. */
export interface KnownVerification {
  state: VerificationState | null;
  deadline: Date | null;
  /** The last letter the MSP got about it. */
  told: Notice | null;
}

/** Letters to the MSP: verification has begun, its deadline is near, the domain is suspended. */
export type Notice = 'begun' | 'soon' | 'suspended';

/** What is kept after a reading. A new deadline or a confirmed address ends the round: its letters may come again. */
export function afterReading(
  before: KnownVerification,
  read: RegistrantVerification,
  now: Date,
): KnownVerification {
  const { state } = read;
  const deadline = state === 'verified' || state === null ? null : deadlineOf(read, now);
  const isOtherRound =
    state === 'verified' ||
    (state === 'waiting' && before.state === 'suspended') ||
    (deadline !== null && before.deadline !== null && deadline.getTime() - before.deadline.getTime() > dayMs);
  return { state, deadline, told: isOtherRound ? null : before.told };
}

/** The registrar says a date, or the days that are left, or neither. */
function deadlineOf(read: RegistrantVerification, now: Date): Date | null {
  if (read.deadline) return read.deadline;
  return read.daysToSuspend === null ? null : new Date(now.getTime() + read.daysToSuspend * dayMs);
}

/** The letter that is due now; each comes once in a round, and a later one covers those before it. */
export function noticeDue(known: KnownVerification, now: Date): Notice | null {
  const { state, deadline, told } = known;
  if (state === 'suspended') return told === 'suspended' ? null : 'suspended';
  if (state !== 'waiting' || told === 'suspended' || told === 'soon') return null;
  if (isVerificationUrgent(deadline, now)) return 'soon';
  return told === null ? 'begun' : null;
}
