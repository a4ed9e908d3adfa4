import type { UserRow } from '#contracts/operations/users.ts';
import { type Role, roles } from '#contracts/permissions.ts';
import { decimalText } from '#contracts/values/format.ts';
import { decimalTextToCents } from '#contracts/values/money.ts';
import type { Field } from '../../lib/merge.ts';

/** What the form of a user holds: pure rules, so that each can be shown by itself. */

export interface UserValues {
  type: Role;
  customer: string | null;
  /** Of dollars a day, as it is typed. */
  limit: string;
}

/** What the form starts with. `wanted`: the type that was chosen before a sign-in was asked for. */
export function valuesOf(
  user: Pick<UserRow, 'type' | 'authorizedClientId' | 'dailyLimit'>,
  wanted: Role | null,
): UserValues {
  return {
    type: wanted ?? user.type,
    customer: user.authorizedClientId,
    limit: user.dailyLimit === null ? '' : decimalText(user.dailyLimit),
  };
}

/**
 * The types that the acting person may assign to a user of a type. Design, permission table: an owner names owners and
 * administrators; an administrator the first owner only.
 */
export function grantable(present: Role, { by, ownerless }: { by: Role; ownerless: boolean }): Role[] {
  if (by === 'MSP_OWNER') return [...roles];
  return roles.filter(
    (role) => role === present || (role === 'MSP_OWNER' ? ownerless : role !== 'MSP_ADMIN'),
  );
}

/** What is wrong with the values; null of what is not. */
export function problemsOf({ type, customer, limit }: UserValues) {
  const isLimitWrong = type === 'MSP_EMPLOYEE' && limit.trim() !== '' && centsOf(limit) === null;
  return {
    customer: type === 'MSP_CUSTOMER' && !customer ? 'Please choose the customer' : null,
    limit: isLimitWrong ? 'Please enter an amount such as 250.00' : null,
  };
}

/**
 * What the form sends: only what was changed, so that what somebody else changed meanwhile stays. Only employees have a limit, and
 * only a customer's own users a customer.
 */
export function changesOf({ type, customer, limit }: UserValues, before: UserValues) {
  const isMoved = type === 'MSP_CUSTOMER' && customer !== before.customer;
  const dailyLimit = centsOf(limit);
  const isLimited = type === 'MSP_EMPLOYEE' && dailyLimit !== centsOf(before.limit);
  return {
    ...(type === before.type ? {} : { type }),
    ...(isMoved ? { authorizedClientId: customer } : {}),
    ...(isLimited ? { dailyLimit } : {}),
  };
}

/** The same as it was before: what a change replaces. */
export function shownOf(changes: ReturnType<typeof changesOf>, before: UserValues) {
  return {
    ...('type' in changes ? { type: before.type } : {}),
    ...('authorizedClientId' in changes ? { authorizedClientId: before.customer } : {}),
    ...('dailyLimit' in changes ? { dailyLimit: centsOf(before.limit) } : {}),
  };
}

/** What two people may change of a user. */
export const userFields: Field<UserValues>[] = [
  { label: 'Type', text: ({ type }) => type, take: (into, { type }) => ({ ...into, type }) },
  {
    label: 'Customer',
    text: ({ customer }) => customer ?? '',
    take: (into, { customer }) => ({ ...into, customer }),
  },
  {
    label: 'Daily limit',
    text: ({ limit }) => String(centsOf(limit)),
    take: (into, { limit }) => ({ ...into, limit }),
  },
];

/** What the server has against a value, at the field where it was typed. */
export function fieldErrors(faults: readonly { path: string; message: string }[]) {
  const of = (field: string) => faults.find(({ path }) => path === field)?.message;
  const [customer, limit] = [of('authorizedClientId'), of('dailyLimit')];
  return { ...(customer ? { customer } : {}), ...(limit ? { limit } : {}) };
}

/** Cents of an amount that is not negative; null when it is none. */
function centsOf(text: string): number | null {
  const cents = decimalTextToCents(text.replaceAll(',', '').trim());
  return cents === null || cents < 0 ? null : cents;
}
