import { AppError } from '#contracts/errors.ts';
import type { Profile } from '#contracts/operations/users.ts';
import { audit } from '#kernel/audit.ts';
import { inReading, isUniqueViolation, systemTransaction } from '#kernel/db/database.ts';
import { joined } from '#kernel/joined.ts';
import { type Entrant, rightsOfRole, type Scope, standingOf, wholeOrganisation } from '#kernel/scope.ts';
import { openWallet } from '../../ledger/ledger.ts';
import type { VerifiedIdentity } from '../../ports/identity.ts';
import { identityWithEmail, type RequestOrigin, type UsersDeps } from './deps.ts';
import { insertOrganisation } from './organisations.repo.ts';
import { findActor, findBrand, findProfile, insertUser, placeUser } from './profiles.repo.ts';

export function createProfiles(deps: UsersDeps) {
  const { db, systemDb, clock } = deps;

  /**
   * The user behind a sign-in, read again on every request, so that a removal or a change of role works on the next
   * one. null when there is no profile, or an empty one that belongs to no organisation yet. A screen asks for several
   * things at once: one look at the person does for all that have come by then.
   */
  const loadActor = joined(readActor, ({ issuer, subject }) => `${issuer} ${subject}`);

  async function readActor(identity: Pick<VerifiedIdentity, 'issuer' | 'subject'>): Promise<Entrant | null> {
    const row = await findActor(systemDb, identity);
    if (!row || row.organisationId === null) return null;
    if (row.disabled) throw new AppError('forbidden', { message: 'This user is disabled.' });
    if (row.closed) throw new AppError('forbidden', { message: 'This organization is closed.' });
    const standing = standingOf(row);
    if (!standing) throw new AppError('forbidden', { message: 'This user has no customer.' });
    const { userId, organisationId, email, initialFeePaid } = row;
    return { actor: { userId, organisationId, email, ...standing, rights: rightsOfRole }, initialFeePaid };
  }

  /** Sign-up: an organisation, its wallet, and its first user as MSP_ADMIN (decisions no. 19). */
  async function createProfile(
    identity: VerifiedIdentity,
    body: { username: string; organization: string },
    origin: RequestOrigin,
  ): Promise<Profile> {
    if (!deps.openSignUp) {
      throw new AppError('forbidden', {
        message: 'You need an invitation to join. Please ask your provider for one.',
      });
    }
    const person = identityWithEmail(identity);
    const now = clock.now();
    const organisationId = deps.newId(now.getTime());
    try {
      const scope = await systemTransaction(systemDb, async (tx) => {
        const empty = await findActor(tx, identity);
        if (empty && empty.organisationId !== null) throw new AppError('user_already_exists');
        await insertOrganisation(tx, { id: organisationId, name: body.organization, now });
        await openWallet(tx, organisationId);
        const place = {
          organisationId,
          role: 'MSP_ADMIN' as const,
          customerId: null,
          username: body.username,
        };
        const userId = empty?.userId ?? deps.newId(now.getTime());
        if (empty) {
          const { email, emailVerified } = person;
          // An invitation was accepted in the same moment.
          if (empty.disabled || !(await placeUser(tx, userId, { ...place, email, emailVerified }))) {
            throw new AppError('user_already_exists');
          }
        } else {
          await insertUser(tx, { id: userId, identity: person, now, ...place });
        }
        const made = { organisationId, userId, email: person.email, ip: origin.ip };
        await audit(tx, made, {
          at: now,
          action: 'users.createProfile',
          objectKind: 'organisation',
          object: organisationId,
          customerId: null,
          subject: userId,
          after: { organization: body.organization, username: body.username, type: place.role },
        });
        return { ...made, role: place.role, reach: wholeOrganisation, rights: rightsOfRole, requestId: '' };
      });
      return await getProfile(scope);
    } catch (error) {
      if (isUniqueViolation(error, 'users_identity')) throw new AppError('user_already_exists');
      throw error;
    }
  }

  /** An empty profile for an invited person (P2 §4); accepting the invitation fills it. */
  async function createSubuser(identity: VerifiedIdentity): Promise<{ userId: string }> {
    const person = identityWithEmail(identity);
    const now = clock.now();
    const userId = deps.newId(now.getTime());
    try {
      await systemTransaction(systemDb, (tx) =>
        insertUser(tx, {
          id: userId,
          organisationId: null,
          identity: person,
          username: '',
          role: 'MSP_EMPLOYEE',
          customerId: null,
          now,
        }),
      );
    } catch (error) {
      if (isUniqueViolation(error, 'users_identity')) throw new AppError('user_already_exists');
      throw error;
    }
    return { userId };
  }

  async function getProfile(scope: Scope): Promise<Profile> {
    const profile = await inReading(db, scope, (tx) => findProfile(tx, scope));
    if (!profile) throw new AppError('no_profile');
    return profile;
  }

  /** Name and logo of an organisation that is open, for those who have not signed in yet. */
  function brandOf(organisationId: string): Promise<{ name: string; logoPath: string | null } | null> {
    return systemTransaction(systemDb, (tx) => findBrand(tx, organisationId));
  }

  return { brandOf, loadActor, createProfile, createSubuser, getProfile };
}
