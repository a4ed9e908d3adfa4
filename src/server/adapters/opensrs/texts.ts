import type { RefusalReason } from '../../ports/outcome.ts';
import type { TransferHindrance } from '../../ports/registrar.ts';

/**
 * What a refusal is to the person who asked, in our words; one sentence for each reason of the port, so that none is
 * without. `quote`: the registrar's own text says more than ours (which field, which host) and stands behind it.
 */
const refusals: Readonly<Record<RefusalReason, { sentence: string; quote: boolean }>> = {
  taken: { sentence: 'Somebody else has registered this name.', quote: false },
  invalid: { sentence: 'The registrar did not accept the data.', quote: true },
  'not-ours': { sentence: 'The domain is not in our account at the registrar.', quote: false },
  'not-found': { sentence: 'The registrar does not have this.', quote: true },
  'in-use': { sentence: 'This is in use at the registry, or exists there already.', quote: true },
  'already-done': { sentence: 'The registrar has this already.', quote: true },
  'year-mismatch': {
    sentence:
      'The registry has another expiry date for this domain. Please look at the domain again before you renew it.',
    quote: false,
  },
  'not-transferable': { sentence: 'The domain cannot be transferred at the moment.', quote: true },
  'registrar-funds': {
    sentence: 'The registrar could not take this order at present. The portal’s operator has been told.',
    quote: false,
  },
  forbidden: { sentence: 'The registry does not allow this for the domain at the moment.', quote: true },
  limit: { sentence: 'The registrar does not allow any more of this.', quote: true },
  other: { sentence: 'The registrar refused the request.', quote: true },
};

/** Words of the vendor that say no more than ours do. */
const empty =
  /^(error|failed|failure|declined|refused|unknown( error)?|(the )?(request|command|registration) failed\.?)?$/i;

/** Never a bare code: `said` is the registrar's text, or null where it said nothing. */
export function refusalText(reason: RefusalReason, said: string | null): string {
  const { sentence, quote } = refusals[reason];
  return quote && said !== null && !empty.test(said) ? `${sentence} It says: “${said}”` : sentence;
}

/** Nothing has happened; the same request may be sent again. */
export const busyText =
  'The registrar is busy at the moment. Nothing was changed. Please try again in a few minutes.';

/** Accepted, and carried out later. */
export const pendingText = 'The registry has accepted this and will complete it later.';

/** Registry states that keep a domain where it is (EPP, RFC 5731), as people know them. */
const states: readonly [RegExp, string, TransferHindrance][] = [
  [/clienttransferprohibited/i, 'it is locked at its current registrar (clientTransferProhibited)', 'locked'],
  [/servertransferprohibited/i, 'the registry has locked it (serverTransferProhibited)', 'locked'],
  [/transfer in progress/i, 'a transfer of it is already under way', 'under-way'],
  [/not registered/i, 'nobody has registered it', 'unregistered'],
  [/less than 60 days|60 days/i, 'it was registered or transferred less than 60 days ago', 'young'],
  [/pendingdelete|redemption/i, 'it has been deleted at the registry', 'deleted'],
];

/** Why a domain cannot be transferred: ends the sentence "… is not transferrable because". */
export function transferReason(said: string): { text: string; hindrance: TransferHindrance | null } {
  const known = states.find(([pattern]) => pattern.test(said));
  return known
    ? { text: known[1], hindrance: known[2] }
    : { text: `the registrar says: “${said}”`, hindrance: null };
}
