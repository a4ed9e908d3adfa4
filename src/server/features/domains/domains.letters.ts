import { utcDayText } from '#contracts/values/format.ts';
import { verificationDaysLeft } from '#contracts/values/registrant-verification.ts';
import type { Letter } from '#kernel/letters.ts';
import type { OpenVerification } from './verification.repo.ts';
import type { Notice } from './verification.rules.ts';

type Unverified = Pick<OpenVerification, 'address' | 'verification_deadline' | 'verification_bounced'>;

const openings: Record<Notice, string> = {
  begun:
    'The registrar has sent an email to the registrants of these domains. They must follow the link in that email. Otherwise the registrar suspends the domain, and its website and mail stop working.',
  soon: 'The registrants of these domains have still not confirmed their email address. The registrar will suspend the domains, and their websites and mail will stop working.',
  suspended:
    'The registrar has suspended these domains because their registrants did not confirm their email address in time. Their websites and mail do not work. They come back after the registrant has followed the link in the email.',
};

/** To the MSP: registrants who have not confirmed their address, before and after the domain is suspended. */
export function verificationLetter(
  notice: Notice,
  rows: readonly Unverified[],
  now: Date,
  publicUrl: string,
): Letter {
  const [first] = rows;
  const one = rows.length === 1 && first ? first.address : null;
  return {
    subject: subjectOf(notice, one, rows.length),
    parts: [
      openings[notice],
      {
        rows: rows.map((row) => [
          row.address,
          notice === 'suspended' ? '' : timeLeft(row.verification_deadline, now),
          row.verification_bounced ? 'THE EMAIL COULD NOT BE DELIVERED' : '',
        ]),
      },
      "On each domain's page you can resend the email, or correct the registrant's address.",
    ],
    button: one
      ? { text: `Open ${one}`, address: `${publicUrl}/domain/${one}` }
      : { text: 'Open the list of domains', address: `${publicUrl}/domain/list` },
  };
}

function subjectOf(notice: Notice, one: string | null, count: number): string {
  switch (notice) {
    case 'begun':
      return one
        ? `The registrant of ${one} has to confirm their email address`
        : `Registrants of ${count} domains have to confirm their email address`;
    case 'soon':
      return one ? `${one} will be suspended soon` : `${count} domains will be suspended soon`;
    case 'suspended':
      return one ? `${one} is suspended` : `${count} domains are suspended`;
  }
}

function timeLeft(deadline: Date | null, now: Date): string {
  const days = verificationDaysLeft(deadline, now);
  if (days === null || !deadline) return '';
  return `until ${utcDayText(deadline)} (${days === 1 ? '1 day' : `${days} days`} left)`;
}

/** To the MSP: a domain arrived with other nameservers than it had. */
export function nameserversLetter(of: {
  address: string;
  before: readonly string[];
  after: readonly string[];
  publicUrl: string;
}): Letter {
  return {
    subject: `${of.address} has different nameservers after its transfer`,
    parts: [
      `${of.address} has been transferred to your account, but its nameservers have changed.`,
      {
        rows: [
          ['Before', of.before.join(', ')],
          ['Now', of.after.join(', ')],
        ],
      },
      "Please check that this is what you want. You can set the nameservers on the domain's Info tab.",
    ],
    button: { text: `Open ${of.address}`, address: `${of.publicUrl}/domain/${of.address}` },
  };
}
