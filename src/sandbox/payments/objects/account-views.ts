import type { Stripe } from 'stripe';
import type { AccountRecord } from './kinds.ts';

const active = (account: AccountRecord) =>
  account.detailsSubmitted && account.currentlyDue.length === 0 && !account.closed;

/** `/v1/accounts` sees it so. */
export function accountV1(account: AccountRecord): Stripe.Account {
  const enabled = active(account);
  const status = enabled ? 'active' : 'inactive';
  return {
    id: account.id,
    object: 'account',
    business_profile: {
      annual_revenue: null,
      estimated_worker_count: null,
      mcc: null,
      minority_owned_business_designation: null,
      name: account.displayName,

      product_description: null,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: account.email,
      support_phone: account.phone,
      support_url: null,
      url: null,
    },
    business_type: account.detailsSubmitted ? account.businessType : null,
    capabilities: Object.fromEntries(account.requestedCapabilities.map((name) => [name, status])),
    charges_enabled: enabled,
    ...(account.businessType === 'company' ? { company: companyOf(account) } : {}),
    controller: {
      fees: { payer: account.feesCollector === 'application' ? 'application' : 'account' },
      is_controller: true,
      losses: { payments: account.lossesCollector },
      requirement_collection: 'stripe',
      stripe_dashboard: { type: account.dashboard },
      type: 'application',
    },
    country: account.country,
    created: account.created,
    default_currency: account.currency,
    details_submitted: account.detailsSubmitted,
    email: account.email,
    future_requirements: { ...noRequirements(), currently_due: [] },
    metadata: account.metadata,
    payouts_enabled: enabled,
    requirements: {
      ...noRequirements(),
      currently_due: account.currentlyDue,
      disabled_reason: enabled ? null : 'requirements.past_due',
      eventually_due: account.currentlyDue,
      past_due: account.currentlyDue,
    },
    tos_acceptance: { date: account.detailsSubmitted ? account.created : null },
    type: account.dashboard === 'express' ? 'express' : 'none',
  };
}

function companyOf(account: AccountRecord): Stripe.Account.Company {
  return {
    address: account.address,
    directors_provided: true,
    executives_provided: true,
    name: account.legalName,
    owners_provided: true,
    phone: account.phone,
    tax_id_provided: account.detailsSubmitted,
    verification: { document: { back: null, details: null, details_code: null, front: null } },
  };
}

function noRequirements() {
  return {
    alternatives: [],
    current_deadline: null,
    currently_due: [] as string[],
    disabled_reason: null,
    errors: [],
    eventually_due: [] as string[],
    past_due: [] as string[],
    pending_verification: [] as string[],
  };
}

export function capabilityV1(account: AccountRecord, name: string): Stripe.Capability {
  return {
    id: name,
    object: 'capability',
    account: account.id,
    future_requirements: { ...noRequirements() },
    requested: true,
    requested_at: account.created,
    requirements: { ...noRequirements(), currently_due: account.currentlyDue },
    status: active(account) ? 'active' : 'inactive',
  };
}

/** What `include` may name; without it these parts are left out (docs.stripe.com/api/v2/core/accounts, checked 2026-11-21). */
export const INCLUDABLE = [
  'configuration.customer',
  'configuration.merchant',
  'configuration.recipient',
  'defaults',
  'future_requirements',
  'identity',
  'requirements',
] as const;

/** `/v2/core/accounts` sees it so. */
export function accountV2(account: AccountRecord, include: readonly string[]): Stripe.V2.Core.Account {
  const wants = (part: string) => include.includes(part);
  return {
    id: account.id,
    object: 'v2.core.account',
    applied_configurations: ['merchant'],
    closed: account.closed,
    ...(wants('configuration.merchant') ? { configuration: { merchant: merchantOf(account) } } : {}),
    ...(account.email ? { contact_email: account.email } : {}),
    created: iso(account.created),
    dashboard: account.dashboard,
    ...(wants('defaults') ? { defaults: defaultsOf(account) } : {}),
    ...(account.displayName ? { display_name: account.displayName } : {}),
    ...(wants('future_requirements') ? { future_requirements: { entries: [] } } : {}),
    ...(wants('identity') ? { identity: identityOf(account) } : {}),
    livemode: false,
    metadata: account.metadata,
    ...(wants('requirements') ? { requirements: requirementsOf(account) } : {}),
  };
}

export function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function merchantOf(account: AccountRecord): Stripe.V2.Core.Account.Configuration.Merchant {
  const state: Stripe.V2.Core.Account.Configuration.Merchant.Capabilities.CardPayments = active(account)
    ? { status: 'active', status_details: [] }
    : {
        status: 'restricted',
        status_details: [{ code: 'requirements_past_due', resolution: 'provide_info' }],
      };
  return {
    applied: true,
    capabilities: Object.fromEntries(account.requestedCapabilities.map((name) => [name, state])),
    ...(account.email ? { support: { email: account.email } } : {}),
  };
}

function defaultsOf(account: AccountRecord): Stripe.V2.Core.Account.Defaults {
  return {
    currency: account.currency,
    locales: [],
    responsibilities: {
      fees_collector: account.feesCollector,
      losses_collector: account.lossesCollector,
      requirements_collector: 'stripe',
    },
  };
}

function identityOf(account: AccountRecord): Stripe.V2.Core.Account.Identity {
  const { address } = account;
  const given = address.line1
    ? {
        address: {
          ...(address.city ? { city: address.city } : {}),
          country: address.country ?? account.country,
          ...(address.line1 ? { line1: address.line1 } : {}),
          ...(address.line2 ? { line2: address.line2 } : {}),
          ...(address.postal_code ? { postal_code: address.postal_code } : {}),
          ...(address.state ? { state: address.state } : {}),
        },
      }
    : {};
  return {
    country: account.country.toLowerCase(),
    entity_type: account.businessType,
    ...(account.businessType === 'company'
      ? {
          business_details: {
            ...given,
            ...(account.legalName ? { registered_name: account.legalName } : {}),
            ...(account.phone ? { phone: account.phone } : {}),
          },
        }
      : {}),
  };
}

function requirementsOf(account: AccountRecord): Stripe.V2.Core.Account.Requirements {
  if (account.currentlyDue.length === 0) return { entries: [] };
  return {
    entries: account.currentlyDue.map((description) => ({
      awaiting_action_from: 'user' as const,
      description,
      errors: [],
      impact: {
        restricts_capabilities: account.requestedCapabilities.map((capability) => ({
          capability,
          configuration: 'merchant' as const,
          deadline: { status: 'past_due' as const },
        })),
      },
      minimum_deadline: { status: 'past_due' as const },
      requested_reasons: [{ code: 'routine_onboarding' as const }],
    })),
    summary: { minimum_deadline: { status: 'past_due' } },
  };
}
