import type { MoveDns, MoveLine, MoveStage } from '#contracts/operations/moves.ts';
import { byHandReason } from '#contracts/operations/transfers.ts';
import { moneyText } from '#contracts/values/format.ts';
import { independentDns } from '#contracts/values/move-lines.ts';
import { isOpenItem, type OpenItemState } from '#contracts/values/order-states.ts';
import { signedTransferWarning } from '#contracts/values/signed-transfer.ts';
import type { Hindrance, Line, LineFacts, LineZone } from './line.ts';

/** What is said of a line, and what is done with it next: pure, from its row, its item, its transfer, and now. */

export interface MoveFacts {
  /** Whether these are hosts of the managed DNS. */
  isOurs: IsOurs;
  /** Where its transfer is; null: it has not begun. */
  underWay: { step: 'approval' | 'release'; expectedBy: string | null; late: boolean } | null;
}
type IsOurs = (nameservers: readonly string[]) => boolean;

export type Standing = Pick<MoveLine, 'stage' | 'text' | 'help' | 'warnings' | 'expectedBy' | 'late'>;

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
const said = (stage: MoveStage, text: string, more: Partial<Standing> = {}): Standing => ({
  ...{ stage, text, help: null, warnings: [], expectedBy: null, late: false, ...more },
});

/**
 * Whether the DNS of a name comes along where nobody chose. It stays with a provider that serves it no matter who the
 * registrar is, with ours, where it is signed, and where its records are not known.
 */
export function usualDns(facts: LineFacts, zone: LineZone | null, isOurs: IsOurs): MoveDns {
  const { nameservers, signed } = facts;
  if (!nameservers || isOurs(nameservers) || independentDns(nameservers)) return 'keep';
  return signed || !zone || zone.records.length === 0 ? 'keep' : 'bring';
}

/** Where a line is, in words, with the act that helps. */
export function standingOf(line: Line, about: MoveFacts): Standing {
  if (line.item) return orderedStanding(line, line.item, about);
  if (line.problem) return said('blocked', line.problem);
  if (line.leftOut) return said('left-out', 'Left out. It will not be ordered.');
  if (line.codeProblem) return said('blocked', line.codeProblem, { help: 'code' });
  if (line.state === 'unchecked' || !line.facts) {
    return said('checking', 'Its state, price and zone are being checked.');
  }
  const { hindrance, priceCents } = line.facts;
  if (hindrance) return blockedBy(hindrance);
  if (line.dns === 'bring' && !line.zone) {
    return said('blocked', 'Its records could not be read, so its DNS cannot come along.', { help: 'look' });
  }
  const price = priceCents === null ? '' : ` for ${moneyText(priceCents)}`;
  return said('ready', `Will be transferred and renewed for a year${price}. ${dnsText(line, about)}`, {
    warnings: warningsOf(line, about),
  });
}

function blockedBy({ kind, text }: Hindrance): Standing {
  switch (kind) {
    case 'locked':
      return said('blocked', 'It is locked at its current registrar. It has to be unlocked there first.', {
        help: 'unlock',
      });
    case 'young':
      return said(
        'blocked',
        'It was registered or transferred less than 60 days ago. No registrar releases it before that.',
        { help: 'look' },
      );
    case 'unregistered':
      return said('blocked', 'Nobody has registered it. It can be registered instead of transferred.');
    case 'deleted':
      return said('blocked', 'It has been deleted at the registry. It cannot be transferred.');
    case 'under-way':
      return said('blocked', 'Its transfer is already under way.', { help: 'look' });
    case 'here':
      return said('blocked', 'It is in your account already. There is nothing to transfer.');
    case 'other-account':
      return said('blocked', byHandReason);
    case 'unanswered':
      return said(
        'blocked',
        'The registrar did not answer, so it is not known whether it can be transferred.',
        {
          help: 'look',
        },
      );
    case 'refused':
      return said('blocked', `It cannot be transferred: ${text.replace(/\.$/, '')}.`, { help: 'look' });
  }
}

function dnsText({ dns, facts, zone }: Line, { isOurs }: MoveFacts): string {
  const nameservers = facts?.nameservers ?? [];
  if (isOurs(nameservers)) return 'Its DNS is here already and stays.';
  if (dns === 'keep') {
    const where = independentDns(nameservers) ?? nameservers[0];
    return where ? `Its DNS stays at ${where}.` : 'It keeps its nameservers.';
  }
  const count = zone?.records.length ?? 0;
  return `Its ${counted(count, 'record')} will be served here, and its nameservers are changed when it arrives.`;
}

function warningsOf({ dns, facts, zone }: Line, { isOurs }: MoveFacts): string[] {
  const nameservers = facts?.nameservers ?? [];
  const comes = dns === 'bring';
  const signed = signedTransferWarning({ signed: facts?.signed ?? false, nameserversChange: comes });
  const warnings = signed ? [signed] : [];
  if (comes && zone?.how === 'usual') {
    warnings.push(
      'Its DNS does not hand out the whole zone. The records were found under common names. Please check that none is missing.',
    );
  }
  if (comes && zone && zone.leftOut.length > 0) {
    const types = [...new Set(zone.leftOut.map(({ type }) => type))].sort().join(', ');
    warnings.push(
      `${counted(zone.leftOut.length, 'record')} cannot be held by the managed DNS (${types}). Keep the current nameservers if they are needed.`,
    );
  }
  if (!comes && !isOurs(nameservers) && !independentDns(nameservers)) {
    warnings.push(
      facts?.nameservers
        ? 'Many registrars switch off their own DNS when a domain leaves.'
        : 'Its nameservers could not be read at the moment.',
    );
  }
  return warnings;
}

function orderedStanding(line: Line, item: NonNullable<Line['item']>, about: MoveFacts): Standing {
  if (item.state === 'declined') {
    const why = (item.error ?? 'The transfer did not succeed').replace(/\.$/, '');
    return said('failed', `${why}. You were not charged.`, { help: 'code' });
  }
  if (item.state === 'review') {
    return said('review', 'The people who run this portal are looking into it. The funds stay reserved.');
  }
  if (isOpenItem(item.state as OpenItemState)) return underWay(about);
  if (line.held) return said('held', line.held, { help: 'look' });
  if (line.differences && line.differences.length > 0) return differing(line, line.differences);
  if (line.state !== 'settled') return said('arriving', 'It has arrived. Its DNS is being set up.');
  const count = line.zone?.records.length;
  const where = line.switchedAt ? 'It is served here now' : 'It keeps its nameservers';
  return said(
    'done',
    line.comparedAt && count
      ? `It has arrived. ${where}, and all of its ${counted(count, 'record')} answer as before.`
      : `It has arrived. ${where}.`,
  );
}

function differing(line: Line, differences: NonNullable<Line['differences']>): Standing {
  const count = differences.length;
  const isSilent = line.dns === 'keep' && differences.every(({ now }) => now.length === 0);
  const text = isSilent
    ? 'It has arrived. Its old DNS no longer answers.'
    : count === 1
      ? 'It has arrived. One DNS answer differs from before.'
      : `It has arrived. ${count} DNS answers differ from before.`;
  return said('differs', text, { help: line.dns === 'keep' && line.zone ? 'bring' : 'look' });
}

function underWay({ underWay: transfer }: MoveFacts): Standing {
  if (!transfer) return said('ordered', 'It is ordered. The registrar is being asked.');
  const { step, expectedBy, late } = transfer;
  if (step === 'approval') {
    const text = late
      ? 'Nobody has approved it yet. The code may be wrong, or the owner did not get the email. Cancel it and start again with the right code.'
      : 'The registrar is testing the code. If the code alone is not enough, the owner gets an email.';
    return said('approval', text, { help: 'cancel', expectedBy, late });
  }
  const text = late
    ? 'The other registrar has not released it. Ask it to approve the transfer.'
    : 'The other registrar has five days to object. It can also release the domain at once.';
  return said('release', text, { expectedBy, late });
}

export type Step = 'wait' | 'stage' | 'switch' | 'compare' | 'give-up';

/** What a job does with an ordered line now. `domain`: its state in the portal; null: it is not there. */
export function nextStep(
  line: Pick<Line, 'dns' | 'zone' | 'stagedAt' | 'switchedAt' | 'item'>,
  domain: { status: string } | null,
): Step {
  const comes = line.dns === 'bring' && line.zone !== null;
  if (!line.item || line.item.state === 'declined') return 'give-up';
  if (line.item.state !== 'succeeded') {
    return comes && domain?.status === 'transferring' && !line.stagedAt ? 'stage' : 'wait';
  }
  // It has left again, or another row says so: there is nothing of ours to put in order.
  if (!domain || domain.status === 'ended') return 'give-up';
  if (domain.status === 'transferring') return 'wait';
  if (!comes) return 'compare';
  if (!line.stagedAt) return 'stage';
  return line.switchedAt ? 'compare' : 'switch';
}
