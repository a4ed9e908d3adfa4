import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { recordTypes } from '../values/dns-records.ts';
import { oneLine } from '../values/one-line.ts';

/** Records of all zones together. */

/** So many are shown. One more letter finds fewer. */
export const foundRecordsMost = 8;

const foundRecord = z.object({
  domain: z.string(),
  type: z.enum(recordTypes),
  subdomain: z.string(),
  /** The address, the target or the text. */
  value: z.string(),
});

export const findRecords = defineOperation({
  id: 'dns.findRecords',
  method: 'GET',
  path: '/dns/records',
  reads: 'replica',
  summary: 'Find DNS records of all domains by a part of their name or value, as the portal last saw them',
  access: 'domains.read',
  query: z.object({ search: oneLine(200) }),
  reply: z.array(foundRecord),
});
