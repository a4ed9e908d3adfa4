import {
  type DnsRecord,
  noTarget,
  readRecord,
  sortedRecords,
  textParts,
  ttlSeconds,
} from '#contracts/values/dns-records.ts';
import { type Slices, slices } from '#kernel/give-way.ts';

/**
 * A BIND zone file (RFC 1035 §5). Equal records give equal bytes: no dates, and a serial that does not count, since
 * the registrar keeps its own. Ten thousand long texts are a second of work, and keep nobody waiting.
 */
export async function toZoneFile(
  domain: string,
  records: readonly DnsRecord[],
  nameservers: readonly string[],
  giveWay: Slices = slices(),
): Promise<string> {
  const [first = 'ns1.invalid'] = nameservers;
  const lines = [
    `$ORIGIN ${domain}.`,
    `$TTL ${ttlSeconds}`,
    `@ IN SOA ${first}. hostmaster.${domain}. 1 10800 3600 604800 ${ttlSeconds}`,
    ...nameservers.map((name) => `@ IN NS ${name}.`),
  ];
  for (const record of sortedRecords(records)) {
    lines.push(lineOf(record));
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
  return `${lines.join('\n')}\n`;
}

/** What the registrar holds against the rules would make the whole file unreadable: it stands there as a comment. */
function lineOf(record: DnsRecord): string {
  const line = `${record.subdomain || '@'} IN ${record.type} ${dataOf(record)}`;
  return readRecord({ ...record }).ok ? line : `; not valid: ${line.replace(/[\r\n]+/g, ' ')}`;
}

function dataOf(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
      return record.ip_address;
    case 'AAAA':
      return record.ipv6_address;
    case 'CNAME':
      return absolute(record.hostname);
    case 'MX':
      return `${record.priority} ${absolute(record.hostname)}`;
    case 'SRV':
      return `${record.priority} ${record.weight} ${record.port} ${absolute(record.hostname)}`;
    case 'TXT':
      return textParts(record.text).map(quoted).join(' ');
  }
}

const absolute = (name: string) => (name === noTarget ? noTarget : `${name}.`);

function quoted(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    if (byte === 0x22 || byte === 0x5c) out += `\\${String.fromCharCode(byte)}`;
    else if (byte < 0x20 || byte > 0x7e) out += `\\${String(byte).padStart(3, '0')}`;
    else out += String.fromCharCode(byte);
  }
  return `"${out}"`;
}
