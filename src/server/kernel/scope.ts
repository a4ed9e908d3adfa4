import { AppError } from '#contracts/errors.ts';
import type { Permission, Reach, Role } from '#contracts/permissions.ts';
import { reachOf } from '#contracts/permissions.ts';

/**
 * Who acts, for which organisation, and how far he reaches. Every repository takes one; there is no way around it.
 * Role and organisation come from the database on each request, never from token claims.
 */
export interface Scope {
  organisationId: string;
  userId: string;
  email: string;
  role: Role;
  /** The one customer of an MSP_CUSTOMER; null for staff. */
  customerId: string | null;
  /** Of an API token: what it was given; absent for people, who may what their role may. */
  grants?: readonly Permission[];
  /** The API token by which a script acts; absent for people. */
  tokenId?: string;
  /** Where the request came from, for the audit log. */
  ip: string | null;
  requestId: string;
}

/** The customer a scope is limited to, or null when it reaches the whole organisation. */
export function customerLimit(scope: Scope): string | null {
  return scope.role === 'MSP_CUSTOMER' ? scope.customerId : null;
}

/** Whether the caller has a permission: by his role, and by what his token was given. */
export function holds(scope: Scope, permission: Permission): boolean {
  return reachOf(scope.role, permission) !== 'none' && (scope.grants?.includes(permission) ?? true);
}

/** Throws `forbidden` unless the role holds the permission; says how far it reaches. */
export function requirePermission(scope: Scope, permission: Permission): Exclude<Reach, 'none'> {
  const reach = reachOf(scope.role, permission);
  if (reach === 'none' || !holds(scope, permission)) throw new AppError('forbidden');
  return reach;
}
