import { z } from 'zod';
import { asciiName, pastedName } from './pasted-name.ts';

/**
 * DNS records as the product edits them (P2 §3 and §5), with the rules of the protocol. One source for the form, the
 * API, the import and the preview of a restore.
 */
export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV'] as const;
export type RecordType = (typeof recordTypes)[number];

/** The registrar serves every record with this (checked 2026-11-21: its protocol has no TTL). */
export const ttlSeconds = 3_600;
export const ttlText = '1 hour';

/** A TXT record is a row of strings of 255 octets at most (RFC 1035 §3.3); longer texts are split. */
export const textPartBytes = 255;
const longestTextBytes = 4_096;

const requiredText = 'This field is required';
const hostLabel = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Relative to the domain; '' is the domain itself, `@` on screens. A wildcard is allowed only as the leftmost part. */
export const subdomain = z
  .string()
  .transform((typed) => {
    const name = asciiName(typed.trim().toLowerCase()).replace(/\.$/, '');
    return name === '@' ? '' : name;
  })
  .superRefine((name, context) => {
    const problem = subdomainProblem(name);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

function subdomainProblem(name: string): string | null {
  if (name === '') return null;
  if (name.length > 250) return 'This name is too long';
  const labels = name.split('.');
  if (labels.some((label) => label === '')) return 'Please remove the empty part between the dots';
  if (labels.some((label) => label.length > 63)) return 'Each part of a name has at most 63 characters';
  const [first, ...rest] = labels;
  const plain = first === '*' ? rest : labels;
  if (plain.some((label) => !hostLabel.test(label))) {
    return 'Only letters, digits, hyphens and underscores are allowed. No part may begin or end with a hyphen. An asterisk (*) is allowed only as the first part';
  }
  return null;
}

/** Where a host name belongs: there is no such service (RFC 7505 for mail, RFC 2782). */
export const noTarget = '.';

/** A full host name that a record points to, in its ASCII form; a dot at its end is left out. */
const targetBut = (accepted: string | null) =>
  z
    .string(requiredText)
    .transform(pastedName)
    .superRefine((name, context) => {
      const problem = name === accepted ? null : targetProblem(name);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    });
const target = targetBut(null);
const targetOrNone = targetBut(noTarget);

function targetProblem(name: string): string | null {
  if (name === '') return requiredText;
  if (name.length > 253) return 'A host name has at most 253 characters';
  const labels = name.split('.');
  if (/^\d[\d.]*$/.test(name) || name.includes(':')) return 'Please enter a host name, not an address';
  if (labels.some((label) => label.length > 63 || !hostLabel.test(label))) return 'This is not a host name';
  if (labels.length < 2) return 'Please enter a full host name, such as mail.example.com';
  return null;
}

/** Digits: `1e2` and `0x10` are numbers to a computer only, and so is nothing at all. */
const written = z
  .union([z.number(), z.string().trim().min(1, requiredText)], requiredText)
  .transform((given) => (typeof given === 'number' || /^-?[\d.]+$/.test(given) ? Number(given) : Number.NaN));
const anyNumber = written.pipe(z.number({ error: 'Please enter a number' }));
const number = written.pipe(
  z
    .number({ error: 'Please enter a number' })
    .int('Please enter a whole number')
    .min(0, 'From 0 to 65535')
    .max(65_535, 'From 0 to 65535'),
);
const anyText = z.union([z.string(), z.number()], requiredText).transform(String);

const ipv4 = z
  .string(requiredText)
  .trim()
  .min(1, requiredText)
  .pipe(z.ipv4({ error: 'Please enter an IPv4 address, such as 192.0.2.1' }));
const ipv6 = z
  .string(requiredText)
  .trim()
  .min(1, requiredText)
  .pipe(z.ipv6({ error: 'Please enter an IPv6 address, such as 2001:db8::1' }))
  .transform((text) => shortIpv6(text));

/** As browsers and registries write it: lower case, the longest row of zeros left out. */
export function shortIpv6(text: string): string {
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return text.toLowerCase();
  }
}

const recordText = z
  .string(requiredText)
  .min(1, requiredText)
  .refine((text) => bytesOf(text) <= longestTextBytes, { message: 'At most 4096 characters' })
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), {
    message: 'Please remove line breaks and characters that cannot be printed',
  });

/** The type-specific fields (P2 §3); all are required (P2 §5). */
export const recordFields = {
  A: z.object({ ip_address: ipv4 }),
  AAAA: z.object({ ipv6_address: ipv6 }),
  CNAME: z.object({ hostname: target }),
  MX: z.object({ hostname: targetOrNone, priority: number }),
  TXT: z.object({ text: recordText }),
  SRV: z.object({ hostname: targetOrNone, priority: number, weight: number, port: number }),
} as const satisfies Record<RecordType, z.ZodObject>;

export type DnsRecord = {
  [T in RecordType]: { type: T; subdomain: string } & z.output<(typeof recordFields)[T]>;
}[RecordType];

/** Fields in the order in which forms and zone files show them. */
export const fieldOrder = {
  A: ['ip_address'],
  AAAA: ['ipv6_address'],
  CNAME: ['hostname'],
  MX: ['priority', 'hostname'],
  TXT: ['text'],
  SRV: ['priority', 'weight', 'port', 'hostname'],
} as const satisfies Record<RecordType, readonly string[]>;

export interface RecordProblem {
  /** Field it is about; null for the record as a whole. */
  field: string | null;
  message: string;
}

type RecordReading = { ok: true; record: DnsRecord } | { ok: false; problems: RecordProblem[] };

const noType: RecordReading = {
  ok: false,
  problems: [{ field: 'type', message: 'You must select a type' }],
};

/** Type, name and fields as given to a record in its normal form, or what is wrong with them. */
export function readRecord(given: Record<string, unknown>): RecordReading {
  const type = recordTypes.find((known) => known === given.type);
  if (!type) return noType;
  const name = subdomain.safeParse(given.subdomain ?? '');
  const fields = recordFields[type].safeParse(given);
  const problems = [
    ...(name.error?.issues ?? []).map(({ message }) => ({ field: 'subdomain', message })),
    ...(fields.error?.issues ?? []).map(({ path, message }) => ({
      field: String(path[0] ?? ''),
      message,
    })),
  ];
  if (!name.success || !fields.success) return { ok: false, problems };
  const record = { type, subdomain: name.data, ...fields.data } as DnsRecord;
  const odd = oddity(record);
  return odd ? { ok: false, problems: [odd] } : { ok: true, record };
}

function oddity(record: DnsRecord): RecordProblem | null {
  const odd = (message: string, field = 'subdomain') => ({ field, message });
  if (record.type === 'CNAME' && record.subdomain === '') {
    return odd('The domain itself cannot be an alias (CNAME), because it has other records');
  }
  if (record.type === 'SRV' && !/^(\*\.)?_[a-z0-9-]+\._[a-z]+(\.|$)/.test(record.subdomain)) {
    return odd('A service name looks like _sip._tcp');
  }
  if (record.type === 'MX' && record.hostname === noTarget && record.priority !== 0) {
    return odd('A domain that accepts no mail needs the priority 0 here', 'priority');
  }
  return null;
}

/** What a record says besides its name, as one text: the Data column. */
export function recordData(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
      return record.ip_address;
    case 'AAAA':
      return record.ipv6_address;
    case 'CNAME':
      return record.hostname;
    case 'MX':
      return `${record.priority} ${record.hostname}`;
    case 'TXT':
      return record.text;
    case 'SRV':
      return `${record.priority} ${record.weight} ${record.port} ${record.hostname}`;
  }
}

/** Equal for records that are the same to the DNS, however they were written. */
export function recordKey(record: DnsRecord): string {
  return `${record.type} ${record.subdomain.toLowerCase()} ${recordData(normal(record))}`;
}

const hostKey = (name: string) => name.trim().toLowerCase().replace(/\.$/, '');

function normal(record: DnsRecord): DnsRecord {
  switch (record.type) {
    case 'A':
      return { ...record, ip_address: record.ip_address.trim() };
    case 'AAAA':
      return { ...record, ipv6_address: shortIpv6(record.ipv6_address.trim()) };
    case 'TXT':
      return record;
    default:
      return { ...record, hostname: hostKey(record.hostname) };
  }
}

/**
 * A record that is named to be changed or removed: whatever the registrar holds can be named, also what may not be
 * added any more. What is missing is told: an empty number taken for 0 would name another record.
 */
export function namedRecord(given: Record<string, unknown>): RecordReading {
  const type = recordTypes.find((known) => known === given.type);
  if (!type) return noType;
  const name = typeof given.subdomain === 'string' ? given.subdomain.trim().toLowerCase() : '';
  const fields: Record<string, string | number> = {};
  const problems: RecordProblem[] = [];
  for (const field of fieldOrder[type]) {
    const read = (numberFields.has(field) ? anyNumber : anyText).safeParse(given[field]);
    if (read.success) fields[field] = read.data;
    else problems.push(...read.error.issues.map(({ message }) => ({ field, message })));
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, record: { type, subdomain: name === '@' ? '' : name, ...fields } as DnsRecord };
}

const numberFields: ReadonlySet<string> = new Set(['priority', 'weight', 'port']);

/** The name as people know it. */
export function hostOf(record: Pick<DnsRecord, 'subdomain'>, domain: string): string {
  return record.subdomain === '' ? domain : `${record.subdomain}.${domain}`;
}

/** By type, name and data: the order of exports and tables, whatever order the registrar keeps. */
export function sortedRecords(records: readonly DnsRecord[]): DnsRecord[] {
  const keyed = records.map((record) => ({ record, key: recordKey(record) }));
  const place = (record: DnsRecord) => recordTypes.indexOf(record.type);
  return keyed
    .sort((a, b) => place(a.record) - place(b.record) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ record }) => record);
}

/** A text as the strings of a TXT record, none cut within a character. */
export function textParts(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of text) {
    const size = bytesOf(character);
    if (bytes + size > textPartBytes) {
      parts.push(part);
      part = '';
      bytes = 0;
    }
    part += character;
    bytes += size;
  }
  return [...parts, part];
}
