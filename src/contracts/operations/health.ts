import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import { healthAreas, healthKinds, healthWeights } from '../values/health.ts';
import { oneLine } from '../values/one-line.ts';
import { domainParams } from './domains.ts';

/** What is wrong with domains as the world sees them. */

const moment = z.iso.datetime();
const kind = z.enum(healthKinds);
const area = z.enum(healthAreas);

export const healthFinding = z.object({
  id: z.uuid(),
  kind,
  area,
  /** `bad`: something does not work or can be abused; `warn`: it will; `note`: it could be better. */
  weight: z.enum(healthWeights),
  title: z.string(),
  /** What it means, in one sentence. */
  meaning: z.string(),
  /** What to do. */
  remedy: z.string(),
  /** `likely`: there are rare cases in which it is meant so. */
  certainty: z.enum(['sure', 'likely']),
  /** What to ask for as a change (`changes.create`), to mend it; null: it takes a person who knows what is meant. */
  fix: z.looseObject({ kind: z.string() }).nullable(),
  /** The evidence. */
  detail: z.string(),
  firstSeen: moment,
  lastSeen: moment,
  clearedAt: moment.nullable(),
  muted: z.object({ until: moment, reason: z.string() }).nullable(),
});
export type HealthFinding = z.output<typeof healthFinding>;

export const domainHealth = z.object({
  /** Null: not looked at yet. */
  checkedAt: moment.nullable(),
  nextAt: moment.nullable(),
  /** Open ones, the weightiest first, then those that cleared in the last 30 days. */
  findings: z.array(healthFinding),
});
export type DomainHealth = z.output<typeof domainHealth>;

export const getDomainHealth = defineOperation({
  id: 'health.get',
  method: 'GET',
  path: '/domain/health/:domain',
  summary: 'Get what is wrong with a domain as the world sees it, and when it was looked at',
  access: 'domains.read',
  params: domainParams,
  reply: domainHealth,
  errors: ['not_found'],
});

export const checkDomainHealth = defineOperation({
  id: 'health.check',
  method: 'POST',
  path: '/domain/health/:domain',
  summary: 'Look at a domain now. The result is there within a minute',
  access: 'domains.read',
  audit: { none: 'It asks DNS and changes nothing.' },
  params: domainParams,
  reply: noData,
  errors: ['not_found'],
  rate: 'health',
});

export const boardRow = healthFinding.extend({
  domain: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
});
export type BoardRow = z.output<typeof boardRow>;

export const healthBoard = defineOperation({
  id: 'health.board',
  method: 'GET',
  path: '/health',
  summary: 'List the open findings of all domains, the weightiest first, with their counts by kind',
  access: 'domains.read',
  query: z.object({
    kind: kind.optional(),
    area: area.optional(),
    customerId: z.uuid().optional(),
    /** Only those that are muted; else only those that are not. */
    muted: z.enum(['true', 'false']).optional(),
    /** The id of the last finding of the page before. */
    after: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  reply: z.object({
    rows: z.array(boardRow),
    more: z.boolean(),
    counts: z.array(z.object({ kind, count: z.int() })),
  }),
});
export type HealthBoard = z.output<typeof healthBoard.reply>;

export const healthReport = defineOperation({
  id: 'health.report',
  method: 'GET',
  path: '/customer/:id/health-report',
  summary:
    'Download what is wrong with a customer’s domains as a PDF file, under the organization’s name and logo',
  access: 'domains.read',
  params: idParams,
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['application/pdf'],
  errors: ['not_found'],
  rate: 'health',
});

export const muteFinding = defineOperation({
  id: 'health.mute',
  method: 'PUT',
  path: '/health/:id/mute',
  summary: 'Mute a finding until a date, with a reason, or let it speak again',
  access: 'attention.manage',
  audit: 'health.mute',
  params: idParams,
  body: z.object({
    /** Null: it speaks again. */
    muted: z
      .object({
        until: moment,
        reason: oneLine(200, 'The reason cannot exceed 200 characters').min(1, 'Please enter a reason'),
      })
      .nullable(),
  }),
  reply: healthFinding,
  errors: ['not_found', 'validation_failed'],
});
