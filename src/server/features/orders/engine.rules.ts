import { dayMs } from '#contracts/values/time.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { ActResult, Finding } from './act.ts';
import type { Item } from './item.ts';

/** What the order engine decides about one item: pure, from its state, what was answered, and the time it was seen. */

/** Times that decide about money; each has its reason in the design ("Order engine"). */
export interface EngineTimes {
  /** Longest a call to the registrar may take; a claim older than this plus a margin has no process behind it. */
  callMs: number;
  /** W: an order the registrar has no trace of counts as never made after this long. Delays releases only. */
  releaseAfterMs: number;
  /** An outcome unknown for this long goes to a person. */
  reviewAfterMs: number;
  /** Beyond the longest call, before a claim counts as having no process behind it. */
  claimMarginMs: number;
}

/** Where an item goes, and when it is looked at next. */
export type Verdict =
  | { to: 'succeeded'; result: ActResult }
  | { to: 'declined'; reason: string }
  | { to: 'pending'; registrarOrderId: string | null; afterMs: number }
  /** Nothing happened: the same order may be sent again. */
  | { to: 'queued'; note: string; afterMs: number }
  /** `fromNow`: the time after which a person looks begins now. */
  | { to: 'unknown'; note: string; afterMs: number; fromNow?: true }
  /** A person looks; the money stays held. */
  | { to: 'review'; note: string; registrarOrderId?: string | null };

/** How often a busy registrar is asked again before the item is given back. Nothing was bought: that is safe. */
const busyAttempts = 6;
const transferLimitMs = 14 * dayMs;

export const interruptedNote = 'The portal was interrupted while the order was being sent.';

/** What to do with an item that is looked at. Null: it has ended, waits for a person, or is being sent by another. */
export function stepOf(
  item: Pick<Item, 'state' | 'sentAt' | 'updatedAt'>,
  seenAt: Date,
  times: EngineTimes,
): 'send' | 'give up the claim' | 'ask' | null {
  switch (item.state) {
    case 'queued':
      return 'send';
    case 'sending': {
      const sentMs = seenAt.getTime() - (item.sentAt ?? item.updatedAt).getTime();
      return sentMs < times.callMs + times.claimMarginMs ? null : 'give up the claim';
    }
    case 'unknown':
    case 'pending':
      return 'ask';
    default:
      return null;
  }
}

/**
 * The registrar has taken an order of a name, or carried it out, and another organisation of this portal still has the name on its list:
 * a person decides. The registrar's number stays known, and by it the name is not believed to be the other's (`isOrderedElsewhere`).
 */
export function verdictUnlisted(verdict: Verdict): Verdict {
  const registrarOrderId =
    verdict.to === 'succeeded'
      ? verdict.result.registrarOrderId
      : verdict.to === 'pending'
        ? verdict.registrarOrderId
        : null;
  return {
    to: 'review',
    note: 'The name is listed for another organization of this portal.',
    registrarOrderId,
  };
}

/** The reply to a call. "echo": the refusal may be of our own earlier act; the tag tells (`verdictOnEcho`). */
export function verdictOnAnswer(
  item: Pick<Item, 'attempt' | 'checks'>,
  answer: Outcome<ActResult>,
): Verdict | 'echo' {
  switch (answer.kind) {
    case 'done':
      return { to: 'succeeded', result: answer.value };
    case 'refused':
      if (answer.reason === 'taken' || answer.reason === 'already-done') return 'echo';
      return { to: 'declined', reason: answer.text };
    case 'pending':
      return { to: 'pending', registrarOrderId: answer.orderId, afterMs: laterMs(item.checks) };
    case 'busy':
      if (item.attempt >= busyAttempts) return { to: 'declined', reason: answer.text };
      return { to: 'queued', note: answer.text, afterMs: soonMs(item.attempt) };
    case 'unknown':
      return { to: 'unknown', note: answer.text, afterMs: soonMs(item.checks) };
  }
}

/** Of an order that was not sent, because another organisation lists the name. It says no more than that support is to be asked. */
export function heldBack(address: string): Outcome<never> {
  const text = `${address} cannot be ordered here at present. Please ask the portal’s support.`;
  return { kind: 'refused', reason: 'other', code: 'listed-elsewhere', text };
}

/**
 * A reply that came after its claim was lost decides nothing (design: fences). What was never sent may be sent by a new
 * attempt; of everything else the registrar is asked at once.
 */
export function verdictOnLateAnswer(item: Pick<Item, 'attempt'>, answer: Outcome<ActResult>): Verdict {
  if (answer.kind === 'busy') return { to: 'queued', note: answer.text, afterMs: soonMs(item.attempt) };
  return { to: 'unknown', note: interruptedNote, afterMs: 0 };
}

/** A refusal that may be the echo of our own act. `finding` null: the registrar did not answer. */
export function verdictOnEcho(
  item: DecidedItem,
  seenAt: Date,
  refusal: { text: string; finding: Finding | null },
  times: EngineTimes,
): Verdict {
  const { text, finding } = refusal;
  if (finding === null) return { to: 'unknown', note: text, afterMs: soonMs(item.checks) };
  // A refused order may leave a draft under our tag that nobody will ever process: the refusal counts.
  if (finding.kind === 'absent' || finding.kind === 'pending') return { to: 'declined', reason: text };
  return verdictOnFinding(item, seenAt, finding, times);
}

type DecidedItem = Pick<
  Item,
  | 'kind'
  | 'state'
  | 'checks'
  | 'createdAt'
  | 'updatedAt'
  | 'unknownSince'
  | 'outcomeNote'
  | 'registrarOrderId'
>;

/** What the registrar said when it was asked. `seenAt`: when the item was read, before the question. */
export function verdictOnFinding(
  item: DecidedItem,
  seenAt: Date,
  finding: Finding,
  times: EngineTimes,
): Verdict {
  switch (finding.kind) {
    case 'done':
      return { to: 'succeeded', result: finding.result };
    case 'declined':
      return { to: 'declined', reason: finding.text };
    case 'contradictory':
      return { to: 'review', note: finding.text };
    case 'pending':
      if (isOverdue(item, seenAt, times)) {
        return { to: 'review', note: 'The registrar has had this order pending for too long.' };
      }
      return { to: 'pending', registrarOrderId: finding.registrarOrderId, afterMs: laterMs(item.checks) };
    case 'absent': {
      // Before W no trace says nothing: the call may still arrive there. What the registrar has given a number, it has accepted.
      const sinceMs = seenAt.getTime() - (item.unknownSince ?? item.updatedAt).getTime();
      const isAccepted = item.state === 'pending' || item.registrarOrderId !== null;
      if (isAccepted || sinceMs < times.releaseAfterMs) {
        return verdictOnSilence(item, seenAt, times);
      }
      return {
        to: 'declined',
        reason: 'The registry did not receive this order. You were not charged.',
      };
    }
  }
}

/** Of an item that waits for a person: its end alone moves it. Null: they know of the rest already. */
export function verdictInReview(finding: Finding): Verdict | null {
  if (finding.kind === 'done') return { to: 'succeeded', result: finding.result };
  if (finding.kind === 'declined') return { to: 'declined', reason: finding.text };
  return null;
}

/** The registrar did not answer, or its answer says nothing yet. */
export function verdictOnSilence(item: DecidedItem, seenAt: Date, times: EngineTimes): Verdict {
  if (item.state === 'pending') {
    // It was accepted: no silence and no absence gives its money back, but a person has to hear of it some time.
    if (isOverdue(item, seenAt, times) && !hasStoodStill(item, seenAt)) {
      return { to: 'review', note: 'The registrar accepted this order and has not confirmed its outcome.' };
    }
    return { to: 'pending', registrarOrderId: null, afterMs: laterMs(item.checks) };
  }
  const sinceMs = seenAt.getTime() - (item.unknownSince ?? seenAt).getTime();
  const note = item.outcomeNote ?? '';
  if (sinceMs < times.reviewAfterMs) return { to: 'unknown', note, afterMs: soonMs(item.checks) };
  if (hasStoodStill(item, seenAt)) return { to: 'unknown', note, afterMs: soonMs(0), fromNow: true };
  return { to: 'review', note: 'The registrar has not confirmed the outcome.' };
}

/** An item was given up and paid back, and the registrar carried it out all the same, or does not say. */
export function differsFromLedger(state: Item['state'], finding: Finding | null): boolean {
  return state === 'declined' && finding?.kind !== 'absent' && finding?.kind !== 'declined';
}

/** What an order is once its items are in these states; null while one is open. */
export function orderStateOf(states: readonly Item['state'][]): 'settled' | 'partial' | 'failed' | null {
  const succeeded = states.filter((state) => state === 'succeeded').length;
  const ended = succeeded + states.filter((state) => state === 'declined').length;
  if (ended < states.length) return null;
  if (succeeded === states.length) return 'settled';
  return succeeded === 0 ? 'failed' : 'partial';
}

/**
 * Nobody has asked for so long, as when the portal was not running. Then silence says nothing about the order yet: it is asked about
 * again before a person is, and what is unknown for as long as any other.
 */
function hasStoodStill({ updatedAt }: DecidedItem, seenAt: Date): boolean {
  return seenAt.getTime() - updatedAt.getTime() > dayMs;
}

/** Registries answer within hours; a transfer has the losing side's five days, and a margin. */
function isOverdue(item: DecidedItem, seenAt: Date, times: EngineTimes): boolean {
  const limitMs = item.kind === 'transfer' ? transferLimitMs : times.reviewAfterMs;
  return seenAt.getTime() - item.createdAt.getTime() > limitMs;
}

/** 2 s, 4 s, 8 s … at most 5 minutes. */
export function soonMs(step: number): number {
  return Math.min(300_000, 2_000 * 2 ** Math.min(step, 10));
}

/** Things that take long are asked about ever less often: 15 s, 30 s, a minute, … at most half an hour. */
export function laterMs(checks: number): number {
  return Math.min(1_800_000, 15_000 * 2 ** Math.min(checks, 10));
}
