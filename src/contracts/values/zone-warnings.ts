import { type DnsRecord, hostOf } from './dns-records.ts';
import { isInnerAddress } from './inner-address.ts';
import { isDmarc, isSpf, mailTextWarnings } from './mail-records.ts';
import type { ChangedZone, ZoneChange } from './zone-changes.ts';

/** What a person should know about a change before and after it is saved. Nothing of it hinders saving. */

export interface ChangeWarning {
  /** Which of the changes. */
  index: number;
  message: string;
}

const alreadyThere = 'This record already exists. Nothing changes.';
const alreadyGone = 'This record is already gone. Nothing changes.';
const inner = 'This is a private address. It cannot be reached from the internet.';

export function changeWarnings(
  domain: string,
  changes: readonly ZoneChange[],
  result: Pick<ChangedZone, 'records' | 'present' | 'absent'>,
): ChangeWarning[] {
  const warningsOf = recordWarnings(domain, result.records);
  const present = new Set(result.present);
  const absent = new Set(result.absent);
  return changes.flatMap(({ action, record }, index) => {
    if (action === 'remove') return absent.has(index) ? [{ index, message: alreadyGone }] : [];
    const messages = present.has(index) ? [alreadyThere] : warningsOf(record);
    return messages.map((message) => ({ index, message }));
  });
}

/** What is likely wrong with a record in its zone. The zone is counted once, however many records are asked about. */
export function recordWarnings(domain: string, zone: readonly DnsRecord[]): (record: DnsRecord) => string[] {
  const counts = new Map<string | null, number>();
  for (const record of zone) {
    const key = onlyOne(record);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (record) => {
    switch (record.type) {
      case 'A':
        return isInnerAddress(record.ip_address) ? [inner] : [];
      case 'AAAA':
        return isInnerAddress(record.ipv6_address) ? [inner] : [];
      case 'TXT': {
        const key = onlyOne(record);
        const several = key && (counts.get(key) ?? 0) > 1 ? [severalText(key, hostOf(record, domain))] : [];
        return [...several, ...mailTextWarnings(record.subdomain, record.text)];
      }
      default:
        return [];
    }
  };
}

/** Records of which a name has one: SPF and DMARC. */
function onlyOne(record: DnsRecord): string | null {
  if (record.type !== 'TXT') return null;
  if (isSpf(record.text)) return `SPF ${record.subdomain}`;
  return isDmarc(record.text) ? `DMARC ${record.subdomain}` : null;
}

function severalText(key: string, host: string): string {
  const kind = key.split(' ', 1)[0];
  return `${host} has more than one ${kind} record. Receivers ignore all of them. Please keep one.`;
}
