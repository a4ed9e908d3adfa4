import type { DnsRecord } from './dns-records.ts';
import type { TemplateVariable } from './dns-templates.ts';

/**
 * Public templates of Domain Connect (draft-ietf-dconn-domainconnect; github.com/Domain-Connect/Templates, checked
 * 2026-11-23): a JSON object with the records of a service, and variables as `%name%`.
 */

export interface ConnectTemplate {
  name: string;
  records: DnsRecord[];
  variables: TemplateVariable[];
  /** What could not be taken over as it is. */
  notes: string[];
}

export type ConnectReading = { ok: true; template: ConnectTemplate } | { ok: false; message: string };

/** Longer texts are no templates of records. */
const mostCharacters = 200_000;
const mostRecords = 200;

/** Whether a pasted text may be one. */
export function looksLikeConnect(text: string): boolean {
  return text.trimStart().startsWith('{');
}

export function readDomainConnect(text: string): ConnectReading {
  if (text.length > mostCharacters) return { ok: false, message: 'This is too long for a template.' };
  const given = parsed(text);
  if (!given) return { ok: false, message: 'This is not a JSON object.' };
  if (!Array.isArray(given.records)) return { ok: false, message: 'This template has no list of records.' };
  if (given.records.length > mostRecords) {
    return { ok: false, message: `A template has at most ${mostRecords} records.` };
  }
  const notes: string[] = [];
  const records = given.records.flatMap((record: unknown) => {
    const read = isObject(record) ? recordOf(record) : 'is no record';
    if (typeof read !== 'string') return [read];
    notes.push(
      `${textOf(isObject(record) ? record.type : undefined) || 'One entry'} ${read} and was left out.`,
    );
    return [];
  });
  if (records.length === 0) return { ok: false, message: 'None of its records can be used here.' };
  if (given.records.some((record: unknown) => isObject(record) && upper(record.type) === 'SPFM')) {
    notes.push(
      'Its SPF rules become an SPF record of their own. One that a zone already has is replaced: look at the differences.',
    );
  }
  if (given.hostRequired === true) {
    notes.push('It is meant for a host below the domain: put that host before its names.');
  }
  const name = [textOf(given.providerName), textOf(given.serviceName)].filter(Boolean).join(' ');
  const keys = [...new Set(records.flatMap((record) => Object.values(record).flatMap(marksOf)))];
  const said = textOf(given.variableDescription);
  const variables = keys.map((key) => ({ key, label: labelOf(key, said) }));
  return { ok: true, template: { name: name.slice(0, 60) || 'Domain Connect', records, variables, notes } };
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown) =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
const upper = (value: unknown) => textOf(value).toUpperCase();

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A string: what is the matter with it. */
function recordOf(given: Json): DnsRecord | string {
  const type = upper(given.type);
  const subdomain = hostOf(given.host);
  const hostname = marked(textOf(given.pointsTo));
  switch (type) {
    case 'A':
      return hostname ? { type, subdomain, ip_address: hostname } : 'has no address';
    case 'AAAA':
      return hostname ? { type, subdomain, ipv6_address: hostname } : 'has no address';
    case 'CNAME':
      return hostname ? { type, subdomain, hostname: apexOf(hostname) } : 'leads nowhere';
    case 'MX': {
      const priority = wholeOf(given.priority);
      if (!hostname || priority === null) return 'has no server or no fixed priority';
      return { type, subdomain, hostname: apexOf(hostname), priority };
    }
    case 'TXT': {
      const text = marked(textOf(given.data));
      return text ? { type, subdomain, text } : 'has no text';
    }
    case 'SPFM': {
      const rules = marked(textOf(given.spfRules));
      return rules ? { type: 'TXT', subdomain, text: `v=spf1 ${rules} ~all` } : 'has no rules';
    }
    case 'SRV':
      return serviceOf(given, subdomain);
    default:
      return 'is not known here';
  }
}

function serviceOf(given: Json, host: string): DnsRecord | string {
  const [service, protocol] = [given.service, given.protocol].map((part) => marked(textOf(part)));
  const target = marked(textOf(given.target));
  const [priority, weight, port] = [given.priority, given.weight, given.port].map(wholeOf);
  if (!service || !protocol || !target) return 'has no service, protocol or target';
  if (priority == null || weight == null || port == null) return 'has no fixed priority, weight or port';
  const below = (label: string) => (label.startsWith('_') ? label : `_${label}`).toLowerCase();
  const name = hostOf(given.name) || host;
  const subdomain = [below(service), below(protocol), name].filter(Boolean).join('.');
  return { type: 'SRV', subdomain, hostname: apexOf(target), priority, weight, port };
}

/** A name below the domain, however it is written: `@`, empty, with the domain behind it. */
function hostOf(host: unknown): string {
  const name = marked(textOf(host)).replace(/\.$/, '');
  if (name === '@' || name === '{domain}') return '';
  return name.endsWith('.{domain}') ? name.slice(0, -'.{domain}'.length) : name.replace(/\.@$/, '');
}

/** `@` as a target is the domain itself. */
const apexOf = (name: string) => (name === '@' ? '{domain}' : name.replace(/\.$/, ''));

/** `%name%` is a variable there, `{name}` here. `%fqdn%` and `%domain%` are the domain, `%host%` is nothing. */
function marked(text: string): string {
  return text.replace(/%([A-Za-z0-9_-]{1,40})%/g, (_, name: string) => {
    const key = name.toLowerCase().replaceAll('-', '_');
    if (key === 'fqdn') return '{domain}';
    return key === 'host' ? '' : `{${key}}`;
  });
}

function marksOf(value: unknown): string[] {
  const text = typeof value === 'string' ? value : '';
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key).filter((key) => key !== 'domain');
}

/** "ip: the address; x: the key" says what each stands for. */
function labelOf(key: string, said: string): string {
  for (const part of said.split(/[;\n]/)) {
    const at = part.indexOf(':');
    if (at > 0 && part.slice(0, at).trim().toLowerCase() === key)
      return (
        part
          .slice(at + 1)
          .trim()
          .slice(0, 80) || key
      );
  }
  return key;
}

function wholeOf(value: unknown): number | null {
  const text = textOf(value);
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}
