import type { Contact } from '../../src/contracts/values/contact.ts';
import { endAutoBalance } from '../../src/server/features/billing/index.ts';
import { type CustomersApi, createCustomers } from '../../src/server/features/customers/index.ts';
import { endWatching } from '../../src/server/features/health/index.ts';
import { createTokens } from '../../src/server/features/tokens/index.ts';
import { createLogo, createUsers, type UsersApi } from '../../src/server/features/users/index.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import type { VerifiedIdentity } from '../../src/server/ports/identity.ts';
import type { Mail, MailBrand } from '../../src/server/ports/mail.ts';
import type { Storage } from '../../src/server/ports/storage.ts';
import type { TestDatabase } from './database.ts';
import { mailbox, type SentLetter } from './letters.ts';

export const owner: Contact = {
  organization: 'Example Ltd',
  firstName: 'Ada',
  lastName: 'Byron',
  address1: '1 Main Street',
  city: 'Toronto',
  state: 'ON',
  postalCode: 'M5V1A1',
  country: 'CA',
  email: 'ada@example.com',
  phone: '+1.4165550123',
};

/** Contacts with one person in all three places. */
export function contactsOf(change: Partial<Contact> = {}) {
  const contact = { ...owner, ...change };
  return { owner: contact, admin: contact, billing: contact };
}

/** Someone as the identity provider vouches for; each call is another person. */
export function identityOf(change: Partial<VerifiedIdentity> = {}): VerifiedIdentity {
  const subject = newId();
  return {
    issuer: 'https://identity.test/',
    subject,
    email: `${subject}@example.com`,
    emailVerified: true,
    name: null,
    authenticatedAt: 0,
    expiresAt: 0,
    ...change,
  };
}

export interface People {
  users: UsersApi;
  customers: CustomersApi;
  /** What was mailed, oldest first. */
  letters: SentLetter[];
  send: Mail['send'];
  brandOf(organisationId: string): Promise<MailBrand | null>;
  clock: { now(): Date; forward(ms: number): void };
  /** The scope of a request of this person, asked from the database as the edge does. */
  scopeOf(identity: VerifiedIdentity): Promise<Scope>;
  /** A new organisation with its first user, an MSP_ADMIN. */
  organisation(name?: string): Promise<{ scope: Scope; identity: VerifiedIdentity }>;
  /** A further user of the organisation, invited and accepted. */
  join(
    inviter: Scope,
    as: { type: 'MSP_EMPLOYEE' } | { type: 'MSP_CUSTOMER'; authorizedClientId: string },
    identity?: VerifiedIdentity,
  ): Promise<{ scope: Scope; identity: VerifiedIdentity }>;
}

/** Users and customers as the portal composes them, on a test's own database and clock. `openSignUp`: false in the customers' portal. */
export function createPeople(database: TestDatabase, { openSignUp = true } = {}): People {
  const { letters, send } = mailbox();
  let nowMs = Date.parse('2026-11-21T12:00:00Z');
  const clock = {
    now: () => new Date(nowMs),
    forward: (ms: number) => {
      nowMs += ms;
    },
  };
  // Nobody here has a logo.
  const storage: Pick<Storage, 'read'> = { read: async () => null };
  const { brandOf } = createLogo({ db: database.db, storage: storage as Storage, clock });
  const tokens = createTokens({ db: database.db, systemDb: database.systemDb, clock, newId });
  const users = createUsers({
    tokens,
    endsWithOrganisation: [endAutoBalance, endWatching],
    db: database.db,
    systemDb: database.systemDb,
    clock,
    newId,
    seal: createSeal([{ number: 1, secret: 'test' }]),
    mail: { send },
    brandOf,
    publicUrl: 'https://portal.test',
    productName: 'Nameward',
    clientUrl: 'https://customers.test',
    openSignUp,
  });
  const customers = createCustomers({ db: database.db, clock, newId, users });

  async function scopeOf(identity: VerifiedIdentity): Promise<Scope> {
    const entrant = await users.loadActor(identity);
    if (!entrant) throw new Error('no profile');
    return { ...entrant.actor, ip: '192.0.2.1', requestId: 'test' };
  }

  return {
    users,
    customers,
    letters,
    send,
    brandOf,
    clock,
    scopeOf,
    async organisation(name = 'Example MSP') {
      const identity = identityOf();
      await users.createProfile(identity, { username: 'firstuser', organization: name }, { ip: null });
      return { identity, scope: await scopeOf(identity) };
    },
    async join(inviter, as, identity = identityOf()) {
      const invite = await users.invites.invite(inviter, { email: identity.email ?? '', ...as });
      const token = invite.link.split('/').at(-1) ?? '';
      await users.createSubuser(identity);
      await users.invites.accept(identity, token, { ip: null });
      return { identity, scope: await scopeOf(identity) };
    },
  };
}
