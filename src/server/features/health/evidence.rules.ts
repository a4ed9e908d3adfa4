import { asOneLine } from '#contracts/values/one-line.ts';
import type { Refused, SeenWebsite } from '../../ports/probe.ts';
import type { Registration } from '../../ports/rdap.ts';
import type { Answer } from './answer.ts';
import type { KnownTxt, StsPolicy } from './mail.rules.ts';

/** What is known of a domain, and what a rule makes of it. */

/** As the registrar has it, or the registry where another registrar does. */
export interface Registered {
  nameservers: readonly string[];
  locked: boolean | null;
  expiresAt: Date | null;
  autoRenew: boolean;
  verification: string | null;
  bounced: boolean;
}

export interface Facts {
  now: Date;
  /** Lower case. */
  address: string;
  /** It is held elsewhere, and watched. */
  watched: boolean;
  /** Null: the registry does not know it. */
  registered: Answer<Registered | null>;
  /** What the registry says to everybody; null: it does not know the name. */
  registration: Answer<Registration | null>;
  /** As DNS says. */
  nameservers: Answer<readonly string[]>;
  /** Addresses by nameserver. */
  nameserverAddresses: ReadonlyMap<string, Answer<readonly string[]>>;
  addresses: Answer<readonly string[]>;
  mx: Answer<readonly { host: string; priority: number }[]>;
  /** Of each host of an MX record: whether it is an alias, and its addresses. */
  mxHosts: ReadonlyMap<string, { isAlias: Answer<boolean>; addresses: Answer<readonly string[]> }>;
  txt: Answer<readonly string[]>;
  /** TXT records of the names that SPF leads to, by name. */
  spfTxt: KnownTxt;
  dmarc: Answer<readonly string[]>;
  /** Bits of the keys that the mail service signs with, by selector; null: there is no such record. */
  dkim: ReadonlyMap<string, Answer<number | null>>;
  tlsReports: Answer<readonly string[]>;
  /** Aliases of the zone, with whether anything is behind them. */
  aliases: readonly { name: string; target: string; resolves: Answer<boolean> }[];
  /** What each nameserver itself says of the zone. */
  servers: ReadonlyMap<string, Answer<{ authoritative: boolean; serial: number | null } | Refused>>;
  /** Mail hosts as they greet. */
  mailServers: ReadonlyMap<string, Answer<{ startTls: boolean } | Refused>>;
  /** The TXT records of MTA-STS, and the policy where there are any. */
  sts: { txt: Answer<readonly string[]>; policy: Answer<StsPolicy> };
  /** Websites under the names that people type. */
  sites: readonly {
    host: string;
    https: Answer<SeenWebsite | Refused>;
    http: Answer<{ status: number } | Refused>;
  }[];
  /** Of the domain itself; asked where a certificate depends on it. */
  caa: Answer<readonly { tag: string; value: string }[]>;
  /** Running certificates: the names, their serials, and the authority as CAA names it. */
  certificates: readonly { host: string; serial: string | null; authorities: readonly string[] }[];
  /** Records that have to be there for reissues, in zones that others manage. */
  proofs: readonly { name: string; isThere: Answer<boolean> }[];
}

/** What is the matter, in evidence; null: it is in order; undefined: nobody answered. */
export type Verdict = string | null | undefined;

export const listed = (names: readonly string[]) => (names.length === 0 ? null : names.join(', '));
/** Those for which a question about each has the answer yes; undefined when one that matters did not answer. */
export function those<T>(
  all: readonly T[],
  name: (one: T) => string,
  is: (one: T) => Answer<boolean>,
): Verdict {
  const found: string[] = [];
  let isOpen = false;
  for (const one of all) {
    const answer = is(one);
    if (answer === undefined) isOpen = true;
    else if (answer) found.push(name(one));
  }
  return found.length > 0 ? found.join(', ') : isOpen ? undefined : null;
}

/** Longer evidence is read by nobody. */
const mostEvidence = 2_000;

/** What servers of others say may be anything: as it can be stored and shown. */
export const evidenceText = (text: string) => asOneLine(text, mostEvidence);

export const isEmpty = (list: Answer<readonly unknown[]>): Answer<boolean> => list && list.length === 0;
