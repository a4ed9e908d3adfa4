import type { Customer } from '#contracts/operations/customers.ts';
import { type BillingChip, billingChip, billingState } from '#contracts/values/direct-billing.ts';
import { type Markups, wholeMarkups } from '#contracts/values/money.ts';

/** P1 §4, direct billing chip. */
export function chipOf(customer: Pick<Customer, 'billing' | 'paymentMethodSet'>): BillingChip {
  const { billDirectly, email } = customer.billing;
  return billingChip({ billDirectly, email, paymentMethodSet: customer.paymentMethodSet });
}

/** The chip, and whether charges are stopped. */
export function stateOf(customer: Pick<Customer, 'billing' | 'paymentMethodSet' | 'chargesStopped'>) {
  const { billing, paymentMethodSet, chargesStopped } = customer;
  return billingState({ ...billing, paymentMethodSet, chargesStopped });
}

export const markupPlaces = [
  { group: 'domain', price: 'purchase', label: 'Domain purchase' },
  { group: 'domain', price: 'renewal', label: 'Domain renewal' },
  { group: 'certificate', price: 'purchase', label: 'Certificate purchase' },
  { group: 'certificate', price: 'renewal', label: 'Certificate renewal' },
] as const;
export type MarkupPlace = (typeof markupPlaces)[number];

export interface BillingValues {
  billDirectly: boolean;
  email: string;
  markups: Markups;
}

/** What the form starts with; P1 §5: missing markups are normalised to value 0 and type percentage. */
export function billingOf(customer: {
  billing: Pick<Customer['billing'], 'billDirectly' | 'email'>;
  markups: { [G in keyof Markups]?: Partial<Markups[G]> | undefined };
}): BillingValues {
  const { billDirectly, email } = customer.billing;
  return { billDirectly, email, markups: wholeMarkups(customer.markups) };
}

export type SendState = 'idle' | 'sending' | 'sent' | 'error';

/** What is said of a sending is said of the address it went to: with another one in the field it starts over. */
export function sendStateOf(
  status: 'idle' | 'pending' | 'success' | 'error',
  sentTo: string | undefined,
  email: string,
): SendState {
  if (status === 'pending') return 'sending';
  if (sentTo !== email) return 'idle';
  return status === 'success' ? 'sent' : status;
}

/** P1 §4, payment link resend: every condition that disables the button. */
export function maySendLink(of: {
  send: SendState;
  values: Pick<BillingValues, 'billDirectly'>;
  dirty: boolean;
  stripeId: string | null;
  chip: BillingChip;
}): boolean {
  if (of.send === 'sending' || of.send === 'sent') return false;
  return of.values.billDirectly && !of.dirty && of.stripeId !== null && of.chip !== 'Active';
}
