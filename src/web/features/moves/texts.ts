import type { MoveHead, MoveLine, MoveStage } from '#contracts/operations/moves.ts';
import { countText, utcDayText } from '#contracts/values/format.ts';
import type { Tone } from '../../ui/tone.ts';

/** A stage as a chip shows it, and the group of lines that it is filtered by. */
export const stages: Readonly<Record<MoveStage, { label: string; tone: Tone; group: Group }>> = {
  checking: { label: 'Being checked', tone: 'info', group: 'running' },
  ready: { label: 'Ready', tone: 'good', group: 'ready' },
  blocked: { label: 'Blocked', tone: 'bad', group: 'trouble' },
  'left-out': { label: 'Left out', tone: 'plain', group: 'out' },
  ordered: { label: 'Ordered', tone: 'info', group: 'running' },
  approval: { label: 'Approval', tone: 'info', group: 'running' },
  release: { label: 'Release', tone: 'info', group: 'running' },
  arriving: { label: 'Arrived', tone: 'info', group: 'running' },
  held: { label: 'DNS waits', tone: 'warn', group: 'trouble' },
  done: { label: 'Done', tone: 'good', group: 'done' },
  differs: { label: 'DNS differs', tone: 'bad', group: 'trouble' },
  failed: { label: 'Failed', tone: 'bad', group: 'trouble' },
  review: { label: 'Under review', tone: 'warn', group: 'trouble' },
};

export type Group = 'ready' | 'trouble' | 'running' | 'done' | 'out';
export const groups: Readonly<Record<Group, string>> = {
  ready: 'Ready',
  trouble: 'Needs you',
  running: 'Under way',
  done: 'Done',
  out: 'Left out',
};
export const groupNames = Object.keys(groups) as Group[];

/** Lines of a group. */
export function countOf(counts: MoveHead['counts'], group: Group): number {
  return Object.entries(counts)
    .filter(([stage]) => stages[stage as MoveStage].group === group)
    .reduce((sum, [, count]) => sum + (count ?? 0), 0);
}

/** "3 ready · 1 needs you": what a list is about, in one line. */
export function countsText(counts: MoveHead['counts']): string {
  return groupNames
    .map((group) => ({ group, count: countOf(counts, group) }))
    .filter(({ count }) => count > 0)
    .map(({ group, count }) => `${count} ${groupText(group, count)}`)
    .join(' · ');
}

const groupText = (group: Group, count: number) =>
  group === 'trouble' && count > 1 ? 'need you' : groups[group].toLowerCase();

/** "At Old Registrar · expires on Mar 1, 2027": what its registry says of it before it comes. */
export function registrationText({
  registrar,
  expiresAt,
}: Pick<MoveLine, 'registrar' | 'expiresAt'>): string {
  const expiry = expiresAt === null ? '' : `expires on ${utcDayText(new Date(expiresAt))}`;
  const text = [registrar === null ? '' : `at ${registrar}`, expiry].filter(Boolean).join(' · ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether a line that does not go on may keep its nameservers instead; one that is ready has the choice anyway. */
export const mayKeep = ({ stage, help }: Pick<MoveLine, 'stage' | 'help'>) =>
  help === 'keep' || stage === 'held';

/** Whether a line waits for a person because its old DNS has changed: its records are served here from beside what has changed. */
export const mayAccept = ({ stage, help }: Pick<MoveLine, 'stage' | 'help'>) =>
  stage === 'held' && help === 'bring';

export const names = (count: number) => `${countText(count)} ${count === 1 ? 'domain' : 'domains'}`;

/** A letter to the one who runs the domains now. It names them and no code. */
export function unlockLetter(lines: readonly Pick<MoveLine, 'domain'>[]): string {
  const list = lines.map(({ domain }) => domain).join('\n');
  const subject =
    lines.length === 1 ? `Please unlock ${lines[0]?.domain}` : `Please unlock ${names(lines.length)}`;
  const body = `Hello,\n\nWe are about to transfer the following domains. Please remove the transfer lock (clientTransferProhibited):\n\n${list}\n\nThank you.`;
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
}
