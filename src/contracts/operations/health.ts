import { z } from 'zod';
import { defineOperation, idParams, noData, pageQuery } from '../operation.ts';
import { hostName } from '../values/domain-name.ts';
import { healthAreas, healthKinds, healthWeights } from '../values/health.ts';
import { oneLine } from '../values/one-line.ts';
import { mostWatchedAtOnce, watchedTextMost } from '../values/watched-names.ts';
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

/** A name that is held elsewhere, as its registry says. */
const elsewhere = z.object({
  /** Null: the registry does not say, or was not asked yet. */
  registrar: z.string().nullable(),
  expiresAt: moment.nullable(),
});

export const domainHealth = z.object({
  /** Null: it is held here. */
  watched: elsewhere.extend({ customerId: z.uuid().nullable(), customer: z.string() }).nullable(),
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
  /** Null: it is held here. */
  watched: z.object({ registrar: z.string().nullable() }).nullable(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
});
export type BoardRow = z.output<typeof boardRow>;

export const healthBoard = defineOperation({
  id: 'health.board',
  method: 'GET',
  path: '/health',
  reads: 'replica',
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

const watchedName = elsewhere.extend({
  domain: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  /** Null: not looked at yet. */
  checkedAt: moment.nullable(),
  /** Open findings that are not muted. */
  problems: z.int(),
});
export type WatchedName = z.output<typeof watchedName>;

export const listWatched = defineOperation({
  id: 'health.watched',
  method: 'GET',
  path: '/health/watched',
  reads: 'replica',
  summary: 'List the domains that are held elsewhere and watched',
  access: 'domains.read',
  query: pageQuery(['domain', 'expireDate']).extend({ customerId: z.uuid().optional() }),
  reply: z.array(watchedName),
  paged: true,
});

/** Whom they are watched for; null: for no customer. */
const watcher = z.object({ customerId: z.uuid().nullable() });
const watchedNames = z.object({ domains: z.array(hostName).min(1).max(mostWatchedAtOnce) });

export const watchNames = defineOperation({
  id: 'health.watch',
  method: 'POST',
  path: '/health/watched',
  summary:
    'Watch domains that are held elsewhere: names with blanks, commas or line ends between them, at most 1,000',
  access: 'domains.watch',
  audit: 'health.watch',
  body: watcher.extend({
    text: z.string().min(1, 'Please enter at least one name').max(watchedTextMost),
  }),
  bodyLimitBytes: watchedTextMost * 4,
  reply: z.object({
    added: z.int(),
    /** What was not added, with the reason. */
    left: z.array(z.object({ name: z.string(), reason: z.string() })),
  }),
  errors: ['validation_failed', 'not_found', 'unprocessable'],
  rate: 'health',
});
export type Watching = z.output<typeof watchNames.reply>;

export const assignWatched = defineOperation({
  id: 'health.assignWatched',
  method: 'PATCH',
  path: '/health/watched',
  summary: 'Assign watched domains to a customer, or to none',
  access: 'domains.watch',
  audit: 'health.assignWatched',
  body: watchedNames.extend(watcher.shape),
  reply: z.object({ changed: z.int() }),
  errors: ['validation_failed', 'not_found'],
});

export const unwatchNames = defineOperation({
  id: 'health.unwatch',
  method: 'POST',
  path: '/health/watched/remove',
  summary: 'Stop watching domains. What was found about them is deleted',
  access: 'domains.watch',
  audit: 'health.unwatch',
  body: watchedNames,
  reply: z.object({ removed: z.int() }),
  errors: ['validation_failed', 'not_found'],
});

export const healthReport = defineOperation({
  id: 'health.report',
  method: 'GET',
  path: '/customer/:id/health-report',
  reads: 'replica',
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

export const customerHealth = defineOperation({
  id: 'health.ofCustomer',
  method: 'GET',
  path: '/customer/:id/health',
  reads: 'replica',
  summary: 'Get what the report of a customer’s domains says: open findings that are not muted',
  access: 'domains.read',
  params: idParams,
  reply: z.object({
    name: z.string(),
    domains: z.int(),
    /** Of the domains, those that were looked at, and those that are held elsewhere. */
    lookedAt: z.int(),
    watched: z.int(),
    madeAt: moment,
    /** The weightiest first, at most 1,000. */
    findings: z.array(boardRow.omit({ customerId: true, customer: true })),
    /** There are more than these. */
    more: z.boolean(),
  }),
  errors: ['not_found'],
});
export type CustomerHealth = z.output<typeof customerHealth.reply>;

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
