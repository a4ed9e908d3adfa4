import { AppError } from '#contracts/errors.ts';
import type { Role } from '#contracts/permissions.ts';
import { isUniqueViolation, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { sha256 } from '#kernel/ids.ts';
import type { VerifiedIdentity } from '../../ports/identity.ts';
import { identityWithEmail, type RequestOrigin, type UsersDeps } from './deps.ts';
import { inviteFacts, logInvite } from './invite-log.ts';
import { consumeInvite, findByToken, type InviteByToken } from './invites.repo.ts';
import { inviteTexts, inviteVerdict } from './invites.rules.ts';
import { type ActorRow, findActor, insertUser, placeUser } from './profiles.repo.ts';
import { livingCustomer } from './users.repo.ts';

/** The other side of an invitation: somebody has signed in and follows the link. What is decided is in `invites.rules.ts`. */
export function createAccepting(deps: Pick<UsersDeps, 'systemDb' | 'clock' | 'newId'>) {
  const { systemDb, clock } = deps;

  /** What can be done with an invitation; the message is for the person who signed in. */
  async function check(
    identity: VerifiedIdentity,
    token: string,
  ): Promise<{ message: string; organization?: string; type?: Role; member?: boolean }> {
    return systemTransaction(systemDb, async (tx) => {
      const found = await findByToken(tx, sha256(token));
      const profile = await findActor(tx, identity);
      const message = await verdict(tx, identity, found, profile);
      // A disabled profile is told the same, and has nothing to close.
      if (message === inviteTexts.member && !profile?.disabled) return { message, member: true };
      if (message !== inviteTexts.accept || !found) return { message };
      return { message, organization: found.organisation, type: found.role };
    });
  }

  /** Makes the signed-in person a user of the inviting organisation. The invitation works once, even under concurrent attempts. */
  async function accept(identity: VerifiedIdentity, token: string, origin: RequestOrigin): Promise<void> {
    try {
      await acceptOnce(identity, token, origin);
    } catch (error) {
      // The empty profile was made in the same moment, by the call before this one: now it is seen.
      if (!isUniqueViolation(error, 'users_identity')) throw error;
      await acceptOnce(identity, token, origin);
    }
  }

  async function acceptOnce(identity: VerifiedIdentity, token: string, origin: RequestOrigin): Promise<void> {
    const now = clock.now();
    await systemTransaction(systemDb, async (tx) => {
      const found = await findByToken(tx, sha256(token));
      const profile = await findActor(tx, identity);
      const message = await verdict(tx, identity, found, profile);
      if (!found) throw new AppError('not_found', { message });
      if (message !== inviteTexts.accept) throw new AppError('unprocessable', { message });
      if (!(await consumeInvite(tx, found.id, now))) {
        throw new AppError('unprocessable', { message: inviteTexts.used });
      }
      const person = identityWithEmail(identity);
      const place = {
        organisationId: found.organisation_id,
        role: found.role,
        customerId: found.customer_id,
      };
      const userId = profile?.userId ?? deps.newId(now.getTime());
      if (profile) {
        const { email, emailVerified } = person;
        if (!(await placeUser(tx, userId, { ...place, email, emailVerified }))) {
          throw new AppError('unprocessable', { message: inviteTexts.member });
        }
      } else {
        await insertUser(tx, { id: userId, identity: person, username: '', now, ...place });
      }
      const actor = { organisationId: found.organisation_id, userId, email: person.email, ip: origin.ip };
      await logInvite(tx, actor, 'users.acceptInvite', { row: found, at: now, after: inviteFacts(found) });
    });
  }

  async function verdict(
    tx: Tx,
    identity: VerifiedIdentity,
    found: InviteByToken | undefined,
    profile: ActorRow | undefined,
  ): Promise<string> {
    const customerLives =
      !found?.customer_id || (await livingCustomer(tx, found.organisation_id, found.customer_id));
    return inviteVerdict(found, identity, profile, { now: clock.now(), customerLives });
  }

  return { check, accept };
}
