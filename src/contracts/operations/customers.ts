import { z } from 'zod';
import { defineOperation, idParams, noData, pageQuery } from '../operation.ts';
import { contacts, shownContacts } from '../values/contact.ts';
import { chargesStopped } from '../values/direct-billing.ts';
import { markup, markups } from '../values/money.ts';

export const customerBilling = z.object({
  billDirectly: z.boolean(),
  email: z.string(),
  stripeId: z.string().nullable(),
  allowChangeBilling: z.boolean(),
});

export const customer = z.object({
  customerId: z.uuid(),
  contacts: shownContacts,
  billing: customerBilling,
  markups,
  domainsCount: z.int().min(0),
  paymentMethodSet: z.boolean(),
  /** Null: its charges are not stopped by a dispute, or the reader is one of its own users. */
  chargesStopped: chargesStopped.nullable(),
  /** Whether this customer's own users may change nameservers, lock and the like. */
  allowDomainSettings: z.boolean(),
  /** Raised by each change; sent back on PATCH so that nobody overwrites unseen. */
  version: z.int(),
  createdAt: z.iso.datetime(),
});
export type Customer = z.output<typeof customer>;

/** A customer as far as it takes to choose it for something. */
export const customerChoice = z.object({
  customerId: z.uuid(),
  organization: z.string(),
  /** What it pays on top while it is billed directly: its chip is Active (decisions no. 24). Otherwise null. */
  markups: markups.nullable(),
  /** Of one whose charges a dispute stops; there are many customers, and few of those. */
  chargesStopped: chargesStopped.optional(),
});
export type CustomerChoice = z.output<typeof customerChoice>;

export const createCustomerBody = z.object({
  contacts,
  billing: z
    .object({
      billDirectly: z.boolean().default(false),
      email: z.union([z.literal(''), z.email('Please enter a valid email address')]).default(''),
      allowChangeBilling: z.boolean().default(false),
    })
    .default({ billDirectly: false, email: '', allowChangeBilling: false }),
  /** P1 §5: sent on creation only when direct billing is on. */
  markups: markups.optional(),
});

const somePrices = z.object({ purchase: markup.optional(), renewal: markup.optional() });

export const updateCustomerBody = z.object({
  contacts: contacts.optional(),
  billing: z
    .object({
      billDirectly: z.boolean().optional(),
      email: z.union([z.literal(''), z.email('Please enter a valid email address')]).optional(),
      allowChangeBilling: z.boolean().optional(),
    })
    .optional(),
  /** What is left out stays; where there was none it is 0 percent (P1 §5). */
  markups: z.object({ domain: somePrices.optional(), certificate: somePrices.optional() }).optional(),
  allowDomainSettings: z.boolean().optional(),
  /** The version that was read; when it has moved the answer is 409 with the present state. */
  version: z.int().min(1).max(2_147_483_647).optional(),
});
export type CreateCustomerBody = z.output<typeof createCustomerBody>;
export type UpdateCustomerBody = z.output<typeof updateCustomerBody>;

export const listCustomers = defineOperation({
  id: 'customers.list',
  method: 'GET',
  path: '/customer',
  reads: 'replica',
  summary: 'List the customers of the organization',
  access: 'customers.read',
  query: pageQuery(['organization', 'location', 'contact', 'domains', 'createdAt']),
  reply: z.array(customer),
  paged: true,
});

export const listCustomerChoices = defineOperation({
  id: 'customers.choices',
  method: 'GET',
  path: '/customer/choices',
  reads: 'replica',
  summary:
    'List all customers by name for a selection list, with a few hundred bytes each instead of a thousand',
  access: 'customers.read',
  reply: z.array(customerChoice),
});

export const getCustomer = defineOperation({
  id: 'customers.get',
  method: 'GET',
  path: '/customer/:id',
  summary: 'Get one customer',
  access: 'customers.read',
  params: idParams,
  reply: customer,
  errors: ['not_found'],
});

export const createCustomer = defineOperation({
  id: 'customers.create',
  method: 'POST',
  path: '/customer',
  summary: 'Create a customer',
  access: 'customers.create',
  audit: 'customers.create',
  body: createCustomerBody,
  reply: customer,
  errors: ['validation_failed', 'forbidden'],
  idempotent: true,
});

export const updateCustomer = defineOperation({
  id: 'customers.update',
  method: 'PATCH',
  path: '/customer/:id',
  summary: 'Change a customer',
  access: 'customers.edit',
  audit: 'customers.update',
  params: idParams,
  body: updateCustomerBody,
  reply: customer,
  errors: ['not_found', 'conflict', 'forbidden', 'validation_failed'],
});

export const deleteCustomer = defineOperation({
  id: 'customers.delete',
  method: 'DELETE',
  path: '/customer/:id',
  summary: 'Delete a customer without active domains',
  access: 'customers.delete',
  audit: ['customers.delete', 'users.remove', 'users.cancelInvite', 'tokens.end'],
  params: idParams,
  reply: noData,
  errors: ['not_found', 'has_active_domains'],
});
