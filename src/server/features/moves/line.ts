import type { MoveDns } from '#contracts/operations/moves.ts';
import type { TransferCheckReply } from '#contracts/operations/transfers.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { LeftOut } from './zone-finder.ts';

/** What the last check found out about a name. */
export interface LineFacts {
  hindrance: Hindrance | null;
  priceCents: number | null;
  /** The delegation as the world sees it; null: nobody answered. */
  nameservers: string[] | null;
  signed: boolean;
  /** What its registry says; null: nobody answered, or it says nothing of it. */
  registrar: string | null;
  expiresAt: string | null;
}

export interface Hindrance {
  kind: NonNullable<TransferCheckReply['domainResponse']['hindrance']> | 'refused' | 'unanswered' | 'nobody';
  /** Why, where the kind does not say it. */
  text: string;
}

/** The zone as its old servers had it when it was last read. */
export interface LineZone {
  how: 'whole' | 'usual';
  records: DnsRecord[];
  leftOut: LeftOut[];
}

/** An answer that is not what it was. */
export interface Difference {
  name: string;
  type: string;
  before: string[];
  now: string[];
}

/** A line with what has become of it. */
export interface Line {
  id: string;
  organisationId: string;
  moveId: string;
  number: number;
  address: string;
  problem: string | null;
  hasCode: boolean;
  codeProblem: string | null;
  state: 'unchecked' | 'checked' | 'ordered' | 'settled';
  leftOut: boolean;
  dns: MoveDns;
  dnsChosen: boolean;
  facts: LineFacts | null;
  zone: LineZone | null;
  itemId: string | null;
  stagedAt: Date | null;
  switchedAt: Date | null;
  held: string | null;
  comparedAt: Date | null;
  differences: Difference[] | null;
  /** When it was checked, or its zone was last seen to be as it is here; null: nobody knows. */
  checkedAt: Date | null;
  /** What its old servers say otherwise, where a person has its records served here all the same. */
  accepted: Difference[] | null;
  item: { state: string; error: string | null; orderId: string } | null;
  transfer: {
    requestedAt: Date;
    registrarStatus: string | null;
    statusSince: Date | null;
    completedAt: Date | null;
    failedAt: Date | null;
  } | null;
}
