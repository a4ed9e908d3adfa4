import type { AttentionItem } from '#contracts/operations/attention.ts';
import { shortDayText } from '#contracts/values/format.ts';

/**
 * Whose an entry becomes: the person's, from nobody or from a colleague. Who has it hands it back. What a colleague has taken over since
 * the list was read stays theirs.
 */
export function ownerAct({ id, owner }: Pick<AttentionItem, 'id' | 'owner'>, userId: string) {
  const shownOwnerId = owner?.userId ?? null;
  if (shownOwnerId === userId) return { label: 'Hand back', body: { id, ownerId: null, shownOwnerId } };
  const label = owner ? `Take over from ${owner.name}` : 'Take over';
  return { label, body: { id, ownerId: userId, shownOwnerId } };
}

/** Ends the putting off of an entry; null where it is not put off. */
export function showAgainAct({ id, snoozedUntil }: Pick<AttentionItem, 'id' | 'snoozedUntil'>) {
  if (snoozedUntil === null) return null;
  const label = `Show again now, not on ${shortDayText(new Date(snoozedUntil))}`;
  return { label, body: { id, snoozedUntil: null } };
}
