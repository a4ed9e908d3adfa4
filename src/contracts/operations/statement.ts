import { z } from 'zod';
import { defineOperation, idParams, pageQuery } from '../operation.ts';
import { day } from '../values/day.ts';
import { oneLine } from '../values/one-line.ts';

/** What moves the prepaid balance. A reservation does not: it is shown apart, until it is charged or given back. */
export const statementKinds = ['topup', 'purchase', 'refund', 'reversal', 'adjustment'] as const;
export type StatementKind = (typeof statementKinds)[number];

export const statementLine = z.object({
  entryId: z.uuid(),
  at: z.iso.datetime(),
  kind: z.enum(statementKinds),
  text: z.string(),
  /** Integer cents; negative is money spent. */
  amount: z.int(),
  /** What was posted after this line, in cents; reservations of running orders are not taken off. */
  balance: z.int(),
  orderId: z.uuid().nullable(),
  itemId: z.uuid().nullable(),
  /** The registrar's own number of the order, to look it up there. */
  registrarOrderId: z.string().nullable(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  topupId: z.uuid().nullable(),
  /** The payment's number at the payment provider. */
  payment: z.string().nullable(),
});
export type StatementLine = z.output<typeof statementLine>;

const filters = {
  kind: z.enum(statementKinds).optional(),
  /** First and last day, in UTC, both included. */
  from: day.optional(),
  to: day.optional(),
  customer: z.uuid().optional(),
};

export const getStatement = defineOperation({
  id: 'statement.list',
  method: 'GET',
  path: '/account/statement',
  reads: 'replica',
  summary:
    'List the transactions of the prepaid balance with their purpose and the balance after each, newest first',
  access: 'balance.read',
  query: pageQuery(['at', 'amount']).extend(filters),
  reply: z.array(statementLine),
  paged: true,
  errors: ['validation_failed'],
});

export const statementMonth = z.object({
  /** `2026-11`; months begin and end in UTC. */
  month: z.string(),
  opening: z.int(),
  in: z.int(),
  out: z.int(),
  closing: z.int(),
  lines: z.int(),
});
export type StatementMonth = z.output<typeof statementMonth>;

export const getStatementMonths = defineOperation({
  id: 'statement.months',
  method: 'GET',
  path: '/account/statement/months',
  reads: 'replica',
  summary: 'List the opening balance, money in, money out and closing balance of each month, newest first',
  access: 'balance.read',
  reply: z.array(statementMonth),
});

export const getStatementCsv = defineOperation({
  id: 'statement.csv',
  method: 'GET',
  path: '/account/statement/csv',
  reads: 'replica',
  summary: 'Download the statement as a CSV file, oldest first, with the same filters and search',
  access: 'statement.export',
  query: z.object({ ...filters, search: oneLine(200).optional() }),
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['text/csv'],
  errors: ['validation_failed'],
});

export const monthParams = z.object({
  month: z.string().regex(/^20\d{2}-(0[1-9]|1[0-2])$/, 'Please enter a month as YYYY-MM'),
});

export const getStatementPdf = defineOperation({
  id: 'statement.pdf',
  method: 'GET',
  path: '/account/statement/:month/pdf',
  reads: 'replica',
  summary: 'Download the statement of one month as a PDF',
  access: 'statement.export',
  params: monthParams,
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['application/pdf'],
  errors: ['not_found'],
});

export const getReceipt = defineOperation({
  id: 'statement.receipt',
  method: 'GET',
  path: '/order/:id/receipt',
  reads: 'replica',
  summary: 'Download the receipt for an order as a PDF',
  access: 'orders.read',
  params: idParams,
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['application/pdf'],
  errors: ['not_found', 'unprocessable'],
});
