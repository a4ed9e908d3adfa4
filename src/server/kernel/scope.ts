import { AppError } from '#contracts/errors.ts';
import type { Permission, Reach, Role } from '#contracts/permissions.ts';
import { reachOf } from '#contracts/permissions.ts';
import { type RawBuilder, sql } from './db/database.ts';

/** All customers of the organisation, and what belongs to none. */
export interface WholeOrganisation {
  readonly kind: 'organisation';
}
/** What belongs to these customers, and nothing else; there is at least one. */
export interface SomeCustomers {
  readonly kind: 'customers';
  readonly ids: readonly [string, ...string[]];
}
/**
 * Whose things a caller reaches. There is no value for "not said": somebody without a reach reaches nothing, because
 * they have no scope.
 */
export type CustomerReach = WholeOrganisation | SomeCustomers;

/** What a caller may do: what their role may, or less. */
export type Rights =
  | { readonly kind: 'role' }
  | { readonly kind: 'named'; readonly permissions: readonly Permission[] };

/** A role together with the reach that it has. The two cannot contradict each other. */
export type Standing =
  | { readonly role: Exclude<Role, 'MSP_CUSTOMER'>; readonly reach: WholeOrganisation }
  | { readonly role: 'MSP_CUSTOMER'; readonly reach: SomeCustomers };

export const wholeOrganisation: WholeOrganisation = { kind: 'organisation' };
export const rightsOfRole: Rights = { kind: 'role' };

/**
 * Who acts, for which organisation, and how far they reach. Every repository takes one; there is no way around it.
 * Role and organisation come from the database on each request, never from token claims.
 */
export type Scope = Actor & {
  /** Where the request came from, for the audit log. */
  ip: string | null;
  requestId: string;
};

/** The parts of a scope that the database knows; the request adds where it came from. */
export type Actor = Standing & {
  organisationId: string;
  userId: string;
  email: string;
  rights: Rights;
  /** The API token by which a script acts; absent for people. */
  tokenId?: string;
};

/** A person or a script as a request's credentials show them, with what the edge asks of their organisation. */
export interface Entrant {
  actor: Actor;
  initialFeePaid: boolean;
}

/**
 * Role and reach of a person as the database has them. Null for a customer's user whose customer is not known: absence
 * is never the whole organisation.
 */
export function standingOf(person: { role: Role; customerId: string | null }): Standing | null {
  if (person.role !== 'MSP_CUSTOMER') return { role: person.role, reach: wholeOrganisation };
  if (person.customerId === null) return null;
  return { role: person.role, reach: { kind: 'customers', ids: [person.customerId] } };
}

/** What lies in both reaches; null when nothing does. */
export function commonReach(one: CustomerReach, other: CustomerReach): CustomerReach | null {
  if (one.kind === 'organisation') return other;
  if (other.kind === 'organisation') return one;
  const [first, ...more] = one.ids.filter((id) => other.ids.includes(id));
  return first === undefined ? null : { kind: 'customers', ids: [first, ...more] };
}

type HasReach = Pick<Scope, 'reach'>;

/** Whether the caller is limited to some customers, as a customer's own users are. */
export function isLimited({ reach }: HasReach): boolean {
  return reach.kind === 'customers';
}

/** Whether a thing of this customer is in reach; null: of no customer. */
export function reaches({ reach }: HasReach, customerId: string | null): boolean {
  return reach.kind === 'organisation' || (customerId !== null && reach.ids.includes(customerId));
}

/** The condition that keeps a statement within the reach; `column` names the customer of a row. */
export function withinReach({ reach }: HasReach, column: string): RawBuilder<boolean> {
  if (reach.kind === 'organisation') return sql<boolean>`true`;
  return ofCustomers(column, idList(reach));
}

/** For statements that are built once and sent with other values: the reach as one value of the statement. */
export function idList(reach: SomeCustomers): string {
  return `{${reach.ids.join(',')}}`;
}

/** The condition of `withinReach` for such a statement. */
export function ofCustomers(column: string, ids: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = ANY (${ids}::uuid[])`;
}

/** Whether the caller has a permission: by their role, and by what their token was given. */
export function holds(scope: Scope, permission: Permission): boolean {
  const given = scope.rights.kind === 'role' || scope.rights.permissions.includes(permission);
  return given && reachOf(scope.role, permission) !== 'none';
}

/** Throws `forbidden` unless the role holds the permission; says how far it reaches. */
export function requirePermission(scope: Scope, permission: Permission): Exclude<Reach, 'none'> {
  const reach = reachOf(scope.role, permission);
  if (reach === 'none' || !holds(scope, permission)) throw new AppError('forbidden');
  return reach;
}
