import type { MoveDns, MoveLine, MoveStage } from '#contracts/operations/moves.ts';
import { byHandReason } from '#contracts/operations/transfers.ts';
import { daysUntil } from '#contracts/values/domain-life.ts';
import { moneyText, utcDayText } from '#contracts/values/format.ts';
import { independentDns } from '#contracts/values/move-lines.ts';
import { isOpenItem, type OpenItemState } from '#contracts/values/order-states.ts';
import { signedTransferWarning } from '#contracts/values/signed-transfer.ts';
import { dayMs, hourMs } from '#contracts/values/time.ts';
import type { Difference, Hindrance, Line, LineFacts, LineZone } from './line.ts';
import { isHeldByChanges } from './old-zone.rules.ts';

/** What is said of a line, and what is done with it next: pure, from its row, its item, its transfer, and now. */

export interface MoveFacts {
  /** Whether these are hosts of the managed DNS. */
  isOurs: IsOurs;
  now: Date;
  /** Where its transfer is; null: it has not begun. */
  underWay: { step: 'approval' | 'release'; expectedBy: string | null; late: boolean } | null;
}
type IsOurs = (nameservers: readonly string[]) => boolean;

export type Standing = Pick<MoveLine, 'stage' | 'text' | 'help' | 'warnings' | 'expectedBy' | 'late'>;

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
type Words = Pick<Standing, 'text'> & Partial<Omit<Standing, 'stage'>>;

/** Nothing is done in the name of somebody who may not do it any more. */
export const noAuthorText =
  'The person in whose name it was to be done has no access any more. Check it again to go on in your name.';

/** Without these a host or its mail is gone. */
const needed: readonly string[] = ['MX', 'CNAME', 'NS', 'SRV'];

/** Whether our zones cannot hold a record that hosts or mail need. */
export const lacksNeeded = ({ leftOut }: { leftOut: readonly { type: string }[] }): boolean =>
  leftOut.some(({ type }) => needed.includes(type));

/**
 * Whether the DNS of a name comes along where nobody chose. It stays with a provider that serves it no matter who the
 * registrar is, with ours, where it is signed, and where its records are not known or cannot all be served here.
 */
export function usualDns(facts: LineFacts, zone: LineZone | null, isOurs: IsOurs): MoveDns {
  const { nameservers, signed } = facts;
  if (!nameservers || isOurs(nameservers) || independentDns(nameservers)) return 'keep';
  return signed || !zone || zone.records.length === 0 || lacksNeeded(zone) ? 'keep' : 'bring';
}

/** Nothing is ordered by a check that is older. */
const checkedForMs = dayMs;
/** The zone of a domain that is on its way is read again after so long. */
const readForMs = 6 * hourMs;

const isOlder = ({ checkedAt }: Pick<Line, 'checkedAt'>, ms: number, now: Date) =>
  checkedAt === null || now.getTime() - checkedAt.getTime() > ms;

/** Whether too long ago was found out what an order goes by. */
export const isOutdated = (line: Pick<Line, 'checkedAt'>, now: Date) => isOlder(line, checkedForMs, now);

/** What decides where a line is. Lines with the same signs are counted together. */
export interface Signs {
  /** Of its order; null: it is not ordered. */
  item: string | null;
  problem: boolean;
  leftOut: boolean;
  codeProblem: boolean;
  checked: boolean;
  hindered: boolean;
  /** Its records are to come along, and nobody knows them. */
  zoneUnknown: boolean;
  held: boolean;
  differs: boolean;
  settled: boolean;
  /** Of its transfer; null: it has not begun. */
  step: 'approval' | 'release' | null;
}

export function stageOf(signs: Signs): MoveStage {
  if (signs.item === 'declined') return 'failed';
  if (signs.item === 'review') return 'review';
  if (signs.item !== null) {
    if (isOpenItem(signs.item as OpenItemState)) return signs.step ?? 'ordered';
    if (signs.held) return 'held';
    if (signs.differs) return 'differs';
    return signs.settled ? 'done' : 'arriving';
  }
  if (signs.problem) return 'blocked';
  if (signs.leftOut) return 'left-out';
  if (signs.codeProblem) return 'blocked';
  if (!signs.checked) return 'checking';
  return signs.hindered || signs.zoneUnknown ? 'blocked' : 'ready';
}

/** Of a line that nobody has checked. */
const noFacts: LineFacts = {
  ...{ hindrance: null, priceCents: null, nameservers: null },
  ...{ signed: false, registrar: null, expiresAt: null },
};
/** A line with what is known of it, and nothing where nothing is known. */
type Known = Line & { facts: LineFacts; differences: Difference[]; isChecked: boolean };

const knownOf = (line: Line): Known => ({
  ...line,
  facts: { ...noFacts, ...line.facts },
  differences: line.differences ?? [],
  isChecked: line.state !== 'unchecked' && line.facts !== null,
});

const signsOf = (line: Known, { underWay }: MoveFacts): Signs => ({
  ...{ item: line.item?.state ?? null, problem: line.problem !== null, leftOut: line.leftOut },
  ...{ codeProblem: line.codeProblem !== null, checked: line.isChecked },
  ...{ hindered: Boolean(line.facts.hindrance), zoneUnknown: line.dns === 'bring' && line.zone === null },
  ...{ held: line.held !== null, differs: line.differences.length > 0 },
  ...{ settled: line.state === 'settled', step: underWay?.step ?? null },
});

/** Where a line is, in words, with the act that helps. */
export function standingOf(line: Line, about: MoveFacts): Standing {
  const known = knownOf(line);
  const stage = stageOf(signsOf(known, about));
  return { stage, help: null, warnings: [], expectedBy: null, late: false, ...wordsOf(stage, known, about) };
}

function wordsOf(stage: MoveStage, line: Known, about: MoveFacts): Words {
  switch (stage) {
    case 'checking':
      return { text: 'Its state, price and zone are being checked.' };
    case 'blocked':
      return obstacleOf(line);
    case 'left-out':
      return { text: 'Left out. It will not be ordered.' };
    case 'ready':
      return readyWords(line, about);
    case 'ordered':
    case 'approval':
    case 'release':
      return underWayText(about);
    case 'arriving':
      return { text: 'It has arrived. Its DNS is being set up.' };
    case 'held':
      return { text: line.held ?? '', help: isHeldByChanges(line) ? 'bring' : 'look' };
    case 'differs':
      return differing(line);
    case 'done':
      return { text: doneText(line) };
    case 'failed': {
      const why = (line.item?.error ?? 'The transfer did not succeed').replace(/\.$/, '');
      return { text: `${why}. You were not charged.`, help: 'code' };
    }
    case 'review':
      return { text: 'The people who run this portal are looking into it. The funds stay reserved.' };
  }
}

function doneText({ zone, switchedAt, comparedAt, checkedAt }: Line): string {
  const count = zone?.records.length;
  const where = switchedAt ? 'It is served here now' : 'It keeps its nameservers';
  const out = zone && switchedAt && zone.leftOut.length > 0 ? ` ${leftOutText(zone)}.` : '';
  if (!comparedAt || !count) return `It has arrived. ${where}.${out}`;
  const before = checkedAt ? `as they did on ${utcDayText(checkedAt)}` : 'as before';
  return `It has arrived. ${where}, and all of its ${counted(count, 'record')} answer ${before}.${out}`;
}

/** "2 records cannot be held by the managed DNS (CNAME, MX)" */
function leftOutText({ leftOut }: LineZone): string {
  const types = [...new Set(leftOut.map(({ type }) => type))].sort().join(', ');
  return `${counted(leftOut.length, 'record')} cannot be held by the managed DNS (${types})`;
}

function obstacleOf({ problem, codeProblem, facts }: Known): Words {
  if (problem !== null) return { text: problem };
  if (codeProblem !== null) return { text: codeProblem, help: 'code' };
  if (facts.hindrance) return blockedBy(facts.hindrance);
  return { text: 'Its records could not be read, so its DNS cannot come along.', help: 'keep' };
}

function blockedBy({ kind, text }: Hindrance): Words {
  switch (kind) {
    case 'locked':
      return {
        text: 'It is locked at its current registrar. It has to be unlocked there first.',
        help: 'unlock',
      };
    case 'young':
      return {
        text: 'It was registered or transferred less than 60 days ago. No registrar releases it before that.',
        help: 'look',
      };
    case 'unregistered':
      return { text: 'Nobody has registered it. It can be registered instead of transferred.' };
    case 'deleted':
      return { text: 'It has been deleted at the registry. It cannot be transferred.' };
    case 'under-way':
      return { text: 'Its transfer is already under way.', help: 'look' };
    case 'here':
      return { text: 'It is in your account already. There is nothing to transfer.' };
    case 'other-account':
      return { text: byHandReason };
    case 'unanswered':
      return {
        text: 'The registrar did not answer, so it is not known whether it can be transferred.',
        help: 'look',
      };
    case 'nobody':
      return { text: noAuthorText, help: 'look' };
    case 'refused':
      return { text: `It cannot be transferred: ${text.replace(/\.$/, '')}.`, help: 'look' };
  }
}

function readyWords(line: Known, { isOurs, now }: MoveFacts): Words {
  const { priceCents, expiresAt } = line.facts;
  const nameservers = line.facts.nameservers ?? [];
  const old: OldDns = { nameservers, isOurs: isOurs(nameservers) };
  const price = priceCents === null ? '' : ` for ${moneyText(priceCents)}`;
  const text = `Will be transferred and renewed for a year${price}. ${dnsText(line, old)}`;
  return { text, warnings: [...expiryWarning(expiresAt, now), ...dnsWarnings(line, old)] };
}

/** Where a line's DNS is before it moves. */
interface OldDns {
  nameservers: readonly string[];
  isOurs: boolean;
}

/** What is served here after the move; null: nothing, its DNS stays where it is. */
const comingZone = ({ dns, zone }: Line): LineZone | null => (dns === 'bring' ? zone : null);

function dnsText(line: Line, { nameservers, isOurs }: OldDns): string {
  if (isOurs) return 'Its DNS is here already and stays.';
  const coming = comingZone(line);
  if (!coming) {
    const where = independentDns(nameservers) ?? nameservers[0];
    return where ? `Its DNS stays at ${where}.` : 'It keeps its nameservers.';
  }
  return `Its ${counted(coming.records.length, 'record')} will be served here, and its nameservers are changed when it arrives.`;
}

/** A transfer may take this long where people take their time. */
const transferDays = 14;

function expiryWarning(expiresAt: string | null, now: Date): string[] {
  if (expiresAt === null) return [];
  const at = new Date(expiresAt);
  const days = daysUntil(at, now);
  if (days < 0) {
    return [
      `It expired on ${utcDayText(at)}. Many registrars release a name only after it is renewed there.`,
    ];
  }
  if (days >= transferDays) return [];
  return [
    `It expires on ${utcDayText(at)}. If it may not be here by then, renew it at its current registrar first.`,
  ];
}

function dnsWarnings(line: Known, { nameservers, isOurs }: OldDns): string[] {
  const { dnsChosen, facts, zone } = line;
  const coming = comingZone(line);
  const signed = signedTransferWarning({ signed: facts.signed, nameserversChange: coming !== null });
  const warnings = signed ? [signed] : [];
  if (coming?.how === 'usual') {
    warnings.push(
      'Its DNS does not hand out the whole zone. The records were found under common names. Please check that none is missing.',
    );
  }
  if (coming && coming.leftOut.length > 0) {
    warnings.push(`${leftOutText(coming)}. Keep the current nameservers if they are needed.`);
  }
  if (!coming && !isOurs && !independentDns(nameservers)) {
    if (zone && lacksNeeded(zone) && !dnsChosen) {
      warnings.push(`${leftOutText(zone)}, so it keeps its nameservers.`);
    }
    warnings.push(
      facts.nameservers
        ? 'Many registrars switch off their own DNS when a domain leaves.'
        : 'Its nameservers could not be read at the moment.',
    );
  }
  return warnings;
}

function differing({ dns, zone, differences }: Known): Words {
  const count = differences.length;
  const isSilent = dns === 'keep' && differences.every(({ now }) => now.length === 0);
  const text = isSilent
    ? 'It has arrived. Its old DNS no longer answers.'
    : count === 1
      ? 'It has arrived. One DNS answer differs from before.'
      : `It has arrived. ${count} DNS answers differ from before.`;
  return { text, help: dns === 'keep' && zone ? 'bring' : 'look' };
}

function underWayText({ underWay: transfer }: MoveFacts): Words {
  if (!transfer) return { text: 'It is ordered. The registrar is being asked.' };
  const { step, expectedBy, late } = transfer;
  if (step === 'approval') {
    const text = late
      ? 'Nobody has approved it yet. The code may be wrong, or the owner did not get the email. Cancel it and start again with the right code.'
      : 'The registrar is testing the code. If the code alone is not enough, the owner gets an email.';
    return { text, help: 'cancel', expectedBy, late };
  }
  const text = late
    ? 'The other registrar has not released it. Ask it to approve the transfer.'
    : 'The other registrar has five days to object. It can also release the domain at once.';
  return { text, expectedBy, late };
}

export type Step = 'wait' | 'read-again' | 'stage' | 'switch' | 'compare' | 'give-up';

/** What a job does with an ordered line now. `domain`: its state in the portal; null: it is not there. */
export function nextStep(
  line: Pick<Line, 'dns' | 'zone' | 'checkedAt' | 'stagedAt' | 'switchedAt' | 'item'>,
  domain: { status: string } | null,
  now: Date,
): Step {
  const comes = line.dns === 'bring' && line.zone !== null;
  if (!line.item || line.item.state === 'declined') return 'give-up';
  if (line.item.state !== 'succeeded') {
    if (domain?.status !== 'transferring') return 'wait';
    if (comes && !line.stagedAt) return 'stage';
    return line.zone && isOlder(line, readForMs, now) ? 'read-again' : 'wait';
  }
  // It has left again, or another row says so: there is nothing of ours to put in order.
  if (!domain || domain.status === 'ended') return 'give-up';
  if (domain.status === 'transferring') return 'wait';
  if (!comes) return 'compare';
  if (!line.stagedAt) return 'stage';
  return line.switchedAt ? 'compare' : 'switch';
}

/** After the move, answers that differ are looked at again for so long. */
const compareForMs = dayMs;

/** Whether a line whose answers differ is looked at again: its DNS may have come here long after the domain itself. */
export function isComparedOn(
  { transfer, switchedAt, comparedAt }: Pick<Line, 'transfer' | 'switchedAt' | 'comparedAt'>,
  now: Date,
): boolean {
  const moved = [transfer?.completedAt, switchedAt].flatMap((at) => (at ? [at.getTime()] : []));
  const since = moved.length > 0 ? Math.max(...moved) : (comparedAt ?? now).getTime();
  return now.getTime() - since <= compareForMs;
}
