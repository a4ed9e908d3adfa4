import { z } from 'zod';
import { defineOperation, pageQuery } from '../operation.ts';
import { auditActionNames } from '../values/audit-actions.ts';
import { day } from '../values/day.ts';
import { oneLine } from '../values/one-line.ts';

export const auditRow = z.object({
  /** Place in the organisation's chain. */
  sequence: z.int(),
  at: z.iso.datetime(),
  /** Email address of the person, or the name of a job. */
  actor: z.string(),
  actorId: z.uuid().nullable(),
  /** Where the request came from; told to those who manage, and of one's own acts. */
  ip: z.string().nullable(),
  action: z.string(),
  objectKind: z.string(),
  object: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  /** What was there and what came instead, secrets taken out. */
  before: z.unknown(),
  after: z.unknown(),
});
export type AuditRow = z.output<typeof auditRow>;

const filters = {
  person: z.uuid().optional(),
  customerId: z.uuid().optional(),
  action: z.enum(auditActionNames).optional(),
  domain: oneLine(253).toLowerCase().optional(),
  /** First and last day, in UTC, both included. */
  from: day.optional(),
  to: day.optional(),
};

export const listAudit = defineOperation({
  id: 'audit.list',
  method: 'GET',
  path: '/audit',
  reads: 'replica',
  summary:
    'List audit log entries, newest first. Managers see all entries, employees their own, and customers those of their own domains',
  access: 'audit.read',
  query: pageQuery(['at']).extend(filters),
  reply: z.array(auditRow),
  paged: true,
});

export const exportAudit = defineOperation({
  id: 'audit.csv',
  method: 'GET',
  path: '/audit/csv',
  reads: 'replica',
  summary: 'Download the audit log as a spreadsheet file. Each row carries its hash',
  access: 'audit.export',
  query: z.object({ ...filters, search: oneLine(200).optional() }),
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['text/csv'],
});

/** Where a part of a verification ended, to go on from there. */
export const walkedTo = z.object({
  rows: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  head: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

export const verifyAudit = defineOperation({
  id: 'audit.verify',
  method: 'GET',
  path: '/audit/verification',
  summary:
    'Verify the hash chain of the organization’s log, and report the first row that was changed. A long log is verified in parts: while `whole` is false, ask again with `rows` and `head` of the reply',
  access: 'audit.export',
  query: walkedTo,
  reply: z.object({
    rows: z.int(),
    head: z.string(),
    broken: z.object({ sequence: z.int(), reason: z.string() }).nullable(),
    /** The log was verified to its end, or to the row that is broken. */
    whole: z.boolean(),
  }),
  rate: 'verify',
});
