import { type DnsRecord, type RecordType, readRecord, recordTypes } from '#contracts/values/dns-records.ts';
import { unquotedText } from '#contracts/values/mail-records.ts';
import { asciiName } from '#contracts/values/pasted-name.ts';

/** What is typed for a record. One box for all types: choosing another type loses nothing. */
export interface RecordValues {
  type: RecordType | '';
  subdomain: string;
  ip_address: string;
  ipv6_address: string;
  hostname: string;
  text: string;
  priority: string;
  weight: string;
  port: string;
}
export type RecordField = Exclude<keyof RecordValues, 'type' | 'subdomain'>;

interface FieldInfo {
  label: string;
  placeholder: string;
}

/** Fields of each type in the order in which they are typed. */
export const formFields: Readonly<Record<RecordType, readonly RecordField[]>> = {
  A: ['ip_address'],
  AAAA: ['ipv6_address'],
  CNAME: ['hostname'],
  MX: ['hostname', 'priority'],
  TXT: ['text'],
  SRV: ['hostname', 'priority', 'weight', 'port'],
};

const infos: Record<RecordField, FieldInfo> = {
  ip_address: { label: 'IPv4 address', placeholder: '192.0.2.1' },
  ipv6_address: { label: 'IPv6 address', placeholder: '2001:db8::1' },
  hostname: { label: 'Host name', placeholder: 'host.example.com' },
  text: { label: 'Text', placeholder: '' },
  priority: { label: 'Priority', placeholder: '10' },
  weight: { label: 'Weight', placeholder: '10' },
  port: { label: 'Port', placeholder: '443' },
};

export function fieldInfo(type: RecordType, field: RecordField): FieldInfo {
  if (type === 'MX' && field === 'hostname') return { label: 'Mail server', placeholder: 'mail.example.com' };
  if (type === 'SRV' && field === 'hostname')
    return { label: 'Target host', placeholder: 'host.example.com' };
  return infos[field];
}

const empty: RecordValues = {
  ...{ type: '', subdomain: '', ip_address: '', ipv6_address: '', hostname: '', text: '' },
  ...{ priority: '', weight: '', port: '' },
};

export function valuesOf(record: DnsRecord | null): RecordValues {
  if (!record) return empty;
  const texts = Object.entries(record).map(([key, value]) => [key, String(value)]);
  return { ...empty, ...(Object.fromEntries(texts) as Partial<RecordValues>) };
}

/** Whether a record's form holds what is not in the record. */
export function isTyped(values: RecordValues, record: DnsRecord | null): boolean {
  const before = valuesOf(record);
  return (Object.keys(before) as (keyof RecordValues)[]).some((field) => values[field] !== before[field]);
}

type Texts = Partial<Record<keyof RecordValues, string>>;

/**
 * The contract's complaints by field. Pasted full names lose the domain, which is added by itself, and texts from zone files
 * their quotation marks; `notes` say what is saved instead of what was typed.
 */
export function readValues(
  values: RecordValues,
  domain: string,
): { record: DnsRecord | null; problems: Texts; notes: Texts } {
  const subdomain = relativeName(values.subdomain, domain);
  const bare = values.type === 'TXT' ? unquotedText(values.text) : null;
  const text = bare || values.text;
  const read = readRecord({ ...values, text, subdomain, type: values.type || undefined });
  if (read.ok) return { record: read.record, problems: {}, notes: notesOf(values, read.record, domain) };
  const problems: Texts = {};
  for (const { field, message } of read.problems) {
    if (field && field in empty) problems[field as keyof RecordValues] ??= message;
  }
  return { record: null, problems, notes: {} };
}

function notesOf(values: RecordValues, record: DnsRecord, domain: string): Texts {
  const notes: Texts = {};
  const typed = (text: string) => text.trim().toLowerCase().replace(/\.$/, '') || '.';
  if ('hostname' in record && typed(values.hostname) !== record.hostname) {
    notes.hostname = `Saved as ${record.hostname}`;
  }
  if (/[^ -~]/.test(values.subdomain)) notes.subdomain = `Saved as ${record.subdomain}.${domain}`;
  if (record.type === 'TXT' && record.text !== values.text) {
    notes.text = `Saved without the quotation marks: ${record.text.slice(0, 60)}${record.text.length > 60 ? '…' : ''}`;
  }
  return notes;
}

function relativeName(typed: string, domain: string): string {
  const name = asciiName(typed.trim().toLowerCase()).replace(/\.$/, '');
  if (name === domain) return '';
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : name;
}

export const typeChoices = recordTypes.map((value) => ({ value, label: value }));

/** What a record of a type asks for, in the order of its form. */
export function fieldsOfType(type: RecordType): { field: string; label: string; placeholder: string }[] {
  return formFields[type].map((field) => ({ field, ...fieldInfo(type, field) }));
}
