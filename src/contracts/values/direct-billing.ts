import { z } from 'zod';
import { type Markup, type Markups, markupCents } from './money.ts';

/** Who is billed directly, and what is added for them. The cart shows by these rules, and the server charges by them. */

export type BillingChip = 'Disabled' | 'Pending' | 'Active';

/** P1 §4, direct billing chip: of what is stored, not of what is being typed. Only an Active customer is charged. */
export function billingChip(customer: {
  billDirectly: boolean;
  email: string;
  paymentMethodSet: boolean;
}): BillingChip {
  if (!customer.billDirectly) return 'Disabled';
  return customer.email !== '' && customer.paymentMethodSet ? 'Active' : 'Pending';
}

/** Of a customer who disputed payments, and is charged nothing more until staff answer: since when, and by how many disputes. */
export const chargesStopped = z.object({
  since: z.iso.datetime(),
  disputes: z.int().min(1),
  /** The charge that was disputed. Null: several were. */
  chargeId: z.uuid().nullable(),
});
export type ChargesStopped = z.output<typeof chargesStopped>;

/** Where that is answered, as the search of /direct-billing: the payment that was disputed, or all of this customer's. */
export function disputesOf(
  customerId: string,
  { chargeId }: ChargesStopped,
): { charge: string } | { kind: 'disputed'; customer: string } {
  return chargeId ? { charge: chargeId } : { kind: 'disputed', customer: customerId };
}

/** The chip, and whether anything is charged. Of a customer who is not billed directly, nothing is to be charged anyway. */
export function billingState(
  customer: Parameters<typeof billingChip>[0] & { chargesStopped: ChargesStopped | null },
): BillingChip | 'Stopped' {
  const chip = billingChip(customer);
  return chip !== 'Disabled' && customer.chargesStopped ? 'Stopped' : chip;
}

/** Why a charge stays open. */
export const disputedText = 'The customer disputed a payment. Nothing more is charged until you allow it.';

/** Of what is bought for these customers, before it is bought. */
export function notChargedText(customers: readonly string[]): string {
  const names = new Intl.ListFormat('en').format(customers);
  return `${names} disputed a payment and cannot be charged. Your balance pays, and what you buy for them stays open under Direct billing.`;
}

/** One thing that is bought, as far as its markup goes. */
export interface MarkedLine {
  kind: 'domain' | 'renewal' | 'transfer' | 'certificate' | 'redemption';
  /** A certificate that follows an earlier order is a renewal too. */
  renewsCertificate: boolean;
}

/** Which of a customer's four markups counts for a line. A transfer is a purchase: the customer did not have the name here;
 * a restoration is a renewal: they had it. */
export function markupFor(markups: Markups, line: MarkedLine): Markup {
  if (line.kind === 'certificate') {
    return line.renewsCertificate ? markups.certificate.renewal : markups.certificate.purchase;
  }
  const had = line.kind === 'renewal' || line.kind === 'redemption';
  return had ? markups.domain.renewal : markups.domain.purchase;
}

/** What a directly billed customer pays on top of the price of a line, in cents. */
export function lineMarkupCents(priceCents: number, markups: Markups, line: MarkedLine): number {
  return markupCents(priceCents, markupFor(markups, line));
}
