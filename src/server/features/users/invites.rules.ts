/** What can be done with an invitation: pure, from the invitation, the person who signed in, and now. */

/** Shown in the "Invite Status" dialog; `ACCEPT` alone lets the screen accept (P2 §4). */
export const inviteTexts = {
  accept: 'ACCEPT',
  unknown: 'This invitation does not exist.',
  cancelled: 'This invitation was cancelled. Please ask for a new one.',
  used: 'This invitation has already been used.',
  expired: 'This invitation has expired. Please ask for a new one.',
  otherEmail: 'This invitation was sent to another email address. Please sign in with that address.',
  unverified: 'Please verify your email address first. Then open this invitation again.',
  member: 'You already belong to an organization. Leave it before you accept this invitation.',
} as const;

interface KnownInvite {
  email: string;
  accepted_at: Date | null;
  cancelled_at: Date | null;
  /** The organisation was closed. */
  closed_at: Date | null;
  expires_at: Date;
}

interface Signed {
  email: string | null;
  emailVerified: boolean;
}

/**
 * The message for the person; `accept` alone lets them in. A stranger learns nothing of the person it was sent to.
 *
 * @param profile of the person, where there is one already
 * @param customerLives the customer that the invitation is for; true where it is for none
 */
export function inviteVerdict(
  found: KnownInvite | undefined,
  person: Signed,
  profile: { organisationId: string | null; disabled: boolean } | undefined,
  { now, customerLives }: { now: Date; customerLives: boolean },
): string {
  if (!found) return inviteTexts.unknown;
  if (found.accepted_at) return inviteTexts.used;
  if (found.cancelled_at || found.closed_at) return inviteTexts.cancelled;
  if (found.expires_at <= now) return inviteTexts.expired;
  if (found.email.toLowerCase() !== person.email?.toLowerCase()) return inviteTexts.otherEmail;
  if (!person.emailVerified) return inviteTexts.unverified;
  if (profile && (profile.organisationId !== null || profile.disabled)) return inviteTexts.member;
  return customerLives ? inviteTexts.accept : inviteTexts.cancelled;
}
