import { z } from 'zod';
import { isHostName } from './domain-name.ts';

/** What an ACME access may do, in the words of both sides. */

/** Most certificates and most money of a calendar month (UTC). */
export const buyLimits = z.object({
  ordersPerMonth: z.int('Please enter a whole number').min(1, 'At least 1').max(10_000, 'At most 10,000'),
  centsPerMonth: z.int().min(1, 'Please enter an amount').max(1_000_000_00, 'At most $1,000,000'),
});
export type BuyLimits = z.output<typeof buyLimits>;

export const accessStates = ['active', 'expired', 'revoked'] as const;
export type AccessState = (typeof accessStates)[number];

/** A name for which certificates may be had: `www.example.com`, or `*.example.com`. */
export const accessHost = z
  .string()
  .trim()
  .toLowerCase()
  .max(260, 'A domain name has at most 253 characters')
  .refine((text) => isHostName(text.replace(/^\*\./, '')), { message: 'This is not a valid domain name' });

/**
 * Whether an access for these hosts covers a name. Without hosts it covers every name of its customer. `*.example.com`
 * covers itself and names one label deeper: its certificate answers for those anyway.
 */
export function coversName(hosts: readonly string[] | null, name: string): boolean {
  if (hosts === null) return true;
  return hosts.includes(name) || hosts.includes(`*.${name.split('.').slice(1).join('.')}`);
}

/** What happened with an access. */
export const accessEvents = {
  account: 'Registered an account',
  'account-end': 'Deactivated its account',
  'key-change': 'Changed its account key',
  order: 'Asked for a certificate',
  finalize: 'Sent a signing request',
  download: 'Collected the certificate',
  revoke: 'Revoked a certificate',
  refusal: 'Asked for something that was refused',
} as const satisfies Record<string, string>;
export type AccessEvent = keyof typeof accessEvents;

export const accessOutcomes = ['done', 'waiting', 'refused', 'failed'] as const;
export type AccessOutcome = (typeof accessOutcomes)[number];

/** Outcomes of which a person hears: the machine alone does not get on. */
export const troubleOutcomes = ['refused', 'failed'] as const satisfies readonly AccessOutcome[];
/** So long the start lists an access whose newest request did not succeed. */
export const accessTroubleDays = 7;

/** What happened, in words. Entries of later versions may have a name that this one does not know. */
export function eventTitle(event: string): string {
  return accessEvents[event as AccessEvent] ?? event;
}

/** So many entries are kept of each access; the oldest go first. */
export const accessLogEntries = 200;
/** Characters of an entry's detail. */
export const accessLogDetailMost = 500;
export const accessHostsMost = 100;
