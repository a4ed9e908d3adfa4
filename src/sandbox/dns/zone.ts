import type { Answer } from 'dns-packet';
import type { ZoneRecord } from '../registrar/read.ts';

/** The product shows 3600 for the registrar's zones (checked 2026-11-21). */
export const TTL_SECONDS = 3600;

export interface ZoneView {
  domain: string;
  serial: number;
  nameservers: string[];
  records: Record<string, ZoneRecord[]>;
}

export interface Found {
  /** False: NXDOMAIN. True without answers: NODATA. */
  exists: boolean;
  answers: Answer[];
}

export function soaOf(zone: { domain: string; serial: number; nameservers: string[] }): Answer {
  return {
    type: 'SOA',
    name: zone.domain,
    ttl: TTL_SECONDS,
    data: {
      mname: zone.nameservers[0] ?? 'ns1.systemdns.com',
      rname: 'hostmaster.systemdns.com',
      serial: zone.serial,
      refresh: 10_800,
      retry: 3_600,
      expire: 604_800,
      minimum: TTL_SECONDS,
    },
  };
}

export function nsOf(domain: string, nameservers: string[]): Answer[] {
  return nameservers.map((data) => ({ type: 'NS', name: domain, ttl: TTL_SECONDS, data }));
}

/** Looks a name up in one zone: exact, else by the wildcard at the closest name that exists (RFC 4592). */
export function lookInZone(zone: ZoneView, name: string, type: string): Found {
  const relative = name === zone.domain ? '' : name.slice(0, -zone.domain.length - 1);
  const owner = ownerOf(zone, relative);
  if (owner === null) return { exists: false, answers: [] };
  const answers = Object.entries(zone.records).flatMap(([recordType, list]) =>
    list
      .filter((record) => record.subdomain.toLowerCase() === owner)
      .filter(() => recordType === type || recordType === 'CNAME' || type === 'ANY')
      .map((record) => answerOf(name, recordType, record)),
  );
  if (relative === '') {
    if (type === 'NS' || type === 'ANY') answers.push(...nsOf(zone.domain, zone.nameservers));
    if (type === 'SOA' || type === 'ANY') answers.push(soaOf(zone));
  }
  return { exists: true, answers };
}

/** The relative name whose records answer; null where there is none, not even a wildcard. */
function ownerOf(zone: ZoneView, relative: string): string | null {
  const names = new Set(['']);
  for (const record of Object.values(zone.records).flat()) {
    const labels = record.subdomain.toLowerCase().split('.');
    // Names on the way down exist too, without records of their own.
    for (let from = 0; from < labels.length; from += 1) names.add(labels.slice(from).join('.'));
  }
  if (names.has(relative)) return relative;
  const labels = relative.split('.');
  for (let from = 1; from <= labels.length; from += 1) {
    const closest = labels.slice(from).join('.');
    if (!names.has(closest)) continue;
    const wildcard = closest ? `*.${closest}` : '*';
    return names.has(wildcard) ? wildcard : null;
  }
  return null;
}

function answerOf(name: string, type: string, record: ZoneRecord): Answer {
  const common = { name, ttl: TTL_SECONDS };
  const target = (record.hostname ?? '').replace(/\.$/, '');
  switch (type) {
    case 'A':
      return { ...common, type: 'A', data: record.ip_address ?? '' };
    case 'AAAA':
      return { ...common, type: 'AAAA', data: record.ipv6_address ?? '' };
    case 'CNAME':
      return { ...common, type: 'CNAME', data: target };
    case 'MX':
      return { ...common, type: 'MX', data: { preference: Number(record.priority), exchange: target } };
    case 'SRV':
      return {
        ...common,
        type: 'SRV',
        data: {
          priority: Number(record.priority),
          weight: Number(record.weight),
          port: Number(record.port),
          target,
        },
      };
    case 'CAA':
      return {
        ...common,
        type: 'CAA',
        data: { flags: Number(record.flags ?? 0), tag: caaTag(record.tag), value: record.value ?? '' },
      };
    default:
      return { ...common, type: 'TXT', data: textParts(record.text ?? '') };
  }
}

/** A TXT record is a row of strings of at most 255 bytes. */
function textParts(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += 255) parts.push(bytes.subarray(from, from + 255));
  return parts;
}

export const caaTag = (tag: string | undefined) => (tag === 'issuewild' || tag === 'iodef' ? tag : 'issue');

/** All of a zone, as a transfer gives it: between two SOA (RFC 5936). */
export function wholeZone(zone: ZoneView): Answer[] {
  const soa = soaOf(zone);
  const own = Object.entries(zone.records).flatMap(([type, list]) =>
    list.map((record) => {
      const { subdomain } = record;
      return answerOf(subdomain === '' ? zone.domain : `${subdomain}.${zone.domain}`, type, record);
    }),
  );
  return [soa, ...nsOf(zone.domain, zone.nameservers), ...own, soa];
}
