/**
 * So many hits per period, of which at most `burst` at once (all, when absent). Each hit counts for period ÷ hits of
 * time, and time passes evenly: there is no window at whose edge twice as many would get through.
 */
export interface Limit {
  hits: number;
  periodSeconds: number;
  burst?: number;
}

/** A limit with a name: what it counts, and for whom each. */
export interface Rate extends Limit {
  /** As in "Too many invitations". */
  what: string;
  /** For each person who calls, or for each resource named in the address, regardless of who in the organisation calls. */
  per: 'person' | 'thing';
}

const anHour = 3_600;

/**
 * The one table of named limits (design: Rate limits). They stop what is automatic or spiteful: a working day of a
 * person meets none. What was refused because of its input does not count.
 */
export const rates = {
  lookup: { hits: 60, periodSeconds: 60, burst: 20, per: 'person', what: 'look-ups' },
  purchase: { hits: 10, periodSeconds: 60, per: 'person', what: 'orders and top-ups' },
  transferCheck: { hits: 30, periodSeconds: 60, per: 'person', what: 'transfer checks' },
  /** A team, or the users of many customers, are invited one after the other. */
  invite: { hits: 60, periodSeconds: anHour, per: 'person', what: 'invitations' },
  /** A person who was invited gets no flood of letters. */
  resend: { hits: 5, periodSeconds: anHour, per: 'thing', what: 'emails for this invitation' },
  link: { hits: 20, periodSeconds: anHour, per: 'person', what: 'one-time links' },
  token: { hits: 20, periodSeconds: anHour, per: 'person', what: 'new API tokens' },
  /** A move of many servers in a day. */
  acmeAccess: { hits: 120, periodSeconds: anHour, burst: 60, per: 'person', what: 'new ACME accesses' },
  /** Somebody corrects records and looks again. */
  health: { hits: 60, periodSeconds: 60, burst: 20, per: 'person', what: 'looks at domains' },
  /** Each looks at up to two thousand zones. */
  change: { hits: 60, periodSeconds: anHour, burst: 20, per: 'person', what: 'changes of many domains' },
  /** A file is corrected and sent again. */
  upload: { hits: 120, periodSeconds: anHour, burst: 60, per: 'person', what: 'uploads' },
  profile: { hits: 20, periodSeconds: anHour, per: 'person', what: 'attempts to complete a profile' },
  verify: { hits: 10, periodSeconds: 60, per: 'person', what: 'verifications of the log' },
} as const satisfies Record<string, Rate>;

export type RateName = keyof typeof rates;

/** Limits of clients that call no operation, counted as the named ones are. */
export const machineRates = {
  /** By access. A client asks once in a certificate's life; a fleet behind one access does so on one morning. */
  acmeOrder: { hits: 300, periodSeconds: anHour, what: 'certificate orders by ACME' },
  /** By access, of requests that are signed and right. A client that finalizes twice has lost an answer. */
  acmeFinalize: { hits: 600, periodSeconds: anHour, what: 'signing requests by ACME' },
  /** By account. */
  acmeKeyChange: { hits: 20, periodSeconds: anHour, burst: 10, what: 'changes of an account key by ACME' },
  /** By address: a certificate's own key revokes without an account. Somebody who lost a fleet revokes it at once. */
  acmeRevoke: { hits: 600, periodSeconds: anHour, burst: 300, what: 'revocations by ACME' },
  /** By address, before anything is known of the client. */
  acmeAccount: { hits: 60, periodSeconds: anHour, burst: 30, what: 'ACME registrations' },
} as const satisfies Record<string, Limit & { what: string }>;

/** "12 minutes": how long somebody has to wait, rounded up. */
export function waitText(seconds: number): string {
  const [count, unit] =
    seconds > 5_400
      ? [Math.ceil(seconds / 3_600), 'hour']
      : seconds > 90
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.max(1, Math.ceil(seconds)), 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** "60 an hour", "10 a minute". */
export function rateText({ hits, periodSeconds }: Limit): string {
  return `${hits} ${periodSeconds === anHour ? 'an hour' : periodSeconds === 60 ? 'a minute' : `in ${periodSeconds} seconds`}`;
}
