import type { Answer } from 'dns-packet';
import { z } from 'zod';
import { caaTag, TTL_SECONDS } from './zone.ts';

/**
 * Names of the rest of the world: the mail and web services that zones usually point to, and what a test adds. Addresses are of
 * the documentation networks (RFC 5737): nobody answers there.
 */

const record = z.strictObject({
  /** `*.example` stands for every name below it. */
  name: z.string().toLowerCase(),
  type: z.enum(['A', 'AAAA', 'NS', 'MX', 'TXT', 'CNAME', 'CAA']),
  /** An MX record as "10 host", a CAA record as "issue authority". */
  data: z.string(),
});
export type OutsideRecord = z.output<typeof record>;
export const outsideRecords = z.strictObject({ records: z.array(record).max(50_000) });

const host = (name: string): OutsideRecord => ({ name, type: 'A', data: '203.0.113.25' });
const spf = (name: string, terms: string): OutsideRecord => ({ name, type: 'TXT', data: `v=spf1 ${terms}` });

const usual: readonly OutsideRecord[] = [
  ...['smtp.google.com', '*.l.google.com', 'ghs.googlehosted.com'].map(host),
  ...['*.mail.protection.outlook.com', 'autodiscover.outlook.com', '*.onmicrosoft.com'].map(host),
  ...['in1-smtp.messagingengine.com', 'in2-smtp.messagingengine.com', '*.dkim.fmhosted.com'].map(host),
  ...['mx.zoho.com', 'mx2.zoho.com', 'mx3.zoho.com', 'shops.myshopify.com', 'cname.vercel-dns.com'].map(host),
  ...['*.marshmanaged.example', '*.letterbird.example', '*.bookwell.example'].map(host),
  spf('_spf.google.com', 'include:_netblocks.google.com ~all'),
  spf('_netblocks.google.com', 'ip4:203.0.113.0/25 ~all'),
  spf('spf.protection.outlook.com', 'ip4:203.0.113.128/25 -all'),
  spf('spf.messagingengine.com', 'ip4:198.51.100.0/25 ?all'),
  spf('zohomail.com', 'ip4:198.51.100.128/25 ~all'),
  spf('send.letterbird.example', 'ip4:192.0.2.0/25 -all'),
];

export interface Outside {
  /** Records beside the usual ones, in place of those added before. */
  set(records: readonly OutsideRecord[]): void;
  /** Whether the name exists, with its answers of this type; an alias answers every type. */
  find(name: string, type: string): { exists: boolean; answers: Answer[] };
}

export function createOutside(): Outside {
  const known = byName(usual);
  let added = byName([]);
  return {
    set(records) {
      added = byName(records);
    },
    find(name, type) {
      // What a test says of a name is all that there is of it.
      const own = added(name);
      const records = own.length > 0 ? own : known(name);
      const answers = records
        .filter((each) => each.type === type || each.type === 'CNAME' || type === 'ANY')
        .map((each) => answerOf(name, each));
      return { exists: records.length > 0, answers };
    },
  };
}

/** Finds the records of a name, its own and those of patterns. */
function byName(records: readonly OutsideRecord[]): (name: string) => OutsideRecord[] {
  const exact = Map.groupBy(records, ({ name }) => name);
  const patterns = records.filter(({ name }) => name.startsWith('*.'));
  return (name) => [
    ...(exact.get(name) ?? []),
    ...patterns.filter(({ name: pattern }) => name.endsWith(pattern.slice(1))),
  ];
}

function answerOf(name: string, { type, data }: OutsideRecord): Answer {
  const common = { name, ttl: TTL_SECONDS };
  if (type === 'MX') {
    const [preference = '0', exchange = ''] = data.split(' ');
    return { ...common, type, data: { preference: Number(preference), exchange } };
  }
  if (type === 'CAA') {
    const [tag, ...value] = data.split(' ');
    return { ...common, type, data: { flags: 0, tag: caaTag(tag), value: value.join(' ') } };
  }
  return { ...common, type, data };
}
