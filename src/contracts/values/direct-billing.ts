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
