import { z } from 'zod';
import { defineOperation, idParams, noData, pageQuery } from '../operation.ts';
import {
  accessHost,
  accessHostsMost,
  accessOutcomes,
  accessStates,
  buyLimits,
} from '../values/acme-access.ts';
import { day } from '../values/day.ts';
import { oneLine } from '../values/one-line.ts';

const moment = z.iso.datetime();

/** Amounts are for the MSP's own people: a customer's user sees null. */
const shownLimits = z.object({ ordersPerMonth: z.int(), centsPerMonth: z.int().nullable() });

export const acmeAccess = z.object({
  id: z.uuid(),
  name: z.string(),
  /** By this name the client binds its account to the access. */
  keyId: z.string(),
  /** Where clients find the server. */
  directoryUrl: z.string(),
  customerId: z.uuid(),
  customer: z.string(),
  /** Null: every name of the customer. */
  hosts: z.array(z.string()).nullable(),
  productType: z.string(),
  /** The product's name. */
  product: z.string(),
  /** Null: it never buys. */
  mayBuy: shownLimits.nullable(),
  /** The same as it holds now: the MSP may have lowered what a customer's own users may let machines buy. */
  buysNow: shownLimits.nullable(),
  /** Of this calendar month (UTC). */
  usedThisMonth: z.object({ orders: z.int(), cents: z.int().nullable() }),
  state: z.enum(accessStates),
  /** Why it works no longer. */
  ended: z.object({ at: moment, because: z.string() }).nullable(),
  madeBy: z.string(),
  /** Made by a user of the customer. */
  byCustomer: z.boolean(),
  /** Whether the caller may change and revoke it. */
  mayChange: z.boolean(),
  createdAt: moment,
  expiresAt: moment.nullable(),
  /** Within a minute. */
  lastUsedAt: moment.nullable(),
  /** The newest entry of its log, where something was refused or failed. */
  problem: z.object({ at: moment, text: z.string() }).nullable(),
});
export type AcmeAccess = z.output<typeof acmeAccess>;

export const listAccesses = defineOperation({
  id: 'acme.list',
  method: 'GET',
  path: '/acme/access',
  reads: { primary: 'the accesses of machines are rights' },
  summary: 'List the ACME accesses, of all customers or one. Keys are never in it',
  access: 'acme.manage',
  query: pageQuery(['name', 'customer', 'createdAt', 'lastUsedAt', 'expiresAt']).extend({
    customerId: z.uuid().optional(),
    state: z.enum(accessStates).optional(),
  }),
  reply: z.array(acmeAccess),
  paged: true,
});

export const getAccess = defineOperation({
  id: 'acme.get',
  method: 'GET',
  path: '/acme/access/:id',
  summary: 'Get one ACME access',
  access: 'acme.manage',
  params: idParams,
  reply: acmeAccess,
  errors: ['not_found'],
});

const name = oneLine(60, 'Name cannot exceed 60 characters').min(1, 'Please enter a name');
const hosts = z
  .array(accessHost)
  .min(1, 'Please enter at least one name')
  .max(accessHostsMost, `At most ${accessHostsMost} names`);
/** Leave the money out as a customer's user: the MSP has set it. */
const wantedLimits = buyLimits.partial({ centsPerMonth: true });

export const accessBody = z.object({
  name,
  customerId: z.uuid(),
  /** Null: every name of the customer. */
  hosts: hosts.nullable(),
  /** Bought when no paid term covers the names. A customer's user gets the product that the MSP has chosen. */
  productType: oneLine(64).optional(),
  /** Null: it never buys, and only reissues within paid terms. */
  mayBuy: wantedLimits.nullable(),
  /** The access works until this day is over (UTC). Null: it does not end by itself. */
  lastDay: day.nullish(),
});

export const makeAccess = defineOperation({
  id: 'acme.make',
  method: 'POST',
  path: '/acme/access',
  summary: 'Make an ACME access. Only this reply contains its HMAC key',
  access: 'acme.manage',
  audit: 'acme.make',
  body: accessBody,
  reply: acmeAccess.extend({ hmacKey: z.string() }),
  errors: ['not_found', 'forbidden', 'validation_failed', 'unprocessable'],
  rate: 'acmeAccess',
  freshSignIn: true,
  sensitive: true,
});

export const changeAccess = defineOperation({
  id: 'acme.change',
  method: 'PATCH',
  path: '/acme/access/:id',
  summary: 'Change an ACME access: its name, hosts, limits or end. What is left out stays as it is',
  access: 'acme.manage',
  audit: 'acme.change',
  params: idParams,
  body: accessBody.omit({ customerId: true }).partial(),
  reply: acmeAccess,
  errors: ['not_found', 'forbidden', 'validation_failed', 'unprocessable'],
  freshSignIn: { when: 'the access may do more afterwards' },
});

export const revokeAccess = defineOperation({
  id: 'acme.revoke',
  method: 'DELETE',
  path: '/acme/access/:id',
  summary:
    'Revoke an ACME access. Its accounts end with it, from the next request on. Certificates stay valid',
  access: 'acme.manage',
  audit: 'acme.revoke',
  params: idParams,
  reply: noData,
  errors: ['not_found', 'forbidden'],
});

export const accessEntry = z.object({
  /** First and last time, when it was repeated. */
  at: moment,
  lastAt: moment,
  times: z.int(),
  event: z.string(),
  outcome: z.enum(accessOutcomes),
  identifiers: z.array(z.string()),
  /** What the machine was answered: what was the matter and what to do, in words for the customer. */
  detail: z.string(),
  /** What the MSP can do about it. Empty for customers' own users, and where the answer says it all. */
  advice: z.string(),
});
export type AccessEntry = z.output<typeof accessEntry>;

export const accessLog = defineOperation({
  id: 'acme.log',
  method: 'GET',
  path: '/acme/access/:id/log',
  summary: 'List what was done with an ACME access, newest first. The newest 200 entries are kept',
  access: 'acme.manage',
  params: idParams,
  reply: z.array(accessEntry),
  errors: ['not_found'],
});

const customerParams = z.object({ customerId: z.uuid() });

/** What a customer's own users may make; null: nothing. */
export const acmeAllowance = z
  .object({
    /** Accesses at a time. */
    mostAccesses: z.int(),
    productType: z.string(),
    product: z.string(),
    /** Of each access. Null: they never buy. */
    mayBuy: shownLimits.nullable(),
  })
  .nullable();
export type AcmeAllowance = z.output<typeof acmeAllowance>;

export const getAllowance = defineOperation({
  id: 'acme.allowance',
  method: 'GET',
  path: '/acme/allowance/:customerId',
  summary: 'Get what ACME accesses the users of a customer may make themselves',
  access: 'acme.manage',
  params: customerParams,
  reply: acmeAllowance,
  errors: ['not_found'],
});

const wantedAllowance = z
  .object({
    mostAccesses: z.int('Please enter a whole number').min(1, 'At least 1').max(100, 'At most 100'),
    productType: oneLine(64),
    mayBuy: buyLimits.nullable(),
  })
  .nullable();

export const allowanceBody = z.object({
  allowance: wantedAllowance,
  /** As it was read. It is another one by now: 409 `conflict` with the present one, so that nobody's limits are lifted unseen. */
  shown: wantedAllowance,
});

export const setAllowance = defineOperation({
  id: 'acme.setAllowance',
  method: 'PUT',
  path: '/acme/allowance/:customerId',
  summary:
    'Set what ACME accesses the users of a customer may make themselves. It holds at once for those they made',
  access: 'orders.purchase',
  audit: 'acme.setAllowance',
  params: customerParams,
  body: allowanceBody,
  reply: acmeAllowance,
  errors: ['not_found', 'forbidden', 'validation_failed', 'conflict'],
});
