import { openCertificateStates } from '#contracts/values/certificate-life.ts';
import { dayMs, hourMs, minuteMs } from '#contracts/values/time.ts';
import type { CertificateOrder } from '../../ports/registrar.ts';
import type { PlainCertificate } from './rows.ts';

/** What a reading of the registrar and of DNS means for a certificate: pure, from the row, what was read, and now. */

const secondMs = 1_000;

/** What the registrar shows of a reissue whose order is not found there. A registrar that does not answer shows nothing. */
export type NoOrder =
  /** Each order of the name was read, and none is its own. */
  | { kind: 'absent' }
  /** These of the name carry nobody's tag: one of them may be its own. */
  | { kind: 'untagged'; orderIds: readonly string[] }
  /** Orders of the name are there that cannot be read. */
  | { kind: 'unreadable' }
  /** It had this number, and there is nothing under it or under its tag any more. */
  | { kind: 'gone'; orderId: string };

/** How a reissue ends without an order. */
export interface EndWithoutOrder {
  /** Kept with it. A machine that asked for it reads this, too. */
  remark: string;
  /** It ends only when it was asked for so long ago. */
  afterMs: number;
  /** What operators are told, who have to look at the registrar; null: nothing is unclear. */
  alert: string | null;
}

/** As for orders (design): what is absent for so long was never made. */
const absentAfterMs = 10 * minuteMs;
/** As for orders (decision 115): what stays unclear for so long is a person's. Until then nobody can ask for another reissue. */
const unclearAfterMs = dayMs;

/** Of a reissue that has been without an order for so long; null: it stays open, and is asked about again. */
export function endWithoutOrder(seen: NoOrder, forMs: number): EndWithoutOrder | null {
  const end = endOf(seen);
  return forMs < end.afterMs ? null : end;
}

function endOf(seen: NoOrder): EndWithoutOrder {
  const unconfirmed = { remark: 'The registrar has not confirmed the request.', afterMs: unclearAfterMs };
  switch (seen.kind) {
    case 'absent':
      return { remark: 'The registrar never received the request.', afterMs: absentAfterMs, alert: null };
    case 'untagged':
      return {
        ...unconfirmed,
        alert: `One of these orders without a tag may be its own: ${seen.orderIds.join(', ')}.`,
      };
    case 'unreadable':
      return { ...unconfirmed, alert: 'Not all orders of the name can be read.' };
    case 'gone': {
      const remark = `The registrar does not have order ${seen.orderId} any more.`;
      return { remark, afterMs: unclearAfterMs, alert: remark };
    }
  }
}

export type ProofState = PlainCertificate['proof_state'];

/** What to look at: the order that runs, the certificate in use, or nothing more. */
export function lookOf(state: PlainCertificate['state']): 'order' | 'running' | null {
  if (openCertificateStates.includes(state)) return 'order';
  return state === 'completed' ? 'running' : null;
}

/** Whether a proof is to be in DNS, and nobody knows if it is: its zone did not answer before the certificate was issued. */
export function isProofUnknown(row: Pick<PlainCertificate, 'proof' | 'proof_state'>): boolean {
  return row.proof?.method === 'DNS' && row.proof_state === null;
}

/** Often while somebody may be watching, seldom for what runs; null: nothing more can come. */
export function pauseMs(
  row: Pick<PlainCertificate, 'state' | 'reissueState' | 'ordered_at' | 'proof' | 'proof_state'>,
  now: Date,
  failures: number,
): number | null {
  if (failures > 0) return Math.min(2 ** failures * 15 * secondMs, 6 * hourMs);
  const look = lookOf(row.state);
  if (look === null && row.reissueState === null) return null;
  if (look === 'running' && row.reissueState === null && !isProofUnknown(row)) return 6 * hourMs;
  const ageMs = now.getTime() - row.ordered_at.getTime();
  if (row.reissueState !== null || ageMs > dayMs) return 10 * minuteMs;
  return ageMs < 5 * minuteMs ? 4 * secondMs : minuteMs;
}

/** The sweep looks at what is due in an hour or later; what is due sooner wakes itself. */
export function wakesItself(waitMs: number | null): boolean {
  return waitMs !== null && waitMs < hourMs;
}

/** What follows from the state of the order: the MSP hears of it, and what was paid for nothing goes back. */
export function endOfOrder(state: CertificateOrder['state']): { tell: boolean; payBack: boolean } {
  return { tell: state === 'declined', payBack: state === 'declined' || state === 'cancelled' };
}

/** What becomes of a reissue, by its order at the registrar. */
export function reissueStateOf(state: CertificateOrder['state']): 'completed' | 'declined' | 'running' {
  if (state === 'completed') return 'completed';
  return state === 'declined' || state === 'cancelled' ? 'declined' : 'running';
}

/** The state of a certificate that the registrar has issued. */
export function issuedState(
  issued: { state: string; notAfter: Date },
  now: Date,
): 'revoked' | 'expired' | 'completed' {
  if (issued.state === 'revoked') return 'revoked';
  return issued.notAfter <= now ? 'expired' : 'completed';
}

/** Whether DNS answers with the value; a dot at the end and the case make no difference. */
export function isAmong(found: readonly string[], value: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\.$/, '');
  return found.some((one) => plain(one) === plain(value));
}

/**
 * The state of a proof after it was to be written: `set` into a zone of the portal, or left to others. `seen`: what DNS
 * says. Without a domain of ours nobody has done anything wrong before the certificate is issued: it waits.
 */
export function proofStateAfter(
  written: 'set' | 'not-managed' | 'no-domain',
  state: PlainCertificate['state'],
  seen: 'present' | 'missing',
): ProofState {
  if (written === 'set') return 'set';
  if (written === 'no-domain' && state !== 'completed') return seen === 'present' ? 'present' : 'waiting';
  return seen;
}

/** Of a running certificate: what the portal wrote itself stays called so while DNS has it. */
export function runningProofState(before: ProofState, seen: 'present' | 'missing'): ProofState {
  return seen === 'present' && before === 'set' ? 'set' : seen;
}

/** The host names of a certificate, from its subject's alternative names as Node prints them. */
export function hostNamesIn(subjectAltName: string | undefined): string[] {
  return (subjectAltName ?? '')
    .split(', ')
    .flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4).toLowerCase()] : []));
}

/** What the registrar last noted on an order. */
export function remarkOf(order: CertificateOrder): string | null {
  return order.notes.at(-1)?.text.slice(0, 500) ?? null;
}
