import { isIP } from 'node:net';
import { isMap, listOf, mapOf, Refusal, textOf, type XcpMap } from '../xcp.ts';

/** The keys of each record type (checked 2026-11-21). */
const keys: Record<string, string[]> = {
  A: ['ip_address'],
  AAAA: ['ipv6_address'],
  CNAME: ['hostname'],
  MX: ['hostname', 'priority'],
  SRV: ['hostname', 'port', 'priority', 'weight'],
  TXT: ['text'],
};
/** Assumptions: the service publishes no limits. */
const RECORDS_PER_TYPE = 10_000;
const TEXT_BYTES = 4096;

const relativeName = /^(\*|[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;
const targetName = /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;

/** The records of a request as the zone will hold them, or the refusal that names what is wrong. */
export function recordsOf(attributes: XcpMap, domain: string): XcpMap {
  const given = mapOf(attributes, 'records');
  const records: XcpMap = {};
  for (const [type, list] of Object.entries(given)) {
    const fields = keys[type.toUpperCase()];
    if (!fields) refuse(`Unknown record type: ${type}`);
    const entries = listOf(given, type).filter(isMap);
    if (entries.length > RECORDS_PER_TYPE) refuse(`Too many ${type} records`);
    if (typeof list === 'string' && list.trim()) refuse(`Records of type ${type} must be a list`);
    const kept = entries.map((entry) => recordOf(type.toUpperCase(), fields, entry, domain));
    if (kept.length > 0) records[type.toUpperCase()] = kept;
  }
  checkAliases(records);
  return records;
}

function refuse(why: string): never {
  throw new Refusal(465, `Invalid DNS record: ${why}`);
}

function recordOf(type: string, fields: string[], entry: XcpMap, domain: string): XcpMap {
  const subdomain = textOf(entry, 'subdomain');
  const label = `${type} ${subdomain || '(apex)'}`;
  if (subdomain && !relativeName.test(subdomain)) refuse(`${label}: invalid subdomain`);
  if (subdomain.length + domain.length > 252) refuse(`${label}: name too long`);
  if (subdomain.split('.').some((part) => part.length > 63)) refuse(`${label}: label too long`);
  const record: XcpMap = { subdomain };
  for (const field of fields) {
    const value = field === 'text' ? rawText(entry) : textOf(entry, field);
    if (value === '') refuse(`${label}: ${field} is missing`);
    // Assumption: that there is no such service can be said (RFC 7505, RFC 2782).
    const none = field === 'hostname' && value === '.' && (type === 'MX' || type === 'SRV');
    if (!none) checkValue(label, field, value);
    record[field] = value;
  }
  return record;
}

function rawText(entry: XcpMap): string {
  return typeof entry.text === 'string' ? entry.text : '';
}

function checkValue(label: string, field: string, value: string): void {
  if (field === 'ip_address' && isIP(value) !== 4) refuse(`${label}: invalid IPv4 address`);
  // Full hexadecimal groups with leading zeros are taken as they come, as the service does.
  if (field === 'ipv6_address' && isIP(value) !== 6) refuse(`${label}: invalid IPv6 address`);
  if (field === 'hostname' && (!targetName.test(value) || value.length > 253)) {
    refuse(`${label}: invalid hostname`);
  }
  if (
    ['priority', 'port', 'weight'].includes(field) &&
    !(/^\d{1,5}$/.test(value) && Number(value) <= 65_535)
  ) {
    refuse(`${label}: ${field} must be 0 to 65535`);
  }
  if (field === 'text' && Buffer.byteLength(value) > TEXT_BYTES) refuse(`${label}: text too long`);
}

/** A name with a CNAME has nothing else, and the apex, which has SOA and NS, cannot have one. */
function checkAliases(records: XcpMap): void {
  const names = (type: string) =>
    listOf(records, type)
      .filter(isMap)
      .map((record) => textOf(record, 'subdomain').toLowerCase());
  const aliases = names('CNAME');
  if (aliases.includes('')) refuse('CNAME (apex): not allowed');
  if (new Set(aliases).size !== aliases.length) refuse('CNAME: more than one for a name');
  const others = Object.keys(keys)
    .filter((type) => type !== 'CNAME')
    .flatMap(names);
  const clash = aliases.find((alias) => others.includes(alias));
  if (clash !== undefined) refuse(`CNAME ${clash}: other records exist for this name`);
}
