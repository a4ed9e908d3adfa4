import type { Profile } from '#contracts/operations/users.ts';
import { may, permissions, type Role } from '#contracts/permissions.ts';
import { type CompiledQuery, type Db, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { UsersTable } from '#kernel/db/schema.ts';
import type { Scope } from '#kernel/scope.ts';
import type { VerifiedIdentity } from '../../ports/identity.ts';
import { mayClose } from './closing.rules.ts';
import { logoPath } from './logo.service.ts';
import { findOrganisation } from './organisations.repo.ts';

/** The user behind a sign-in, as every request needs it. */
export interface ActorRow {
  userId: string;
  organisationId: string | null;
  email: string;
  role: Role;
  customerId: string | null;
  disabled: boolean;
  closed: boolean;
  initialFeePaid: boolean;
}

/** Built once: each request sends the same text with other values. */
let actorQuery: CompiledQuery<ActorRow> | null = null;

/** One query across tenants, on the system's pool: nothing but the sign-in is known yet. */
export async function findActor(
  db: Db | Tx,
  { issuer, subject }: Pick<VerifiedIdentity, 'issuer' | 'subject'>,
): Promise<ActorRow | undefined> {
  actorQuery ??= buildActorQuery(db);
  const { rows } = await db.executeQuery<ActorRow>({ ...actorQuery, parameters: [issuer, subject] });
  return rows[0];
}

/** Its parameters are the issuer and the subject, in this order. */
function buildActorQuery(db: Db | Tx): CompiledQuery<ActorRow> {
  return db
    .selectFrom('users as u')
    .leftJoin('organisations as o', 'o.id', 'u.organisation_id')
    .leftJoin('billing_profiles as b', 'b.organisation_id', 'u.organisation_id')
    .where('u.identity_issuer', '=', '')
    .where('u.identity_subject', '=', '')
    .where('u.removed_at', 'is', null)
    .select([
      'u.id as userId',
      'u.organisation_id as organisationId',
      'u.email',
      'u.role',
      'u.customer_id as customerId',
      sql<boolean>`u.disabled_at IS NOT NULL`.as('disabled'),
      sql<boolean>`o.closed_at IS NOT NULL`.as('closed'),
      sql<boolean>`coalesce(b.initial_fee_paid, false)`.as('initialFeePaid'),
    ])
    .compile();
}

export interface NewUser {
  id: string;
  organisationId: string | null;
  identity: VerifiedIdentity & { email: string };
  username: string;
  role: Role;
  customerId: string | null;
  now: Date;
}

/** A profile for a sign-in that has none; the database refuses a second living one. */
export async function insertUser(tx: Tx, user: NewUser): Promise<void> {
  await tx
    .insertInto('users')
    .values({
      id: user.id,
      organisation_id: user.organisationId,
      identity_issuer: user.identity.issuer,
      identity_subject: user.identity.subject,
      email: user.identity.email,
      email_verified: user.identity.emailVerified,
      username: user.username,
      role: user.role,
      customer_id: user.customerId,
      daily_limit_cents: null,
      disabled_at: null,
      removed_at: null,
      last_seen_at: null,
      created_at: user.now,
    })
    .execute();
}

/** Gives an empty profile its place; false when it has one already. */
export async function placeUser(
  tx: Tx,
  userId: string,
  place: {
    organisationId: string;
    role: Role;
    customerId: string | null;
    email: string;
    emailVerified: boolean;
    username?: string;
  },
): Promise<boolean> {
  const result = await tx
    .updateTable('users')
    .set({
      organisation_id: place.organisationId,
      role: place.role,
      customer_id: place.customerId,
      email: place.email,
      email_verified: place.emailVerified,
      ...(place.username === undefined ? {} : { username: place.username }),
    })
    .where('id', '=', userId)
    .where('organisation_id', 'is', null)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The signed-in user with what other features know of the organisation. */
export async function findProfile(tx: Tx, scope: Scope): Promise<Profile | undefined> {
  const row = await tx
    .selectFrom('users as u')
    .innerJoin('organisations as o', 'o.id', 'u.organisation_id')
    .leftJoin('billing_profiles as b', 'b.organisation_id', 'u.organisation_id')
    .leftJoin('customers as c', 'c.id', 'u.customer_id')
    .where('u.organisation_id', '=', scope.organisationId)
    .where('u.id', '=', scope.userId)
    .where('u.removed_at', 'is', null)
    .selectAll('u')
    .select([
      'o.name as organisation',
      'o.logo_key',
      'c.allow_domain_settings',
      'b.payment_account_id',
      'b.payment_account_ready',
      'b.initial_fee_paid',
      'b.auto_topup',
      'b.auto_topup_cents',
      'b.auto_topup_mark_cents',
      sql<boolean>`EXISTS (SELECT FROM users w WHERE w.organisation_id = u.organisation_id AND w.id <> u.id
        AND w.role = 'MSP_OWNER' AND w.removed_at IS NULL AND w.disabled_at IS NULL)`.as('owned_by_other'),
    ])
    .executeTakeFirst();
  if (!row) return undefined;
  const money = may(row.role, 'balance.read');
  return {
    ...profileBasics(row),
    permissions: permissionsOf(row.role, {
      settings: row.allow_domain_settings ?? false,
      closing: mayClose(row.role, row.owned_by_other ? 1 : 0),
    }),
    organization: row.organisation,
    organizationId: scope.organisationId,
    logoPath: row.logo_key === null ? null : logoPath(row.logo_key),
    stripeAccount: {
      id: may(row.role, 'account.payment') ? row.payment_account_id : null,
      finishedRequirement: row.payment_account_ready ?? false,
    },
    paidInitialFee: row.initial_fee_paid ?? false,
    autoBalance: {
      active: (money && row.auto_topup) ?? false,
      // P2 §9: 100 and 50 dollars until somebody sets others.
      amount: (money && row.auto_topup_cents) || 10_000,
      mark: (money && row.auto_topup_mark_cents) || 5_000,
    },
  };
}

function profileBasics(row: Selectable<UsersTable>) {
  return {
    userId: row.id,
    username: row.username,
    email: row.email,
    emailVerified: row.email_verified,
    type: row.role,
    authorizedClientId: row.customer_id,
    firstName: row.first_name,
    lastName: row.last_name,
    // The address is kept at the payment provider (P1 §6); the portal has none of its own.
    address1: '',
    address2: '',
    address3: '',
    city: '',
    state: '',
    postalCode: '',
    country: '',
    phone: '',
  };
}

/** What the role holds. Two depend on more: on what the MSP allows a customer's own user, and on whether there is an owner. */
function permissionsOf(role: Role, also: { settings: boolean; closing: boolean }): string[] {
  const names = Object.keys(permissions) as (keyof typeof permissions)[];
  return names.filter(
    (name) =>
      may(role, name) &&
      (name !== 'domains.settings' || role !== 'MSP_CUSTOMER' || also.settings) &&
      (name !== 'organisation.close' || also.closing),
  );
}

/** What an organisation is called and looks like; null when there is none, or it is closed. */
export async function findBrand(
  tx: Tx,
  organisationId: string,
): Promise<{ name: string; logoPath: string | null } | null> {
  const row = await findOrganisation(tx, organisationId);
  return row && row.closed_at === null
    ? { name: row.name, logoPath: row.logo_key === null ? null : logoPath(row.logo_key) }
    : null;
}
