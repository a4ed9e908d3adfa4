import { z } from 'zod';
import { defineOperation, noData } from '../operation.ts';
import { day } from '../values/day.ts';
import { oneLine } from '../values/one-line.ts';
import { mostAddressLines, mostCharacters } from '../values/text-limits.ts';

/** What the portal's figures tell of a reseller's earnings: what customers paid directly, less what it cost. */

export const earningsGroups = ['month', 'customer', 'kind'] as const;

/** All amounts are integer cents, as on the statement. */
const figures = {
  /** Items whose charge was booked in the time asked for. */
  items: z.int(),
  /** Taken from the prepaid balance for items that are billed directly, less what was given back. */
  cost: z.int(),
  /** The same for all other items: the organization bills them itself, the portal does not know at what price. */
  otherCost: z.int(),
  /** What the payment account has taken of customers, less what went back. */
  received: z.int(),
  /** `received` less `cost`. */
  earned: z.int(),
};

export const earningsRow = z.object({
  /** A month as `2026-11` (UTC), a customer's id, or a kind of item; empty where there is no customer. */
  key: z.string(),
  label: z.string(),
  ...figures,
});
export type EarningsRow = z.output<typeof earningsRow>;

const span = {
  /** First and last day, in UTC, both included. */
  from: day.optional(),
  to: day.optional(),
};

export const getEarnings = defineOperation({
  id: 'earnings.list',
  method: 'GET',
  path: '/account/earnings',
  reads: 'replica',
  summary: 'Get direct payments by customers, their cost and the margin, by month, customer or kind',
  access: 'balance.read',
  query: z.object({ by: z.enum(earningsGroups).default('month'), ...span, customerId: z.uuid().optional() }),
  reply: z.array(earningsRow),
  errors: ['validation_failed'],
});

export const getEarningsCsv = defineOperation({
  id: 'earnings.csv',
  method: 'GET',
  path: '/account/earnings/csv',
  reads: 'replica',
  summary: 'Download the earnings by month, customer and kind as a CSV file',
  access: 'statement.export',
  query: z.object(span),
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['text/csv'],
  errors: ['validation_failed'],
});

/** Who statements and receipts are made out to. */
export const billingAddress = z.object({
  name: oneLine(mostCharacters.addressLine),
  /** The lines of an address, as on an envelope. */
  address: z.array(oneLine(mostCharacters.addressLine)).max(mostAddressLines),
  /** VAT, GST or another tax number, where there is one. */
  taxId: oneLine(mostCharacters.taxId),
});
export type BillingAddress = z.output<typeof billingAddress>;

export const getBillingAddress = defineOperation({
  id: 'statement.address',
  method: 'GET',
  path: '/account/statement/recipient',
  summary: 'Get the name, address and tax number on statements and receipts',
  access: 'statement.export',
  reply: billingAddress,
});

export const setBillingAddress = defineOperation({
  id: 'statement.setAddress',
  method: 'PUT',
  path: '/account/statement/recipient',
  summary:
    'Set the name, address and tax number on statements and receipts. An empty name means the organization’s name',
  access: 'statement.export',
  audit: 'statement.setAddress',
  body: billingAddress,
  reply: noData,
  errors: ['validation_failed'],
});
