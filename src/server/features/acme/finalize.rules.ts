import type { BuyDecision } from './access.rules.ts';
import { isFor } from './order.rules.ts';
import { AcmeProblem } from './problems.rules.ts';

/** What becomes of an order that has its signing request: pure, from what the portal knows and now. */

const secondMs = 1_000;
const dayMs = 86_400_000;
/**
 * A term that ends sooner is not used for another certificate: it would end with the term, and a client that renews a
 * month before the end would be back on the same day.
 */
export const leastTermMs = 30 * dayMs;

/** A certificate of the access's customer, address and product that was not declined, cancelled or revoked. */
export interface KnownCertificate {
  id: string;
  state: string;
  hostNames: readonly string[];
  validTo: Date | null;
  termEndsAt: Date | null;
  reissuing: boolean;
}

export type Decision =
  /** Inside a term that is paid: costs nothing. */
  | { kind: 'reissue'; certificateId: string }
  /** `otherwise`: what is left of a term that is about to end, for when nothing can be bought. */
  | { kind: 'buy'; otherwise: string | null }
  /** Something of the same name is under way; it is decided again when that has ended. */
  | { kind: 'wait' };

/** What to do for these names. `buying`: a certificate of this address is being ordered, by anybody. */
export function decide(
  names: readonly string[],
  known: { certificates: readonly KnownCertificate[]; buying: boolean },
  now: Date,
): Decision {
  const { certificates, buying } = known;
  const fitting = certificates
    .filter((one) => (one.state === 'completed' || one.state === 'expired') && isFor(names, one.hostNames))
    .filter((one) => leftMs(one, now) > 0)
    .sort((one, other) => leftMs(other, now) - leftMs(one, now));
  if (fitting.some(({ reissuing }) => reissuing)) return { kind: 'wait' };
  const [running] = fitting;
  if (running && leftMs(running, now) > leastTermMs) return { kind: 'reissue', certificateId: running.id };
  // Its host names are known when it is issued.
  const isOpen = certificates.some(({ state }) => state !== 'completed' && state !== 'expired');
  if (buying || isOpen) return { kind: 'wait' };
  return { kind: 'buy', otherwise: running && lengthens(running) ? running.id : null };
}

function leftMs({ termEndsAt }: KnownCertificate, now: Date): number {
  return (termEndsAt?.getTime() ?? 0) - now.getTime();
}

/** Whether the next certificate of the term could be valid for longer than this one. */
function lengthens({ state, validTo, termEndsAt }: KnownCertificate): boolean {
  return state === 'expired' || (termEndsAt?.getTime() ?? 0) - (validTo?.getTime() ?? 0) > dayMs;
}

/** The state of what an order has become, as far as it decides. */
export type Progress =
  | { of: 'reissue'; state: string; remark: string | null; issued: boolean }
  | {
      of: 'item';
      state: string;
      error: string | null;
      certificate: { state: string; remark: string | null } | null;
      issued: boolean;
    };

/** Whether the order has ended. */
export function endOf(progress: Progress): 'issued' | 'open' | AcmeProblem {
  if (progress.issued) return 'issued';
  if (progress.of === 'reissue') {
    return progress.state === 'declined' ? refusedBy(progress.remark) : 'open';
  }
  if (progress.state === 'declined') return refusedBy(progress.error);
  const { certificate } = progress;
  const isOver = certificate?.state === 'declined' || certificate?.state === 'cancelled';
  return isOver ? refusedBy(certificate.remark) : 'open';
}

function refusedBy(reason: string | null): AcmeProblem {
  const why = reason ?? 'no reason was given';
  return new AcmeProblem(
    'rejectedIdentifier',
    `The certificate was not issued: ${why.replace(/\.$/, '')}. Nothing was charged. Please try again, or ask the provider who gave you the access.`,
  );
}

/** Often while the client waits for it, then ever less often. */
export function lookAgainMs(looks: number): number {
  return Math.min(2 * secondMs * 2 ** Math.min(looks, 12), 600 * secondMs);
}

/** So long an order waits for another one of the same name: an authority that checks a name by DNS takes minutes. */
const waitMostMs = 3_600 * secondMs;

/** Why an order waits no longer for another one of the same name, which may be open for days; null while it waits. */
export function waitedTooLong(
  { names, createdAt }: { names: readonly string[]; createdAt: Date },
  now: Date,
): AcmeProblem | null {
  if (now.getTime() - createdAt.getTime() < waitMostMs) return null;
  return person(
    `Another order for a certificate for ${names.join(', ')} is still open, so this one was not sent. Ask the provider to finish or cancel the other order, then try again.`,
  );
}

/** What a client is told to wait before it asks again. */
export function retryAfterSeconds(startedAt: Date, now: Date): number {
  const ageMs = now.getTime() - startedAt.getTime();
  if (ageMs < 60 * secondMs) return 1;
  return ageMs < 600 * secondMs ? 10 : 60;
}

/**
 * Why the access does not buy; null when it does. The customer reads it, on their server and in the log: it is given
 * neither price nor limits, so that it cannot name them. The MSP finds both on the access's page.
 */
export function refusalToBuy(decision: BuyDecision, names: readonly string[]): AcmeProblem | null {
  if (decision === 'may') return null;
  const wanted = names.join(', ');
  const ask = 'Ask the provider who gave you the access, then try again.';
  if (decision === 'never') {
    return person(`There is no paid certificate for ${wanted}, and this access may not buy one. ${ask}`);
  }
  const why =
    decision === 'limit_of_orders'
      ? 'this access has bought as many certificates as it may this month'
      : 'it would cost more than this access may still spend this month';
  return person(`The certificate for ${wanted} was not ordered, because ${why}. ${ask}`);
}

/** Names no figure either: the balance is the provider's matter. */
export function balanceShort(names: readonly string[]): AcmeProblem {
  return person(
    `The certificate for ${names.join(', ')} was not ordered, because the prepaid balance of your provider does not cover it. Ask the provider to top it up, then try again.`,
  );
}

/** Only a person can do something about it (RFC 8555 6.7). */
export function person(message: string): AcmeProblem {
  return new AcmeProblem('userActionRequired', message);
}

/** Why a signing request does not fit its order; null when it does. */
export function csrMismatch(names: readonly string[], csrNames: readonly string[]): AcmeProblem | null {
  const missing = names.filter((name) => !csrNames.includes(name));
  const extra = csrNames.filter((name) => !names.includes(name));
  if (missing.length === 0 && extra.length === 0) return null;
  const parts = [
    ...(missing.length > 0 ? [`${missing.join(', ')} is missing`] : []),
    ...(extra.length > 0 ? [`${extra.join(', ')} is not in the order`] : []),
  ];
  return new AcmeProblem(
    'badCSR',
    `The signing request must name exactly what was ordered (${names.join(', ')}): ${parts.join(', and ')}.`,
  );
}
