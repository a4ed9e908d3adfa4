import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import { printable, printableMessage } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';
import type { RecordsByType } from '../values/zone-changes.ts';
import { recordsByType } from './dns.ts';

/** Sets of records that an organization keeps under a name. */

const templateName = z
  .string('Please enter a name for the template')
  .trim()
  .min(1, 'Please enter a name for the template')
  .max(mostCharacters.name, `At most ${mostCharacters.name} characters`)
  .regex(printable, printableMessage);

/** An organisation's own set of records; `{domain}` in a field stands for the domain it is applied to. */
export const dnsTemplate = z.object({ id: z.uuid(), name: z.string(), records: recordsByType });
export type OwnTemplate = z.output<typeof dnsTemplate>;

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

export const saveDnsTemplate = defineOperation({
  id: 'dns.saveTemplate',
  method: 'POST',
  path: '/dns/templates',
  summary: 'Save a set of records as a template',
  access: 'dns.templates',
  audit: 'dns.saveTemplate',
  body: z.object({
    name: templateName,
    records: recordsByType.refine((records) => countOf(records) <= templateLimits.records, {
      message: `A template has at most ${templateLimits.records} records`,
    }),
  }),
  reply: dnsTemplate,
  errors: ['validation_failed', 'already_exists'],
  bodyLimitBytes: templateLimits.bytes,
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
