import { z } from 'zod';
import { defineOperation, idParams, noData, pageQuery } from '../operation.ts';
import { differenceKinds } from '../values/differences.ts';
import { hostName } from '../values/domain-name.ts';
import { cents, signedUsd, usd } from '../values/money.ts';
import { oneLine } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';
import { walkedTo } from './audit.ts';

/** The operators' calls: opened by an operator's own key alone, which no tenant and no sign-in can hold. */

export const queueKinds = ['review', 'waiting', 'charge', 'renewal', 'event', 'missing', 'debt'] as const;
export type QueueKind = (typeof queueKinds)[number];

export const queueEntry = z.object({
  kind: z.enum(queueKinds),
  id: z.string(),
  organization: z.string(),
  organizationId: z.uuid().nullable(),
  /** What it is about, and what is known. */
  subject: z.string(),
  note: z.string(),
  /** Integer cents that hang on it. */
  amount: z.int(),
  orderId: z.uuid().nullable(),
  registrarOrderId: z.string().nullable(),
  since: z.iso.datetime(),
  ageSeconds: z.int().min(0),
  /** Whether it can be tried again from here without doing anything twice. */
  retry: z.boolean(),
});
export type QueueEntry = z.output<typeof queueEntry>;

export const getQueue = defineOperation({
  id: 'operator.queue',
  method: 'GET',
  path: '/operator/queue',
  summary:
    'List everything that needs attention, oldest first: orders in review, failed charges, refused renewals, stuck events, missing domains, balances below zero',
  access: 'operator',
  reply: z.array(queueEntry),
});

export const retryEntry = defineOperation({
  id: 'operator.retry',
  method: 'POST',
  path: '/operator/queue/:kind/:id/retry',
  summary: 'Retry one entry. The portal asks for its outcome, or repeats an act that cannot happen twice',
  access: 'operator',
  audit: ['operator.retry', 'direct.retry'],
  params: z.object({ kind: z.enum(queueKinds), id: oneLine(300).min(1) }),
  reply: z.object({ message: z.string() }),
  errors: ['not_found', 'unprocessable', 'upstream_unavailable'],
});

/** An operator copies it from elsewhere. */
const copiedId = z.uuid('Please enter the whole ID');
/** The organisation's name, as it is: an id alone is soon the wrong one. */
const organizationName = oneLine(200).min(1, 'This field is required');
const reasonWanted = 'Please give a short reason';
/** Kept with the act: in the organisation's log, or in the operators' own. */
export const actReason = oneLine(mostCharacters.reason, undefined, reasonWanted).min(5, reasonWanted);

export const endDomain = defineOperation({
  id: 'operator.endDomain',
  method: 'POST',
  path: '/operator/domains/:id/end',
  summary:
    'End a domain that has left the registrar’s account, so that it can be bought again. The registrar is read once more before',
  access: 'operator',
  audit: 'operator.endDomain',
  params: idParams,
  body: z.object({ reason: actReason }),
  reply: z.object({ message: z.string() }),
  errors: ['not_found', 'conflict', 'unprocessable', 'registrar_refused', 'upstream_unavailable'],
});

/** What an operator has to see of an organization before they act on it. */
export const getOrganization = defineOperation({
  id: 'operator.organization',
  method: 'GET',
  path: '/operator/organizations/:id',
  summary:
    'Get an organization’s name, balance and number of customers, before a correction or a gift, and what you may correct alone',
  access: 'operator',
  params: idParams,
  reply: z.object({
    name: z.string(),
    closedAt: z.iso.datetime().nullable(),
    balance: cents,
    /** Up to this sum a correction by the operator who asks is entered at once. Above it, another operator must confirm. */
    aloneLeft: cents,
    customers: z.int(),
  }),
  errors: ['not_found'],
});
export type OperatorOrganization = z.output<typeof getOrganization.reply>;

export const listOrganizationCustomers = defineOperation({
  id: 'operator.customers',
  method: 'GET',
  path: '/operator/organizations/:id/customers',
  reads: { primary: 'a domain is given to one of them' },
  summary: 'List an organization’s customers by name, page by page. `search` finds those with such a name',
  access: 'operator',
  params: idParams,
  query: pageQuery(['name']).extend({ customerId: z.uuid().optional() }),
  reply: z.array(z.object({ id: z.uuid(), name: z.string() })),
  paged: true,
  errors: ['not_found'],
});
export type OrganizationCustomer = z.output<typeof listOrganizationCustomers.reply>[number];
export type OrganizationCustomersQuery = z.output<typeof listOrganizationCustomers.query>;

export const giveDomain = defineOperation({
  id: 'operator.giveDomain',
  method: 'POST',
  path: '/operator/domains',
  summary:
    'Give a domain that the registrar holds for this portal, and that no organization lists, to a customer of an organization. The registrar is read right before. No money moves, and auto renew is off',
  access: 'operator',
  audit: 'operator.giveDomain',
  body: z.object({
    domain: hostName,
    organizationId: copiedId,
    organization: organizationName,
    customerId: copiedId,
    reason: actReason,
  }),
  reply: z.object({ message: z.string() }),
  errors: ['not_found', 'conflict', 'unprocessable', 'registrar_refused', 'upstream_unavailable'],
});

export type GiveDomainBody = z.output<typeof giveDomain.body>;

export const difference = z.object({
  kind: z.enum(differenceKinds),
  /** The id of what differs: an order item (the registrar's affiliate id), an order, a top-up, a payment, a name. */
  subject: z.string(),
  organization: z.string(),
  text: z.string(),
  firstSeenAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
});

export const reconciliation = z.object({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  since: z.iso.datetime(),
  items: z.int(),
  registrarOrders: z.int(),
  payments: z.int(),
  differences: z.int(),
  incomplete: z.string().nullable(),
});

export const getReconciliation = defineOperation({
  id: 'operator.reconciliation',
  method: 'GET',
  path: '/operator/reconciliation',
  summary: 'List the last comparisons of registrar, ledger and payments, and the open differences',
  access: 'operator',
  reply: z.object({ runs: z.array(reconciliation), differences: z.array(difference) }),
});
export type Reconciliation = z.output<typeof getReconciliation.reply>;

export const startReconciliation = defineOperation({
  id: 'operator.reconcile',
  method: 'POST',
  path: '/operator/reconciliation',
  summary: 'Start a comparison now, in addition to the daily run. A job carries it out',
  access: 'operator',
  audit: { none: 'It compares and changes nothing.' },
  reply: noData,
});

/** Integer cents; null while the registrar has never been asked. */
export const registrarAccount = z.object({
  balance: cents.nullable(),
  /** What the registrar holds of it. */
  held: cents.nullable(),
  /** Cost of the orders whose outcome is open. */
  open: cents,
  /** What further orders can be paid with. */
  available: cents.nullable(),
  /** The operator gets a warning when less than this is left. */
  threshold: cents,
  /** `low`: below the mark; `short`: not even the orders under way can be paid. */
  level: z.enum(['enough', 'low', 'short']).nullable(),
  readAt: z.iso.datetime().nullable(),
});
export type RegistrarAccount = z.output<typeof registrarAccount>;

export const getRegistrarAccount = defineOperation({
  id: 'operator.registrarAccount',
  method: 'GET',
  path: '/operator/registrar',
  summary: 'Get the portal’s own balance at the registrar, as last read, and the orders to be paid from it',
  access: 'operator',
  reply: registrarAccount,
});

export const priceProduct = z.enum(['domain', 'certificate']);
export const priceKind = z.enum(['new', 'renewal', 'transfer']);

export const priceRow = z.object({
  product: priceProduct,
  /** The suffix, or the certificate's product type. */
  name: z.string(),
  label: z.string(),
  kind: priceKind,
  /** One year, in US dollars; null while the registrar has not said it. */
  cost: usd.nullable(),
  /** What the list says; null: cost plus the default margin. */
  listed: usd.nullable(),
  /** What is charged. */
  price: usd.nullable(),
  /** Of the cost; null while the cost is not known. */
  marginPercent: z.number().nullable(),
  /** Already entered, in force later. */
  next: z.object({ price: usd.nullable(), validFrom: z.iso.datetime() }).nullable(),
});
export type PriceRow = z.output<typeof priceRow>;

export const priceVersion = z.object({
  version: z.int(),
  validFrom: z.iso.datetime(),
  note: z.string(),
  createdAt: z.iso.datetime(),
  entries: z.int(),
});

export const getPrices = defineOperation({
  id: 'operator.prices',
  method: 'GET',
  path: '/operator/prices',
  summary: 'Get the current price list with cost and margin, and its versions',
  access: 'operator',
  reply: z.object({
    rows: z.array(priceRow),
    versions: z.array(priceVersion),
    defaultMargin: z.object({ domain: z.number(), certificate: z.number() }),
  }),
});
export type Prices = z.output<typeof getPrices.reply>;

export const priceChange = z.object({
  product: priceProduct,
  name: oneLine(64).toLowerCase().min(2, 'This field is required'),
  kind: priceKind,
  /** One year, in US dollars; null: cost plus the default margin again. */
  price: usd.nullable(),
});

export const setPrices = defineOperation({
  id: 'operator.setPrices',
  method: 'POST',
  path: '/operator/prices',
  summary: 'Create a new version of the price list. The given entries apply from a given time. Others stay',
  access: 'operator',
  audit: { none: 'Prices belong to no organization; each version keeps who set it.' },
  body: z.object({
    /** Now when absent; never in the past: what was charged stays explained. */
    validFrom: z.iso.datetime().optional(),
    note: oneLine(mostCharacters.reason).default(''),
    entries: z.array(priceChange).min(1, 'Please change at least one price').max(2_000),
  }),
  reply: z.object({ version: z.int() }),
  errors: ['validation_failed', 'unprocessable'],
});

export const correctionBody = z.object({
  organizationId: copiedId,
  organization: organizationName,
  /** US dollars; negative takes back, if need be below zero: purchases then stop until it is covered. */
  amount: signedUsd.refine((value) => value !== 0 && Math.abs(value) <= 10_000, {
    message: 'Not zero, and at most $10,000 at a time',
  }),
  /** Appears in the organisation's statement. */
  reason: actReason,
  /** What it is about, e.g. the id of a payment or of an order item. An organisation has one entry of a reference. */
  reference: oneLine(100).min(3, 'This field is required'),
});
export type CorrectionBody = z.output<typeof correctionBody>;

export const correctionReply = z.object({
  id: z.uuid(),
  state: z.enum(['entered', 'waiting']),
  /** Afterwards, in cents; null while it waits for a second person. */
  balance: cents.nullable(),
});
export type CorrectionReply = z.output<typeof correctionReply>;

export const correctBalance = defineOperation({
  id: 'operator.correct',
  method: 'POST',
  path: '/operator/correction',
  summary:
    'Correct an organization’s balance with a ledger entry, once per reference. Above an operator’s daily limit, another operator must confirm it',
  access: 'operator',
  audit: 'operator.correct',
  body: correctionBody,
  reply: correctionReply,
  errors: ['validation_failed', 'not_found', 'conflict', 'unprocessable'],
});

export const operatorFigures = z.object({
  review: z.int(),
  oldestReviewSeconds: z.int(),
  waiting: z.int(),
  failedCharges: z.int(),
  refusedRenewals: z.int(),
  stuckEvents: z.int(),
  /** Organizations whose balance is below zero, and the sum in cents. */
  debts: z.int(),
  debtCents: z.int(),
  differences: z.int(),
  /** Since the last complete comparison; null: there was none. */
  reconciledSecondsAgo: z.int().nullable(),
  /** In cents; negative when not even the orders under way can be paid. null: never read. */
  registrarAvailableCents: z.int().nullable(),
  registrarReadSecondsAgo: z.int().nullable(),
});
export type OperatorFigures = z.output<typeof operatorFigures>;

export const getFigures = defineOperation({
  id: 'operator.figures',
  method: 'GET',
  path: '/operator/figures',
  summary: 'Get the figures of everything that needs attention, as in /metrics',
  access: 'operator',
  reply: operatorFigures,
});

export const auditVerdict = z.object({
  organizationId: z.uuid(),
  organization: z.string(),
  /** It was closed; its log is kept and verified all the same. */
  closedAt: z.iso.datetime().nullable(),
  /** Entries that were found whole, and the hash of the last of them. */
  rows: z.int(),
  head: z.string(),
  /** The first entry that is not what was written. */
  broken: z.object({ sequence: z.int(), reason: z.string() }).nullable(),
  /** The log was verified to its end, or to the entry that is broken. */
  whole: z.boolean(),
});
export type OrganisationVerdict = z.output<typeof auditVerdict>;

export const verifyAudits = defineOperation({
  id: 'operator.verifyAudit',
  method: 'GET',
  path: '/operator/audit',
  summary:
    'Verify the audit logs of one organization, or of all, against the sealed heads. Of all, some at a time: ask again with the last organization as `after` until none come back. One that is not `whole` goes on with its `organization`, `rows` and `head`',
  access: 'operator',
  query: walkedTo.extend({ organization: z.uuid().optional(), after: z.uuid().optional() }),
  reply: z.array(auditVerdict),
  errors: ['not_found'],
});

const byKey = z.object({ key: z.int(), values: z.int() });

export const getKeyUse = defineOperation({
  id: 'operator.keys',
  method: 'GET',
  path: '/operator/keys',
  summary:
    'Count the values under each sealing key. A key with no values can be removed from the configuration',
  access: 'operator',
  reply: z.object({
    /** The key that seals from now on, and all that open. */
    newest: z.int(),
    configured: z.array(z.int()),
    /** `table.column`, and how many values of it each key has sealed. */
    places: z.array(z.object({ place: z.string(), keys: z.array(byKey) })),
  }),
});
export type KeyUse = z.output<typeof getKeyUse.reply>;

export const reseal = defineOperation({
  id: 'operator.reseal',
  method: 'POST',
  path: '/operator/keys/reseal',
  summary:
    'Reseal values of older keys under the newest key, some hundred per call. Repeat the call while there is more',
  access: 'operator',
  audit: { none: 'It changes nothing that anybody could read.' },
  reply: z.object({
    resealed: z.int(),
    more: z.boolean(),
    /** Values that no configured key opens; they stay as they are. */
    unreadable: z.array(z.object({ place: z.string(), values: z.int() })),
  }),
});
export type ResealReply = z.output<typeof reseal.reply>;
