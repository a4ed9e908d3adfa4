import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { applyChanges, type ZoneChange } from '#contracts/values/zone-changes.ts';

export interface ProofRecord {
  /** The full name of the record. */
  name: string;
  type: 'TXT' | 'CNAME';
  value: string;
  /** The value whose place it takes. */
  instead: string | null;
}

export type ProofChange =
  | { kind: 'write'; records: DnsRecord[] }
  | { kind: 'there already' }
  /** Something else in the zone rules it out, such as a CNAME at the same name. */
  | { kind: 'clash' };

/** The zone with the proof in it, in place of the one before. */
export function proofChange(address: string, zone: readonly DnsRecord[], proof: ProofRecord): ProofChange {
  const subdomain = proof.name.slice(0, -address.length - 1);
  const changes: ZoneChange[] = [{ action: 'add', record: recordOf(subdomain, proof.type, proof.value) }];
  if (proof.instead !== null) {
    changes.unshift({ action: 'remove', record: recordOf(subdomain, proof.type, proof.instead) });
  }
  const { problems, records, present, absent } = applyChanges(address, zone, changes);
  if (problems.length > 0) return { kind: 'clash' };
  // Writing the zone again would only be one more version.
  if (present.length + absent.length === changes.length) return { kind: 'there already' };
  return { kind: 'write', records };
}

function recordOf(subdomain: string, type: 'TXT' | 'CNAME', value: string): DnsRecord {
  return type === 'TXT' ? { type, subdomain, text: value } : { type, subdomain, hostname: value };
}
