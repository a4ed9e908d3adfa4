import { AppError } from '#contracts/errors.ts';
import type { Role } from '#contracts/permissions.ts';
import type { AuditActor, AuditEntry } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db, Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Seal } from '#kernel/seal.ts';
import type { VerifiedIdentity } from '../../ports/identity.ts';
import type { Mail, MailBrand } from '../../ports/mail.ts';

/** What becomes of API tokens when people change. The tokens know how; they come after the users. */
export interface TokensOfPeople {
  personChanged(tx: Tx, scope: AuditActor, userId: string, before: Place, after: Place): Promise<void>;
  end(
    tx: Tx,
    scope: AuditActor,
    whose: { userId: string } | { customerId: string },
    because: 'person_removed' | 'customer_deleted',
  ): Promise<void>;
  /** As `end`, with the entries of the log left to the caller. */
  endRows(
    tx: Tx,
    scope: AuditActor,
    whose: { userId: string },
    because: 'person_removed',
  ): Promise<AuditEntry[]>;
}
interface Place {
  role: Role;
  customerId: string | null;
}

export interface UsersDeps {
  tokens: TokensOfPeople;
  /** What goes on in an organisation's name and ends when it is closed. Each changes rows only, and says what the log is to hold. */
  endsWithOrganisation: readonly ((tx: Tx, scope: Scope, now: Date) => Promise<AuditEntry[]>)[];
  db: Db;
  /** People sign in before their organisation is known: those steps go across tenants. */
  systemDb: Db;
  clock: Clock;
  newId: (nowMs: number) => string;
  seal: Seal;
  mail: Mail;
  /** Name and logo of an organisation, as mails bear them. */
  brandOf(organisationId: string): Promise<MailBrand | null>;
  /** Of the portal, without a slash at the end; invitation links start with it. */
  publicUrl: string;
  productName: string;
  /** Of the customers' own portal, if there is one. */
  clientUrl: string | null;
  /** Whether anyone may create an organisation. In the customers' portal, people join by invitation only. */
  openSignUp: boolean;
}

/** Where a request without a scope came from. */
export interface RequestOrigin {
  ip: string | null;
}

/** The identity with its email address; without one there is nothing to invite or to write to. */
export function identityWithEmail(identity: VerifiedIdentity): VerifiedIdentity & { email: string } {
  if (!identity.email) {
    throw new AppError('unprocessable', {
      message: 'Your sign-in does not share your email address. Please allow this and sign in again.',
    });
  }
  return { ...identity, email: identity.email };
}
