import { carriedMostDays, openCertificateStates } from '#contracts/values/certificate-life.ts';
import type { BuyDecision } from './access.rules.ts';
import { isFor } from './order.rules.ts';
import { AcmeProblem } from './problems.rules.ts';

/** What becomes of an order that has its signing request: pure, from what the portal knows and now. */

const secondMs = 1_000;
const dayMs = 86_400_000;
/**
 * A term that ends sooner is not used for another certificate: it would end with the term, and a client that renews a
 * month before the end would be back on the same day. It is renewed: what is left of it is added to the next one, for at
 * most as many days (docs/decisions/0222).
 */
export const leastTermMs = carriedMostDays * dayMs;

/** A certificate of the access's customer, address and product that was not declined, cancelled or revoked. */
export interface KnownCertificate {
  id: string;
  /** Its first order at the registrar, which a renewal names. */
  registrarOrderId: string | null;
  state: string;
  hostNames: readonly string[];
  validTo: Date | null;
  termEndsAt: Date | null;
  reissuing: boolean;
  /** It was ordered by a machine: it ends by itself, and soon. */
  byMachine: boolean;
}

/** A term that is about to end, and that the next one is added to. */
export interface EndingTerm {
  certificateId: string;
  registrarOrderId: string;
  /** Whether the next certificate of the term could be valid for longer than this one. */
  lengthens: boolean;
}

export type Decision =
  /** Inside a term that is paid: costs nothing. */
  | { kind: 'reissue'; certificateId: string }
  | { kind: 'buy'; ending: EndingTerm | null }
  /** Something of the same name is under way; it is decided again when that has ended. */
  | { kind: 'wait'; on: 'machine' | 'person' };

/** What to do for these names. `buying`: by whom a certificate of this address is being ordered. */
export function decide(
  names: readonly string[],
  known: { certificates: readonly KnownCertificate[]; buying: 'machine' | 'person' | null },
  now: Date,
): Decision {
  const { certificates, buying } = known;
  const fitting = certificates
    .filter((one) => (one.state === 'completed' || one.state === 'expired') && isFor(names, one.hostNames))
    .filter((one) => leftMs(one, now) > 0)
    .sort((one, other) => leftMs(other, now) - leftMs(one, now));
  if (fitting.some(({ reissuing }) => reissuing)) return { kind: 'wait', on: 'machine' };
  const [running] = fitting;
  if (running && leftMs(running, now) > leastTermMs) return { kind: 'reissue', certificateId: running.id };
  // Its host names are known when it is issued.
  const open = certificates.filter(({ state }) => state !== 'completed' && state !== 'expired');
  if (buying === 'person' || open.some(({ byMachine }) => !byMachine)) return { kind: 'wait', on: 'person' };
  if (buying || open.length > 0) return { kind: 'wait', on: 'machine' };
  return { kind: 'buy', ending: running ? endingOf(running) : null };
}

function endingOf(running: KnownCertificate): EndingTerm | null {
  const { id: certificateId, registrarOrderId } = running;
  return registrarOrderId === null
    ? null
    : { certificateId, registrarOrderId, lengthens: lengthens(running) };
}

function leftMs({ termEndsAt }: KnownCertificate, now: Date): number {
  return timeOf(termEndsAt) - now.getTime();
}

function lengthens({ state, validTo, termEndsAt }: KnownCertificate): boolean {
  return state === 'expired' || timeOf(termEndsAt) - timeOf(validTo) > dayMs;
}

const timeOf = (at: Date | null): number => at?.getTime() ?? 0;

/** What was issued for an order: a certificate for the key of its signing request, one for another key, or nothing yet. */
type Issue = 'ours' | 'foreign' | 'none';

/** The state of what an order has become, as far as it decides. */
export type Progress =
  | { of: 'reissue'; state: string; remark: string | null; issue: Issue }
  | {
      of: 'item';
      state: string;
      error: string | null;
      certificate: { state: string; remark: string | null } | null;
      issue: Issue;
    };

/** Whether the order has ended. */
export function endOf(progress: Progress): 'issued' | 'open' | AcmeProblem {
  if (progress.issue === 'ours') return 'issued';
  const foreign = progress.issue === 'foreign';
  if (progress.of === 'reissue') {
    if (progress.state === 'declined') return refusedBy(progress.remark);
    return foreign && progress.state === 'completed' ? forAnotherKey() : 'open';
  }
  if (progress.state === 'declined') return refusedBy(progress.error);
  const { certificate } = progress;
  const isOver = certificate?.state === 'declined' || certificate?.state === 'cancelled';
  if (isOver) return refusedBy(certificate.remark);
  if (!foreign || !certificate || openCertificateStates.includes(certificate.state)) return 'open';
  return certificate.state === 'completed' ? forAnotherKey() : forAnotherKeyAndOver();
}

/** The term is paid and lasts: the client's next order is a reissue inside it. */
function forAnotherKey(): AcmeProblem {
  return person(
    'The certificate was issued, but not for the key of this signing request. Please try again: that costs nothing.',
    'The certificate authority issued the certificate for another key than the server’s. The server’s next try is a reissue, which is free. If that fails too, ask the operator of the portal.',
  );
}

/** Revoked or expired in the meantime: nothing is left that could be reissued. */
function forAnotherKeyAndOver(): AcmeProblem {
  return person(
    'The certificate was issued, but not for the key of this signing request, and it is not valid any more. Please try again.',
    'The certificate authority issued the certificate for another key than the server’s, and it was revoked or has expired since. The server’s next try orders a new one. Ask the operator of the portal about the price of this one.',
  );
}

function refusedBy(reason: string | null): AcmeProblem {
  const why = reason ?? 'no reason was given';
  return new AcmeProblem(
    'rejectedIdentifier',
    `The certificate was not issued: ${why.replace(/\.$/, '')}. Nothing was charged. Please try again, or ask the provider who gave you the access.`,
    { advice: `The certificate authority refused it: ${why.replace(/\.$/, '')}. Nothing was charged.` },
  );
}

/** Often while the client waits for it, then ever less often. */
export function lookAgainMs(looks: number): number {
  return Math.min(2 * secondMs * 2 ** Math.min(looks, 12), 600 * secondMs);
}

/**
 * So long an order waits for another one of the same name. A machine's ends by itself: an authority that checks a name by
 * DNS takes minutes. A person's may be open for days, and clients give up within a minute or two without having read why.
 */
const waitMostMs = { machine: 3_600 * secondMs, person: 15 * secondMs };

/** Why an order that has its signing request `since` then waits no longer for another one of the same name; null while it waits. */
export function waitedTooLong(
  { names, since }: { names: readonly string[]; since: Date },
  on: 'machine' | 'person',
  now: Date,
): AcmeProblem | null {
  if (now.getTime() - since.getTime() < waitMostMs[on]) return null;
  const wanted = names.join(', ');
  const ask = 'Ask the provider to finish or cancel the other order, then try again.';
  return on === 'person'
    ? person(
        `A certificate for ${wanted} was ordered in the provider’s portal and is not issued yet, so this order was not sent. ${ask}`,
        `A certificate for ${wanted} was ordered in the portal and is not issued yet. Nothing else is bought for the name meanwhile. Finish or cancel that order under Certificates. The server’s next try then succeeds.`,
      )
    : person(
        `Another order for a certificate for ${wanted} is still open, so this one was not sent. ${ask}`,
        `Another server’s order for ${wanted} has been open for an hour. See under Certificates what it waits for.`,
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
    return person(
      `There is no paid certificate for ${wanted}, and this access may not buy one. ${ask}`,
      `There is no paid certificate for ${wanted}, and the access may not buy one. Let it buy, or order the certificate in the portal: the server then gets its own from the same term, for nothing.`,
    );
  }
  const [why, raise] =
    decision === 'limit_of_orders'
      ? [
          'this access has bought as many certificates as it may this month',
          'The access has bought as many certificates as it may this month.',
        ]
      : [
          'it would cost more than this access may still spend this month',
          'The certificate costs more than the access may still spend this month.',
        ];
  return person(
    `The certificate for ${wanted} was not ordered, because ${why}. ${ask}`,
    `${raise} Raise its limit, or wait for the next month (UTC).`,
  );
}

/** Names no figure either: the balance is the provider's matter. */
export function balanceShort(names: readonly string[]): AcmeProblem {
  return person(
    `The certificate for ${names.join(', ')} was not ordered, because the prepaid balance of your provider does not cover it. Ask the provider to top it up, then try again.`,
    'Your balance does not cover the certificate. Top it up, and the server’s next try succeeds.',
  );
}

/** The operator took the product off the price list. */
export function notSold(): AcmeProblem {
  return person(
    'The product of this access is not sold any more. Ask the provider for another access.',
    'The certificate of this access is not sold any more. Choose another one for it.',
  );
}

/** Only a person can do something about it (RFC 8555 6.7). */
export function person(message: string, advice?: string): AcmeProblem {
  return new AcmeProblem('userActionRequired', message, { advice });
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
