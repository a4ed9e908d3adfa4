import { z } from 'zod';
import { defineOperation, pageQuery } from '../operation.ts';
import { hostName } from '../values/domain-name.ts';
import { usd } from '../values/money.ts';
import { namesInOneCall } from '../values/name-list.ts';
import { oneLine } from '../values/one-line.ts';
import { verificationStates } from '../values/registrant-verification.ts';

export const registrantFilters = ['unverified', 'suspended'] as const;
export type RegistrantFilter = (typeof registrantFilters)[number];

export const lookupStatus = z.enum(['available', 'taken']);
export const suggestion = z.object({
  domain: z.string(),
  status: lookupStatus,
  price: usd.nullable(),
  premium: z.boolean(),
  /** It is among the organisation's domains. */
  own: z.boolean(),
});
export type Suggestion = z.output<typeof suggestion>;
export const lookupResult = z.object({
  domain: z.string(),
  status: lookupStatus,
  /** US dollars a year; null when there is no price at the moment. */
  price: usd.nullable(),
  premium: z.boolean(),
  /** It is among the organisation's domains. */
  own: z.boolean(),
  reason: z.string().nullable(),
  suggestions: z.array(suggestion),
});
export type LookupResult = z.output<typeof lookupResult>;

export const domainRow = z.object({
  address: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  /** Absent means a pending transfer (P2 §3). */
  expireDate: z.iso.datetime().optional(),
  registeredAt: z.iso.datetime().nullable(),
  status: z.enum(['active', 'transferring', 'expired', 'ended']),
  /** The registrar does not have it in the portal's account any more. */
  missing: z.boolean(),
  autoRenew: z.boolean(),
  locked: z.boolean().nullable(),
  /** Whether the registrant has confirmed their email address; null while nobody knows. */
  verification: z.enum(verificationStates).nullable(),
  verificationDeadline: z.iso.datetime().nullable(),
  /** When the registrar was last asked. */
  syncedAt: z.iso.datetime().nullable(),
  /** State of the domain's newest certificate that is not declined (P2 §2). */
  certificate: z.object({ state: z.string(), orderId: z.string().nullable() }).nullable(),
});
export type DomainRow = z.output<typeof domainRow>;

export const listDomains = defineOperation({
  id: 'domains.list',
  method: 'GET',
  path: '/domain',
  reads: 'replica',
  summary: 'List the domains of the organization, from the portal’s own copy',
  access: 'domains.read',
  query: pageQuery(['address', 'customer', 'expireDate']).extend({
    customerId: z.uuid().optional(),
    /** Domains whose registrant has not confirmed their email address, or that are suspended for it. */
    registrant: z.enum(registrantFilters).optional(),
    autoRenew: z.enum(['on', 'off']).optional(),
    /** Whether a transfer to another registrar is barred. */
    locked: z.enum(['yes', 'no']).optional(),
    expiringWithinDays: z.coerce.number().int().min(1).max(3650).optional(),
  }),
  reply: z.array(domainRow),
  paged: true,
});

export const listCustomerDomains = defineOperation({
  id: 'domains.listForCustomer',
  method: 'GET',
  path: '/domain/:customerId',
  reads: 'replica',
  summary: 'List the domains of one customer',
  access: 'domains.read',
  params: z.object({ customerId: z.uuid() }),
  query: pageQuery(['address', 'expireDate']),
  reply: z.array(domainRow),
  paged: true,
  errors: ['not_found'],
});

export const lookupDomain = defineOperation({
  id: 'domains.lookup',
  method: 'GET',
  path: '/domain/lookup/:address',
  summary: 'Look up whether a name is available, its price, and similar names. Never cached',
  access: 'catalogue.read',
  params: z.object({ address: oneLine(300) }),
  query: z.object({
    /** `none`: the name alone, which is known sooner than names like it. */
    suggestions: z.enum(['none']).optional(),
  }),
  reply: lookupResult,
  errors: ['validation_failed', 'upstream_unavailable'],
  rate: 'lookup',
});

const listedName = z.object({
  domain: z.string(),
  /** null: nobody could say. */
  status: lookupStatus.nullable(),
  /** US dollars a year; null when there is no price at the moment. */
  price: usd.nullable(),
  premium: z.boolean(),
  /** It is among the organisation's domains. */
  own: z.boolean(),
  problem: z.string().nullable(),
});
export type ListedNameState = z.output<typeof listedName>;

export const lookupDomains = defineOperation({
  id: 'domains.lookupList',
  method: 'POST',
  path: '/domain/lookup',
  summary: `Look up at most ${namesInOneCall} names at once: availability, price and what is in the way. Never cached`,
  access: 'catalogue.read',
  audit: { none: 'It asks the registrar and changes nothing.' },
  changesNothing: true,
  body: z.object({ names: z.array(oneLine(300)).min(1).max(namesInOneCall) }),
  /** In the order of the names. */
  reply: z.array(listedName),
  errors: ['validation_failed'],
  rate: 'lookup',
});

export const suggestDomains = defineOperation({
  id: 'domains.suggestions',
  method: 'GET',
  path: '/domain/suggestions/:address',
  summary: 'List similar names with their prices. Empty when the registrar has none in time',
  access: 'catalogue.read',
  params: z.object({ address: oneLine(300) }),
  reply: z.array(suggestion),
  errors: ['validation_failed'],
  rate: 'lookup',
});

/** Parameter of the calls below a domain. */
export const domainParams = z.object({ domain: hostName });
