import { dayMs } from '#contracts/values/time.ts';
import { inReading } from '#kernel/db/database.ts';
import { newSecret, sha256 } from '#kernel/ids.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import type { UsersDeps } from './deps.ts';
import { findOpenInvite, type Invite, sealContext } from './invites.repo.ts';
import { invitationLetter } from './users.letters.ts';

/** An invitation is good for 7 days (design: security). */
const validMs = 7 * dayMs;

/** The link of an invitation: its secret, its address, and the letter that carries it. */
export function createInviteLinks(
  deps: Pick<
    UsersDeps,
    'db' | 'clock' | 'seal' | 'mail' | 'brandOf' | 'clientUrl' | 'publicUrl' | 'productName'
  >,
) {
  const { db, clock, seal } = deps;

  function secretFor(row: { id: string; organisation_id: string }, now: Date) {
    const token = newSecret();
    return {
      token_hash: sha256(token),
      token_sealed: seal.seal(token, sealContext(row)),
      expires_at: new Date(now.getTime() + validMs),
    };
  }

  /** Empty when the key it was sealed under is configured no longer: then the invitation can be sent again. */
  function linkOf(row: Invite): string {
    try {
      const portal = (row.role === 'MSP_CUSTOMER' && deps.clientUrl) || deps.publicUrl;
      return `${portal}/invite/${seal.open(row.token_sealed, sealContext(row))}`;
    } catch {
      return '';
    }
  }

  /** The job `users.mail-invite`: the link is unsealed here only, so that no job table ever holds it. */
  async function mail(payload: JobPayload<'users.mail-invite'>): Promise<void> {
    const letter = await inReading(db, payload, async (tx) => {
      const found = await findOpenInvite(tx, payload, payload.inviteId);
      if (!found || found.expires_at <= clock.now()) return null;
      return { found, link: linkOf(found) };
    });
    const brand = await deps.brandOf(payload.organisationId);
    if (!letter?.link || !brand) return;
    const { found, link } = letter;
    const ofCustomer = found.role === 'MSP_CUSTOMER';
    await deps.mail.send({
      to: found.email,
      // A customer's own user deals with the MSP: it writes in its own name (decision 90).
      ...{ brand, inItsName: ofCustomer },
      letter: invitationLetter({
        organisation: brand.name,
        place: ofCustomer ? 'your domains and certificates' : deps.productName,
        ...{ email: found.email, link, until: found.expires_at },
      }),
      messageId: `invite-${found.id}-${found.token_hash.toString('hex').slice(0, 16)}`,
    });
  }

  return { secretFor, linkOf, mail };
}
