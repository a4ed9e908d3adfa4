import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { type DnsRecord, fieldOrder, namedRecord, readRecord, recordTypes } from '../values/dns-records.ts';
import { hostName } from '../values/domain-name.ts';
import { isInnerAddress } from '../values/inner-address.ts';
import { zoneTextMost } from '../values/limits.ts';
import { oneLine } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';
import type { RecordsByType, ZoneChange } from '../values/zone-changes.ts';
import { dnssecConfirmed, settingResult } from './domain-settings.ts';
import { domainParams } from './domains.ts';

/** Zones and nameserver hosts of a domain (P2 §2, §3, §7). */

const text = z.string();
const number = z.number();

/** Records as they are shown: what the registrar holds stays readable, whatever rules it follows. */
export const recordsByType = z.object({
  A: z.array(z.object({ subdomain: text, ip_address: text })),
  AAAA: z.array(z.object({ subdomain: text, ipv6_address: text })),
  CNAME: z.array(z.object({ subdomain: text, hostname: text })),
  MX: z.array(z.object({ subdomain: text, hostname: text, priority: number })),
  TXT: z.array(z.object({ subdomain: text, text })),
  SRV: z.array(z.object({ subdomain: text, hostname: text, priority: number, weight: number, port: number })),
}) satisfies z.ZodType<RecordsByType>;

export const zone = z.object({
  records: recordsByType,
  /** 1 means managed DNS (P2 §3). */
  nameservers_ok: z.union([z.literal(0), z.literal(1)]),
  /** Of these records; sent along with a change, so that the portal sees whether they moved since. */
  version: text,
  /** The transfer is under way: records are kept here and published when it is completed. */
  staged: z.boolean(),
});
export type Zone = z.output<typeof zone>;

const value = z.union([z.string().max(8_000), z.number(), z.null()]).optional();
/** P2 §3; which of them a type has, and what they may hold, is for the transformation below. */
export const typeFields = {
  ip_address: value,
  ipv6_address: value,
  hostname: value,
  priority: value,
  weight: value,
  port: value,
  text: value,
};
const fields = z.strictObject(typeFields);

/**
 * One change (P2 §3): type and subdomain, an action, and the type's fields beside them or under `fields`. An update
 * names the record it is about by its `old` fields where several have the same type and name.
 */
const change = z
  .strictObject({
    ...typeFields,
    type: z.enum(recordTypes, { error: 'You must select a type' }),
    subdomain: z.string().max(300).default(''),
    action: z.enum(['add', 'update', 'remove']),
    fields: fields.optional(),
    old: fields.optional(),
  })
  .transform((given, context): ZoneChange => {
    const { action, old, fields: nested, ...flat } = given;
    const { type, subdomain } = given;
    for (const [path, from] of [
      [[], flat],
      [['fields'], nested],
      [['old'], old],
    ] as const) {
      for (const field of strangeFields(type, from ?? {})) {
        context.addIssue({ code: 'custom', message: strangeText(type, field), path: [...path, field] });
      }
    }
    const named = (from: Record<string, unknown>, path: string[]): DnsRecord | null => {
      const read = namedRecord({ ...from, type, subdomain });
      if (read.ok) return read.record;
      for (const { field, message } of read.problems) {
        context.addIssue({ code: 'custom', message, path: field ? [...path, field] : path });
      }
      return null;
    };
    if (action === 'remove') {
      const record = named({ ...flat, ...nested }, []);
      return record ? { action, record } : z.NEVER;
    }
    const meant = action === 'update' && old ? named(old, ['old']) : null;
    const read = readRecord({ ...flat, ...nested, type, subdomain });
    if (read.ok) {
      const { record } = read;
      return action === 'update' ? { action, record, old: meant } : { action, record };
    }
    for (const { field, message } of read.problems) {
      context.addIssue({ code: 'custom', message, path: field ? [field] : [] });
    }
    return z.NEVER;
  });

/** Fields that the type does not have: without a word they would have no effect, and the wrong name would be changed. */
function strangeFields(type: DnsRecord['type'], given: Record<string, unknown>): string[] {
  const own: readonly string[] = fieldOrder[type];
  return Object.keys(typeFields).filter((field) => (given[field] ?? null) !== null && !own.includes(field));
}

function strangeText(type: DnsRecord['type'], field: string): string {
  const hint = field === 'hostname' ? ' The name of a record is its subdomain.' : '';
  return `A record of type ${type} has no field "${field}".${hint}`;
}

export const zoneErrors = [
  'not_found',
  'forbidden',
  'unprocessable',
  'registrar_refused',
  'upstream_unavailable',
  'outcome_unknown',
  'in_progress',
] as const;
const mostChanges = 5_000;
/** Design, security: a zone may be larger than other requests. */
const zoneBytes = 2_000_000;

export const getZone = defineOperation({
  id: 'dns.zone',
  method: 'GET',
  path: '/:domain/zone',
  summary: 'Get the DNS records of a domain by type, as the registrar serves them now',
  access: 'domains.read',
  params: domainParams,
  reply: zone,
  errors: ['not_found', 'registrar_refused', 'upstream_unavailable'],
});

export const changeZone = defineOperation({
  id: 'dns.changeZone',
  method: 'PUT',
  path: '/:domain/zone',
  summary: 'Add, update and remove records, all or none. Other records stay',
  access: 'dns.write',
  audit: 'dns.changeZone',
  params: domainParams,
  body: z.object({
    records: z.array(change).min(1).max(mostChanges),
    /** Of the records that were seen; when those that are changed moved since: 409 zone_changed. */
    version: oneLine(100).optional(),
    reason: oneLine(mostCharacters.reason).optional(),
  }),
  reply: zone.extend({
    /** What is likely wrong with single changes, or that a record was there already; `index` counts the changes. */
    warnings: z.array(z.object({ index: z.int(), message: text })),
  }),
  errors: [...zoneErrors, 'validation_failed', 'zone_changed'],
  bodyLimitBytes: zoneBytes,
});

/** What a person decides from after 409 zone_changed: the zone as it is now, and which changes it touches. */
export const zoneConflict = z.object({
  theirs: zone,
  touched: z.array(z.object({ index: z.int(), message: text })),
});

export const forceNameservers = defineOperation({
  id: 'dns.forceNameservers',
  method: 'POST',
  path: '/:domain/zone/force_dns_nameservers',
  summary: 'Delegate a domain to the managed DNS',
  access: 'domains.settings',
  audit: 'dns.forceNameservers',
  params: domainParams,
  body: z.object({ dnssecConfirmed }),
  reply: settingResult,
  errors: [...zoneErrors, 'signed_domain'],
});

/** A record with the fields of its type beside its name. */
export const wholeRecord = z.looseObject({ type: z.enum(recordTypes), subdomain: text });
export const recordDifference = z.object({
  action: z.enum(['add', 'update', 'remove']),
  record: wholeRecord,
  /** What it was before an update. */
  old: wholeRecord.nullable(),
});

const versionHead = z.object({
  id: z.uuid(),
  at: z.iso.datetime(),
  author: text,
  reason: text,
  state: z.enum(['writing', 'applied', 'refused', 'unknown', 'found', 'staged']),
  records: z.int(),
  version: text,
  /** What it changed; null where that is not known. `first`: the first twenty of the records. */
  changes: z
    .object({ added: z.int(), changed: z.int(), removed: z.int(), first: z.array(recordDifference) })
    .nullable(),
});
export type ZoneVersionHead = z.output<typeof versionHead>;

export const listZoneVersions = defineOperation({
  id: 'dns.versions',
  method: 'GET',
  path: '/:domain/zone/versions',
  summary: 'List the versions of a domain’s records, newest first: when, by whom and why they changed',
  access: 'domains.read',
  params: domainParams,
  reply: z.array(versionHead),
  errors: ['not_found'],
});

export const getZoneVersion = defineOperation({
  id: 'dns.version',
  method: 'GET',
  path: '/:domain/zone/versions/:id',
  summary: 'Get the records of one version',
  access: 'domains.read',
  params: domainParams.extend({ id: z.uuid() }),
  reply: versionHead.extend({ content: recordsByType }),
  errors: ['not_found'],
});

const lastChange = z.object({
  record: wholeRecord,
  /** What it was before; null when it was new. */
  old: wholeRecord.nullable(),
  at: z.iso.datetime(),
  author: text,
  reason: text,
  versionId: z.uuid(),
});
export type LastChange = z.output<typeof lastChange>;

export const lastRecordChanges = defineOperation({
  id: 'dns.lastChanges',
  method: 'GET',
  path: '/:domain/zone/last-changes',
  summary: 'List the last change of each current record: by whom, when, why, and the previous value',
  access: 'domains.read',
  params: domainParams,
  reply: z.array(lastChange),
  errors: ['not_found'],
});

export const exportZone = defineOperation({
  id: 'dns.export',
  method: 'GET',
  path: '/:domain/zone/export',
  reads: { primary: 'the registrar is asked, and what differs becomes a version' },
  summary: 'Download the zone, or one version of it, as a BIND zone file',
  access: 'domains.read',
  params: domainParams,
  query: z.object({ id: z.uuid().optional() }),
  reply: z.string(),
  replyKind: 'file',
  fileTypes: ['text/dns'],
  errors: ['not_found', 'registrar_refused', 'upstream_unavailable'],
});

export const importZone = defineOperation({
  id: 'dns.importPreview',
  method: 'POST',
  path: '/:domain/zone/import',
  summary: 'Read a BIND zone file and compare it with the zone. Changes nothing',
  access: 'dns.write',
  audit: { none: 'It shows what would change.' },
  changesNothing: true,
  params: domainParams,
  body: z.object({ text: z.string().min(1).max(zoneTextMost) }),
  reply: z.object({
    /** `problem`: why it cannot be added beside what is there. `note`: what becomes different. `warnings`: what is likely wrong. */
    records: z.array(
      z.object({
        line: z.int(),
        present: z.boolean(),
        problem: text.nullable(),
        note: text.nullable(),
        warnings: z.array(text),
        record: wholeRecord,
      }),
    ),
    leftOut: z.array(z.object({ line: z.int(), text, reason: text })),
    version: text,
  }),
  errors: ['not_found', 'registrar_refused', 'upstream_unavailable'],
  bodyLimitBytes: zoneBytes,
});

/** Glue (P2 §3): a host below the domain, with its addresses at the registry. */
export const glueRecord = z.object({
  name: text,
  ipaddress: text.nullable(),
  ipv6: text.nullable(),
  can_delete: z.union([z.literal(0), z.literal(1)]),
});
export type GlueRow = z.output<typeof glueRecord>;

/** Empty: none. */
const address = <T extends z.ZodType<string, string>>(kind: T) =>
  z.union([z.literal('').transform(() => null), z.null(), kind]);
/** A nameserver that the internet does not reach serves nobody, and registries refuse it. */
const reached = <T extends z.ZodType<string, string>>(kind: T) =>
  kind.refine(
    (text) => !isInnerAddress(text),
    'This is a private address. It cannot be reached from the internet',
  );
const glueBody = z.object({
  name: hostName,
  /** On a change, a family that is left out stays; null or empty removes it. */
  ipaddress: address(reached(z.ipv4('Please enter an IPv4 address, such as 192.0.2.1'))).optional(),
  ipv6: address(reached(z.ipv6('Please enter an IPv6 address, such as 2001:db8::1'))).optional(),
});

export const listGlue = defineOperation({
  id: 'dns.glue',
  method: 'GET',
  path: '/:domain/nameserver',
  summary: 'List the nameserver hosts under a domain',
  access: 'domains.read',
  params: domainParams,
  reply: z.array(glueRecord),
  errors: ['not_found', 'registrar_refused', 'upstream_unavailable'],
});

export const createGlue = defineOperation({
  id: 'dns.createGlue',
  method: 'POST',
  path: '/:domain/nameserver',
  summary: 'Create a nameserver host at the registry',
  access: 'domains.settings',
  audit: 'dns.createGlue',
  params: domainParams,
  body: glueBody,
  reply: settingResult,
  errors: [...zoneErrors, 'validation_failed', 'already_exists'],
});

export const updateGlue = defineOperation({
  id: 'dns.updateGlue',
  method: 'PUT',
  path: '/:domain/nameserver',
  summary: 'Change the addresses or the name of a nameserver host',
  access: 'domains.settings',
  audit: 'dns.updateGlue',
  params: domainParams,
  body: glueBody.extend({ new_name: hostName.optional() }),
  reply: settingResult,
  errors: [...zoneErrors, 'validation_failed'],
});

export const deleteGlue = defineOperation({
  id: 'dns.deleteGlue',
  method: 'DELETE',
  path: '/:domain/nameserver',
  summary: 'Remove a nameserver host from the registry',
  access: 'domains.settings',
  audit: 'dns.deleteGlue',
  params: domainParams,
  body: glueBody.pick({ name: true }).loose(),
  reply: settingResult,
  errors: zoneErrors,
});

export const dnssecState = z.object({
  /** What the registry publishes; empty: the domain is not signed. */
  records: z.array(
    z.object({ keyTag: z.string(), algorithm: z.string(), digestType: z.string(), digest: z.string() }),
  ),
});
export type DnssecState = z.output<typeof dnssecState>;

export const getDnssec = defineOperation({
  id: 'dns.dnssec',
  method: 'GET',
  path: '/:domain/dnssec',
  summary:
    'Get the DS records of a domain at the registry. While they exist, only nameservers with the same keys can serve the domain',
  access: 'domains.read',
  params: domainParams,
  reply: dnssecState,
  errors: ['not_found', 'registrar_refused', 'upstream_unavailable'],
});

export const removeDnssec = defineOperation({
  id: 'dns.removeDnssec',
  method: 'DELETE',
  path: '/:domain/dnssec',
  summary: 'Remove the DS records of a domain from the registry, so that its DNS can move',
  access: 'domains.settings',
  audit: 'dns.removeDnssec',
  params: domainParams,
  reply: settingResult,
  errors: zoneErrors,
});
