import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import { hostName } from '../values/domain-name.ts';
import { oneLine, printable, printableMessage } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';
import type { RecordsByType } from '../values/zone-changes.ts';
import { recordDifference, recordsByType } from './dns.ts';

/** Sets of records that an organization keeps under a name. */

const templateName = z
  .string('Please enter a name for the template')
  .trim()
  .min(1, 'Please enter a name for the template')
  .max(mostCharacters.name, `At most ${mostCharacters.name} characters`)
  .regex(printable, printableMessage);

export const mostValueLength = 500;
export const variableKey = z.string().regex(/^\w{1,40}$/, 'Letters, digits and _ only');
const variables = z
  .array(z.object({ key: variableKey, label: oneLine(80).min(1, 'Please say what it stands for') }))
  .max(20, 'A template has at most 20 variables')
  .default([]);

const count = z.int().min(0);

/** An organisation's own set of records; `{domain}` in a field stands for the domain it is applied to. */
export const dnsTemplate = z.object({
  id: z.uuid(),
  name: z.string(),
  records: recordsByType,
  /** What its other marks stand for. */
  variables: z.array(z.object({ key: z.string(), label: z.string() })),
  /** Raised by each change; earlier ones stay where they were applied until this one is rolled out. */
  version: z.int(),
  /** Domains that it was applied to: all, those that are otherwise by now, and those with an earlier version. */
  uses: z.object({ total: count, drifted: count, outdated: count }),
});
export type OwnTemplate = z.output<typeof dnsTemplate>;

export const templateUse = z.object({
  domain: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  version: z.int(),
  values: z.record(z.string(), z.string()),
  /** `unread`: the zone was not looked at yet. `away`: its DNS is elsewhere by now. */
  state: z.enum(['unread', 'held', 'drifted', 'away']),
  /** How the zone differs: `add` is missing there, `update` was changed, `remove` came besides. */
  drift: z.array(recordDifference),
  appliedAt: z.iso.datetime(),
  checkedAt: z.iso.datetime().nullable(),
});
export type TemplateUse = z.output<typeof templateUse>;

/** All of an organization's are sent at once when somebody chooses: about 10 MB at the very most. */
export const templateLimits = { records: 200, bytes: 100_000 } as const;
const countOf = (records: RecordsByType) =>
  Object.values(records).reduce((sum, { length }) => sum + length, 0);

export const listDnsTemplates = defineOperation({
  id: 'dns.templates',
  method: 'GET',
  path: '/dns/templates',
  summary: 'List the organization’s own record templates by name',
  access: 'dns.templates',
  reply: z.array(dnsTemplate),
});

const content = {
  name: templateName,
  records: recordsByType.refine((records) => countOf(records) <= templateLimits.records, {
    message: `A template has at most ${templateLimits.records} records`,
  }),
  variables,
};

export const saveDnsTemplate = defineOperation({
  id: 'dns.saveTemplate',
  method: 'POST',
  path: '/dns/templates',
  summary: 'Save a set of records as a template',
  access: 'dns.templates',
  audit: 'dns.saveTemplate',
  body: z.object(content),
  reply: dnsTemplate,
  errors: ['validation_failed', 'already_exists'],
  bodyLimitBytes: templateLimits.bytes,
});

export const changeDnsTemplate = defineOperation({
  id: 'dns.changeTemplate',
  method: 'PUT',
  path: '/dns/templates/:id',
  summary:
    'Change a template. Zones do not change until its new version is rolled out by a change of many domains',
  access: 'dns.templates',
  audit: 'dns.changeTemplate',
  params: idParams,
  /** The version that was read: when it has moved the answer is 409. */
  body: z.object({ ...content, version: z.int().min(1) }),
  reply: dnsTemplate,
  errors: ['validation_failed', 'already_exists', 'not_found', 'conflict'],
  bodyLimitBytes: templateLimits.bytes,
});

export const listTemplateUses = defineOperation({
  id: 'dns.templateUses',
  method: 'GET',
  path: '/dns/templates/:id/uses',
  summary: 'List the domains that a template was applied to, each with what has become different since',
  access: 'dns.templates',
  params: idParams,
  query: z.object({
    state: z.enum(['drifted', 'outdated']).optional(),
    /** The name of the last domain of the page before. */
    after: oneLine(300).optional(),
    limit: z.coerce.number().int().min(1).max(2_000).default(100),
  }),
  reply: z.object({ uses: z.array(templateUse), more: z.boolean() }),
  errors: ['not_found'],
});
export type TemplateUses = z.output<typeof listTemplateUses.reply>;

export const checkDnsTemplate = defineOperation({
  id: 'dns.checkTemplate',
  method: 'POST',
  path: '/dns/templates/:id/check',
  summary: 'Look at all zones that a template was applied to, as soon as jobs come to it',
  access: 'dns.templates',
  audit: { none: 'It reads and changes nothing.' },
  params: idParams,
  reply: noData,
  errors: ['not_found'],
});

export const acceptDrift = defineOperation({
  id: 'dns.acceptDrift',
  method: 'POST',
  path: '/dns/templates/:id/accept',
  summary: 'Make a new version of a template from what a zone that drifted has become',
  access: 'dns.templates',
  audit: 'dns.acceptDrift',
  params: idParams,
  body: z.object({ domain: hostName, version: z.int().min(1) }),
  reply: dnsTemplate,
  errors: ['validation_failed', 'not_found', 'conflict', 'unprocessable'],
});

export const forgetTemplateUses = defineOperation({
  id: 'dns.forgetTemplate',
  method: 'POST',
  path: '/dns/templates/:id/forget',
  summary: 'Stop watching a template in these domains. Their zones do not change',
  access: 'dns.templates',
  audit: 'dns.forgetTemplate',
  params: idParams,
  body: z.object({ domains: z.array(hostName).min(1).max(2_000) }),
  reply: dnsTemplate,
  errors: ['not_found'],
});

export const deleteDnsTemplate = defineOperation({
  id: 'dns.deleteTemplate',
  method: 'DELETE',
  path: '/dns/templates/:id',
  summary: 'Delete a template. Zones do not change',
  access: 'dns.templates',
  audit: 'dns.deleteTemplate',
  params: idParams,
  reply: noData,
  errors: ['not_found'],
});
