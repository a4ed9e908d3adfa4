import { utcMomentText } from '#contracts/values/format.ts';
import type { Letter } from '#kernel/letters.ts';

/** To somebody who is asked in: what for, by whom, until when. */
export function invitationLetter(of: {
  organisation: string;
  place: string;
  email: string;
  link: string;
  until: Date;
}): Letter {
  return {
    subject: `${of.organisation} invites you to ${of.place}`,
    parts: [
      `${of.organisation} invites you to ${of.place}.`,
      `Sign in or sign up with ${of.email}, and confirm.`,
    ],
    button: { text: 'Accept the invitation', address: of.link },
    note: `The invitation can be used once, until ${utcMomentText(of.until)}. If you did not expect it, ignore this message.`,
  };
}
