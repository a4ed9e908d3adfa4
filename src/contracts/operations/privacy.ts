import { z } from 'zod';
import { defineOperation, idParams, pageQuery } from '../operation.ts';
import { oneLine } from '../values/one-line.ts';

/** One person's data: handed out as a whole, and erased but for what law and registry need. */

/** What the three ways to hand out a person's data have in common. */
const handedOut = {
  method: 'GET',
  reads: { primary: 'whoever has a right to everything gets everything until now' },
  query: z.object({ format: z.enum(['json', 'csv']).default('json') }),
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['application/json', 'text/csv'],
  sensitive: true,
} as const;

export const blockerKinds = [
  'domain',
  'order',
  'transfer',
  'certificate',
  'charge',
  'refund',
  'import',
] as const;

export const erasureBlocker = z.object({
  kind: z.enum(blockerKinds),
  /** The name or number of what is in the way. */
  subject: z.string(),
  /** A sentence fit to show. */
  text: z.string(),
});
export type ErasureBlocker = z.output<typeof erasureBlocker>;

export const heldRegistration = z.object({
  address: z.string(),
  endedAt: z.iso.datetime(),
  /** The day on which what is kept of it goes. */
  deleteAfter: z.iso.datetime(),
});

export const erasurePlan = z.object({
  /** What must end first; empty: it can be erased. */
  blockers: z.array(erasureBlocker),
  /** Ended registrations whose registrant data is kept, sealed, for transfer disputes. */
  held: z.array(heldRegistration),
  /** Orders whose amounts stay. */
  orders: z.int(),
  /** Sign-ins and invitations of the customer's own people, erased with it. */
  people: z.int(),
  /** The customer at the MSP's payment provider, which keeps its own record; null: there is none. */
  paymentCustomer: z.string().nullable(),
});
export type ErasurePlan = z.output<typeof erasurePlan>;

export const exportCustomerData = defineOperation({
  ...handedOut,
  id: 'privacy.exportCustomer',
  path: '/privacy/customer/:id',
  summary:
    'Export everything the portal holds about a customer and the people in its contacts, as JSON or CSV',
  access: 'privacy.manage',
  audit: 'privacy.export',
  params: idParams,
  errors: ['not_found'],
});

export const exportUserData = defineOperation({
  ...handedOut,
  id: 'privacy.exportUser',
  path: '/privacy/user/:id',
  summary: 'Export everything the portal holds about a user, as JSON or CSV',
  access: 'privacy.manage',
  audit: 'privacy.export',
  params: idParams,
  errors: ['not_found'],
});

export const exportOwnData = defineOperation({
  ...handedOut,
  id: 'privacy.exportOwn',
  path: '/privacy/own',
  summary: 'Export everything the portal holds about the signed-in person, as JSON or CSV',
  access: 'profile.self',
  opens: 'with-profile',
  audit: 'privacy.export',
});

export const planErasure = defineOperation({
  id: 'privacy.planErasure',
  method: 'GET',
  path: '/privacy/customer/:id/erasure',
  summary: 'Get the data that an erasure of this customer would keep, and the items that must end first',
  access: 'privacy.manage',
  params: idParams,
  reply: erasurePlan,
  errors: ['not_found'],
});

export const eraseCustomer = defineOperation({
  id: 'privacy.eraseCustomer',
  method: 'POST',
  path: '/privacy/customer/:id/erasure',
  summary:
    'Delete a customer and erase the people in it. Amounts stay. Registrant data of the last 15 months stays sealed',
  access: 'privacy.manage',
  audit: ['privacy.eraseCustomer', 'users.remove', 'users.cancelInvite', 'tokens.end'],
  params: idParams,
  reply: erasurePlan,
  errors: ['not_found', 'unprocessable'],
  freshSignIn: true,
});

export const eraseUser = defineOperation({
  id: 'privacy.eraseUser',
  method: 'POST',
  path: '/privacy/user/:id/erasure',
  summary: 'Remove a user and erase their personal data. Their actions stay in the log under a number',
  access: 'privacy.manage',
  audit: ['privacy.eraseUser', 'users.remove', 'tokens.end'],
  params: idParams,
  reply: z.object({}).strict(),
  errors: ['not_found', 'forbidden'],
  freshSignIn: true,
});

export const readHold = defineOperation({
  id: 'privacy.readHold',
  method: 'GET',
  path: '/privacy/hold/:domain',
  summary: 'Get the registrant data of an ended registration, for a transfer dispute. Each access is logged',
  access: 'privacy.manage',
  audit: 'privacy.readHold',
  params: z.object({ domain: oneLine(253).toLowerCase().min(3) }),
  reply: z.array(
    heldRegistration.extend({
      data: z.unknown(),
      /** Why there is no data, e.g. because the sealing key is not configured any more; null: there is. */
      fault: z.string().nullable(),
    }),
  ),
  errors: ['not_found'],
  freshSignIn: true,
  sensitive: true,
});

export const formerCustomer = z.object({
  customerId: z.uuid(),
  organization: z.string(),
  deletedAt: z.iso.datetime(),
});
export type FormerCustomer = z.output<typeof formerCustomer>;
export const formerUser = z.object({ userId: z.uuid(), email: z.string(), removedAt: z.iso.datetime() });
export type FormerUser = z.output<typeof formerUser>;

/** What the lists of those who are gone have in common. */
const former = { method: 'GET', reads: { primary: 'an erasure is decided here' }, paged: true } as const;

export const listFormerCustomers = defineOperation({
  ...former,
  id: 'privacy.listFormerCustomers',
  path: '/privacy/former/customers',
  summary:
    'List deleted customers whose data still exists, latest first. `search` finds those with such words in their name or contacts',
  access: 'privacy.manage',
  query: pageQuery(['deletedAt']),
  reply: z.array(formerCustomer),
});

export const listFormerUsers = defineOperation({
  ...former,
  id: 'privacy.listFormerUsers',
  path: '/privacy/former/users',
  summary:
    'List removed users whose data still exists, latest first. `search` finds those with such an email address',
  access: 'privacy.manage',
  query: pageQuery(['removedAt']),
  reply: z.array(formerUser),
});
