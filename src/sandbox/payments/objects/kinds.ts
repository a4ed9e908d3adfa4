import type { Stripe } from 'stripe';

/**
 * An account as the stand-in keeps it: v1 (`/v1/accounts`) and v2 (`/v2/core/accounts`) are two views of it.
 */
export interface AccountRecord {
  id: string;
  object: 'account_record';
  created: number;
  email: string | null;
  displayName: string | null;
  country: string;
  currency: string;
  dashboard: 'express' | 'full' | 'none';
  feesCollector: 'application' | 'stripe';
  lossesCollector: 'application' | 'stripe';
  requestedCapabilities: string[];
  detailsSubmitted: boolean;
  /** What the provider still asks for, in its v1 words, e.g. `individual.verification.document`. */
  currentlyDue: string[];
  closed: boolean;
  metadata: Record<string, string>;
  businessType: 'company' | 'individual';
  legalName: string | null;
  phone: string | null;
  bankLast4: string | null;
  address: AccountAddress;
  identityGiven: boolean;
}

export interface AccountAddress {
  line1: string | null;
  line2: string | null;
  city: string | null;
  state: string | null;
  postal_code: string | null;
  country: string | null;
}

/** A one-time address of a hosted page. */
export interface LinkRecord {
  id: string;
  object: 'link_record';
  created: number;
  purpose: 'onboarding' | 'dashboard';
  account: string;
  expiresAt: number;
  refreshUrl: string | null;
  returnUrl: string | null;
}

/** Every kind of object that is stored, by its name. All but the `_record`s go out exactly as they are. */
export interface Kinds {
  account: AccountRecord;
  application_fee: Stripe.ApplicationFee;
  balance_transaction: Stripe.BalanceTransaction;
  charge: Stripe.Charge;
  'checkout.session': Stripe.Checkout.Session;
  customer: Stripe.Customer;
  dispute: Stripe.Dispute;
  link: LinkRecord;
  mandate: Stripe.Mandate;
  payment_intent: Stripe.PaymentIntent;
  payment_method: Stripe.PaymentMethod;
  refund: Stripe.Refund;
  setup_intent: Stripe.SetupIntent;
}
