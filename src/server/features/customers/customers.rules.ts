import type { CreateCustomerBody, Customer, UpdateCustomerBody } from '#contracts/operations/customers.ts';
import { billingChip } from '#contracts/values/direct-billing.ts';
import { keptWords } from '#contracts/values/kept-words.ts';
import { type Markups, noMarkup, noMarkups } from '#contracts/values/money.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import type { CustomerState } from './customers.repo.ts';
import type { BilledCustomer } from './payment.repo.ts';

/** What a customer is after what was sent: pure, from the state before, the body, and what the person was shown. */

const startingState: Omit<CustomerState, 'contacts'> = {
  billing: { billDirectly: false, email: '', allowChangeBilling: false },
  markups: noMarkups,
  allowDomainSettings: false,
};

/** A new customer, and the state before it: what differs between the two, its maker must be allowed to set. */
export function stateOfNew({ contacts, billing, markups }: CreateCustomerBody): {
  before: CustomerState;
  state: CustomerState;
} {
  return {
    before: { ...startingState, contacts },
    // P1 §5: the form sends markups only with direct billing; the default is 0 percent.
    state: { ...startingState, contacts, billing, markups: markups ?? noMarkups },
  };
}

/**
 * What the log says of a customer that is new or deleted. Most have one contact three times and no markup: said once, a reader sees what matters, and the
 * entry has less than half the size (docs/decisions/0323).
 */
export function saidOf({ contacts, markups, ...rest }: CustomerState) {
  const { owner } = contacts;
  const said = (contact: CustomerState['contacts']['owner']) =>
    isSame(contact, owner) ? keptWords.asOwner : contact;
  return {
    ...rest,
    contacts: { owner, admin: said(contacts.admin), billing: said(contacts.billing) },
    markups: isNone(markups.domain) && isNone(markups.certificate) ? keptWords.noMarkup : markups,
  };
}

function isSame(one: object, other: object): boolean {
  const [fields, others] = [Object.entries(one), other as { [field: string]: unknown }];
  return (
    fields.length === Object.keys(other).length && fields.every(([field, value]) => others[field] === value)
  );
}

const isNone = ({ purchase, renewal }: Markups['domain']) =>
  isSame(purchase, noMarkup) && isSame(renewal, noMarkup);

/** Direct billing needs the customer at the payment provider, who takes one with an address for mail. */
export function wantsDirectBilling(billing: { billDirectly: boolean; email: string }): boolean {
  return billing.billDirectly && billing.email !== '';
}

/** Decisions no. 24: only a customer whose chip is Active is charged. */
export function isBilledDirectly(
  customer: Pick<BilledCustomer, 'billDirectly' | 'email' | 'paymentMethod'>,
): boolean {
  const { billDirectly, email, paymentMethod } = customer;
  return billingChip({ billDirectly, email, paymentMethodSet: paymentMethod !== null }) === 'Active';
}

/** What of a customer people set. */
export function stateOf(customer: Customer): CustomerState {
  const { billDirectly, email, allowChangeBilling } = customer.billing;
  return {
    contacts: customer.contacts,
    billing: { billDirectly, email, allowChangeBilling },
    markups: customer.markups,
    allowDomainSettings: customer.allowDomainSettings,
  };
}

/** The state after a change. What equals what the person was shown counts as left alone, masked parts included. */
export function stateAfter(from: CustomerState, body: UpdateCustomerBody, shown: Customer): CustomerState {
  const seen = stateOf(shown);
  const billing = body.billing && changedParts(seen.billing, { ...seen.billing, ...defined(body.billing) });
  const { markups } = body;
  return {
    contacts: body.contacts ?? from.contacts,
    billing: billing ? { ...from.billing, ...defined(body.billing) } : from.billing,
    markups:
      markups && changedParts(seen.markups, merged(seen.markups, markups))
        ? merged(from.markups, markups)
        : from.markups,
    allowDomainSettings: body.allowDomainSettings ?? from.allowDomainSettings,
  };
}

/** P1 §5: on edit, missing markups are normalised to value 0 and type percentage. */
function merged(stored: Partial<Markups>, sent: NonNullable<UpdateCustomerBody['markups']>): Markups {
  return {
    domain: { ...noMarkups.domain, ...stored.domain, ...defined(sent.domain) },
    certificate: { ...noMarkups.certificate, ...stored.certificate, ...defined(sent.certificate) },
  };
}

function defined<T extends object>(value: T | undefined): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
