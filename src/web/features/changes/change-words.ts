import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import { isUnderWay, mayAct } from '#contracts/values/changes.ts';
import { countText } from '#contracts/values/format.ts';
import type { Tone } from '../../ui/tone.ts';

/** How states are shown. */
export const changeStates: Record<Change['state'], { tone: Tone; text: string }> = {
  draft: { tone: 'info', text: 'Being prepared' },
  ready: { tone: 'warn', text: 'Not applied yet' },
  running: { tone: 'info', text: 'Being applied' },
  paused: { tone: 'warn', text: 'Paused' },
  done: { tone: 'good', text: 'Done' },
  partly: { tone: 'bad', text: 'Partly done' },
  cancelled: { tone: 'plain', text: 'Ended' },
  undone: { tone: 'plain', text: 'Undone' },
};

export const itemStates: Record<ChangeItem['state'], { tone: Tone; text: string }> = {
  waiting: { tone: 'info', text: 'Being prepared' },
  ready: { tone: 'good', text: 'Ready' },
  'left-out': { tone: 'plain', text: 'Left out' },
  same: { tone: 'plain', text: 'Nothing to change' },
  barred: { tone: 'warn', text: 'Not possible' },
  queued: { tone: 'info', text: 'Waits' },
  applying: { tone: 'info', text: 'Being applied' },
  done: { tone: 'good', text: 'Done' },
  failed: { tone: 'bad', text: 'Failed' },
  moved: { tone: 'warn', text: 'Look again' },
  cancelled: { tone: 'plain', text: 'Not done' },
};

export const domainsText = (count: number) => (count === 1 ? '1 domain' : `${countText(count)} domains`);

/** Of those that are to be changed: how many have come to an end. */
export function progressOf({ state, counts }: Pick<Change, 'state' | 'counts'>): {
  done: number;
  of: number;
} {
  if (state === 'draft') return { done: counts.total - counts.waiting, of: counts.total };
  const ended = counts.done + counts.failed + counts.moved;
  return { done: ended, of: ended + counts.queued + counts.applying };
}

/** "3 of 12 domains": how far it is, and of one that has ended, how many of them it has changed. */
export function shareText({ state, counts }: Pick<Change, 'state' | 'counts'>): string {
  const { done, of } = progressOf({ state, counts });
  const changed = isUnderWay(state) || state === 'paused' ? done : counts.done;
  return `${countText(changed)} of ${domainsText(of + counts.cancelled)}`;
}

/** Which step is the present one. Where a change is made, domains are chosen and it is described on one screen. */
export function presentStep(change: Pick<Change, 'state'> | null): number {
  if (!change) return 0;
  return { draft: 2, ready: 2, running: 3, paused: 3, partly: 3, done: 4, cancelled: 4, undone: 5 }[
    change.state
  ];
}

type Taken = Pick<Change, 'state' | 'undoneBy' | 'leftByUndo'>;

/** Whether "Undo" is offered: again where an earlier one has left domains as they were. */
export function offersUndo({ state, counts, undoneBy, leftByUndo }: Taken & Pick<Change, 'counts'>): boolean {
  if (!mayAct(state, 'undo') || counts.done === 0 || counts.applying > 0) return false;
  return undoneBy === null || (leftByUndo ?? 0) > 0;
}

/** What took it back, before and after the link to that. */
export function undoTexts({ state, leftByUndo }: Pick<Taken, 'state' | 'leftByUndo'>): [string, string] {
  if (leftByUndo) {
    const left = `${domainsText(leftByUndo)} still ${leftByUndo === 1 ? 'has' : 'have'} it.`;
    return ['This change was undone in part by ', `: ${left}`];
  }
  const ended = state === 'undone' || leftByUndo === 0;
  return [ended ? 'This change was undone by ' : 'This change is to be undone by ', '.'];
}

type Figures = Pick<Change, 'state' | 'counts'>;

/** Whether something of it happens without a person. What is being sent comes to its end even when nothing more begins. */
export const isMoving = ({ state, counts }: Figures) => isUnderWay(state) || counts.applying > 0;

/** Whether domains may be other than when `before` was seen. What failed, or was ended, may have been changed all the same. */
export function mayHaveChanged(before: Figures, now: Figures & Pick<Change, 'startedAt'>): boolean {
  const { done, applying } = before.counts;
  const same = now.state === before.state && now.counts.done === done && now.counts.applying === applying;
  return now.startedAt !== null && !same;
}

/** "3 of 12", of those that are listed. `counted`: how many those are when more of them can be shown; null: nobody knows. */
export function placeText(
  place: number,
  list: { loaded: number; more: boolean; counted: number | null },
): string {
  const { loaded, more, counted } = list;
  if (!more) return `${place} of ${countText(loaded)}`;
  return counted === null
    ? `${place} of more than ${countText(loaded)}`
    : `${place} of ${countText(counted)}`;
}

export function differenceText({
  difference,
  settings,
}: Pick<ChangeItem, 'difference' | 'settings'>): string {
  if (!difference && !settings) return '–';
  const count = difference
    ? difference.added + difference.changed + difference.removed
    : (settings?.length ?? 0);
  return count === 1 ? '1 change' : `${count} changes`;
}

/** Where the ticket of a change can be found later. Settings have no history of their own as zones have. */
export function ticketText(isOfSettings: boolean): string {
  const beside = isOfSettings ? 'in the audit log' : 'in the history of each zone that it changes';
  return `Optional. Kept with the change and ${beside}.`;
}

/** How a change is carried out. */
export function howText(isOfSettings: boolean): string {
  if (isOfSettings) {
    return 'Several domains at a time, each as it is set on its own screen, and free of charge. What somebody else changes in between is shown again and never overwritten. What fails is listed and can be tried again. The whole change can be undone as one, where nobody has changed the same later.';
  }
  return 'Several zones at a time, each as its own version. What fails is listed and can be tried again; no zone is left half done. The whole change can be undone as one, where no later edit touched the same records.';
}
