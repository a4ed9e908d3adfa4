import { AppError, type FieldError } from '#contracts/errors.ts';
import type { ImportRow } from '#contracts/operations/customer-import.ts';
import type { Customer, CustomerChoice } from '#contracts/operations/customers.ts';
import { noMarkups } from '#contracts/values/money.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import { holds, isLimited, type Scope } from '#kernel/scope.ts';
import type { CustomerState } from './customers.repo.ts';

const refusals = {
  billing: 'Only owners and administrators change direct billing and markups',
  own: 'Only your provider can change this',
  edit: 'You can add customers, but not change existing ones',
} as const;

/**
 * Refuses a change that goes beyond the permission table: billing and markups are for managers, and a customer's own
 * users edit contacts only. What is sent back unchanged is no change, so that a form may send all it shows.
 */
export function requireRight(scope: Scope, before: CustomerState, after: CustomerState): void {
  const details = refusalsOfChange(scope, before, after);
  const [first] = details;
  if (first) throw new AppError('forbidden', { message: `${first.message}.`, details });
}

function refusalsOfChange(scope: Scope, before: CustomerState, after: CustomerState): FieldError[] {
  const limited = isLimited(scope);
  const guarded: readonly (readonly [keyof CustomerState, string, boolean])[] = [
    ['billing', limited ? refusals.own : refusals.billing, holds(scope, 'customers.billing')],
    ['markups', limited ? refusals.own : refusals.billing, holds(scope, 'customers.billing')],
    ['allowDomainSettings', refusals.own, !limited],
  ];
  return guarded
    .filter(([, , allowed]) => !allowed)
    .flatMap(([part, message]) => {
      const change = changedParts(before[part], after[part]);
      return change ? leaves(change.after, part).map((path) => ({ path, message })) : [];
    });
}

/**
 * What a row of a file says beyond what its person may, cell by cell. `before`: of the customer that it is about; null for a new
 * one. A script may have been given leave to add customers alone.
 */
export function refusalsOfRow(
  scope: Scope,
  before: CustomerState | null,
  after: CustomerState,
): readonly FieldError[] {
  const change = before && changedParts(before, after);
  if (change && !holds(scope, 'customers.edit')) {
    return leaves(change.after, '').map((path) => ({ path, message: refusals.edit }));
  }
  return refusalsOfChange(scope, before ?? { ...untouched, contacts: after.contacts }, after);
}

const untouched = {
  billing: { billDirectly: false, email: '', allowChangeBilling: false },
  markups: noMarkups,
  allowDomainSettings: false,
};

/** What a customer's own users see of it: the MSP's markups and payment arrangements are not theirs. */
export function visibleTo<
  C extends Pick<Customer, 'billing' | 'markups' | 'paymentMethodSet' | 'chargesStopped'>,
>(scope: Scope, customer: C): C {
  if (!isLimited(scope)) return customer;
  return {
    ...customer,
    billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false },
    markups: noMarkups,
    paymentMethodSet: false,
    chargesStopped: null,
  };
}

/** The same of a customer to choose from. */
export function visibleChoice(scope: Scope, choice: CustomerChoice): CustomerChoice {
  if (!isLimited(scope)) return choice;
  const { customerId, organization } = choice;
  return { customerId, organization, markups: null };
}

/** A row of a file as its person may see it: what it changes is not shown to a script that may not read customers. */
export function visibleRow(scope: Scope, row: ImportRow): ImportRow {
  if (holds(scope, 'customers.read')) return row;
  return { ...row, changes: row.changes.map((change) => ({ ...change, before: '' })) };
}

function leaves(value: unknown, path: string): string[] {
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}
