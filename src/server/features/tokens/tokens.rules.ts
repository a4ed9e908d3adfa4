import { grantable } from '#contracts/operations/tokens.ts';
import { may, type Permission, type Role } from '#contracts/permissions.ts';
import {
  type CustomerReach,
  commonReach,
  type Standing,
  standingOf,
  wholeOrganisation,
} from '#kernel/scope.ts';

/** As the database keeps what a token was given. */
export interface StoredReach {
  reach: 'organisation' | 'customer';
  customerId: string | null;
}

/** Why a token has ended. */
export type TokenEnd = 'revoked' | 'erased' | TokenEndByChange;
/** Nobody ended these themselves: they ended with their person or customer. */
export type TokenEndByChange =
  | 'person_became_customer'
  | 'person_changed_customer'
  | 'person_removed'
  | 'customer_deleted';

function reachOfToken({ reach, customerId }: StoredReach): CustomerReach | null {
  if (reach === 'organisation') return wholeOrganisation;
  return customerId === null ? null : { kind: 'customers', ids: [customerId] };
}

/**
 * As whom a token acts: what its person reaches now and it was given, both. Limited to customers it acts as a
 * customer's own user. Null when nothing is left, whatever the reason.
 */
export function standingOfToken(
  person: { role: Role; customerId: string | null },
  token: StoredReach,
): Standing | null {
  const present = standingOf(person);
  const given = reachOfToken(token);
  const reach = present && given && commonReach(present.reach, given);
  if (!reach) return null;
  // The whole organisation is common to both only where the person reaches it.
  return reach.kind === 'customers' ? { role: 'MSP_CUSTOMER', reach } : present;
}

/** The permissions of a list that a script may have at all. */
export function grantableOf(names: readonly string[]): Permission[] {
  return grantable.filter((known) => names.includes(known));
}

/** What a token opens at present: of what it was given, that which its standing may do. */
export function opensNow(given: readonly string[], standing: Standing | null): Permission[] {
  return standing ? grantableOf(given).filter((name) => may(standing.role, name)) : [];
}

/**
 * When a token ended, and why: null while it lives. Whatever comes to it after its time was over ends it no more.
 */
export function endOfToken(
  token: { expires_at: Date | null; revoked_at: Date | null; ended_because: string | null },
  now: Date,
): { at: Date; because: TokenEnd | 'expired' } | null {
  const { expires_at: expires, revoked_at: revoked } = token;
  if (expires && expires <= (revoked ?? now)) return { at: expires, because: 'expired' };
  return revoked && { at: revoked, because: (token.ended_because as TokenEnd | null) ?? 'revoked' };
}

/** Why the tokens of a person end when the person changes; null when they go on, perhaps with fewer rights. */
export function endOfTokens(
  before: { role: Role; customerId: string | null },
  after: { role: Role; customerId: string | null },
): TokenEndByChange | null {
  if (after.role !== 'MSP_CUSTOMER') return null;
  if (before.role !== 'MSP_CUSTOMER') return 'person_became_customer';
  return before.customerId === after.customerId ? null : 'person_changed_customer';
}
