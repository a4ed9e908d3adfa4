import type { RefusalReason } from '../../ports/outcome.ts';
import type { Rule } from './outcome.ts';

/**
 * What each response code means (§3 and the failures of §§5–16; vendor's table read 2026-11-21). Rules are tried in
 * order, a command's own before these; a code that no rule names, and every reply where code and `is_success`
 * contradict each other, means that nobody knows.
 */

const refused = (code: string, reason: RefusalReason, more: Partial<Rule> = {}): Rule => ({
  code,
  success: false,
  meaning: { kind: 'refused', reason },
  ...more,
});
const busy = (code: string): Rule => ({ code, success: false, meaning: { kind: 'busy' } });
/** Refused before it looked at the request, for reasons that only the operator can mend. */
const closed = (code: string, more: Partial<Rule> = {}): Rule => ({
  code,
  meaning: { kind: 'refused', reason: 'forbidden', text: shutOut, alert: true },
  ...more,
});

const shutOut =
  'The registrar does not accept requests from this portal at present. Its operator has been told.';
const ourMistake = 'The registrar did not understand the request. The portal’s operator has been told.';

export const commonRules: readonly Rule[] = [
  { code: '200', success: true, meaning: { kind: 'done' } },
  { code: '250', success: true, meaning: { kind: 'pending' } },
  // Not served at all; the request may be sent again as it is.
  busy('300'),
  busy('310'),
  busy('350'),
  busy('437'),
  busy('486'),
  // Of 400, 404 and 405 only these texts are certain; the rest says that nobody knows.
  closed('400', { text: /access denied/i }),
  {
    code: '400',
    text: /invalid command/i,
    meaning: { kind: 'refused', reason: 'other', text: ourMistake, alert: true },
  },
  closed('404', { text: /missing x-username/i }),
  closed('401'),
  closed('410'),
  refused('415', 'not-ours'),
  refused('420', 'invalid'),
  {
    code: '430',
    success: false,
    meaning: { kind: 'refused', reason: 'other', text: ourMistake, alert: true },
  },
  refused('435', 'invalid', { text: /failed validation|name ?server|not found at the registry/i }),
  refused('435', 'forbidden'),
  refused('440', 'registrar-funds', {
    meaning: { kind: 'refused', reason: 'registrar-funds', alert: true },
  }),
  refused('445', 'limit'),
  refused('447', 'limit'),
  refused('460', 'invalid'),
  refused('465', 'invalid'),
  refused('470', 'invalid'),
  refused('478', 'invalid'),
  refused('480', 'not-found'),
  refused('485', 'in-use'),
  refused('487', 'not-transferable'),
  {
    code: '500',
    text: /unrecognized protocol/i,
    meaning: { kind: 'refused', reason: 'other', text: ourMistake, alert: true },
  },
  refused('541', 'year-mismatch'),
  refused('552', 'forbidden'),
  refused('555', 'already-done'),
  refused('557', 'forbidden'),
  refused('599', 'invalid'),
  { code: '701', meaning: { kind: 'refused', reason: 'invalid' } },
];

/** An existing thing is in the way; what that means depends on the command (§18.6). */
export const conflict = (reason: RefusalReason): Rule => refused('485', reason);

/** Success without a change, with whatever `is_success` (§3, §12). */
export const nothingToDo: Rule = { code: '220', meaning: { kind: 'done' } };

/** A command that may not exist, tried all the same: no cause for alarm. */
export const notACommand: readonly Rule[] = [
  { code: '400', text: /invalid command/i, meaning: { kind: 'refused', reason: 'other' } },
  refused('430', 'other'),
];

/** 300 with success is an order that waits for somebody's consent, not a rate limit (§3). */
export const orderRules: readonly Rule[] = [{ code: '300', success: true, meaning: { kind: 'pending' } }];

export const transferRules: readonly Rule[] = [refused('552', 'not-transferable')];

/** The test environment says 465 where the live one says 555 (§9). */
export const alreadyRenewed: Rule = refused('465', 'already-done', { text: /already renewed/i });

export const renewalRules: readonly Rule[] = [
  alreadyRenewed,
  // A renewal is on its way at the registry: perhaps our own, so the caller must look for it.
  {
    code: '400',
    success: false,
    text: /already renewed/i,
    meaning: { kind: 'refused', reason: 'already-done' },
  },
  refused('480', 'invalid', { text: /renewals? not supported/i }),
];

/** Of 400 only this text is certain: a name that is not deleted, or whose time is over (§15). */
export const redemptionRules: readonly Rule[] = [
  refused('400', 'forbidden', {
    text: /cannot be redeemed|not (eligible|available|supported).{0,40}rede|rede.{0,40}not (eligible|available|supported)/i,
  }),
];
