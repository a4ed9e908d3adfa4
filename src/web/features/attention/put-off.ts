import { type AttentionItem, attentionItem } from '#contracts/operations/attention.ts';
import { dayMs } from '#contracts/values/time.ts';
import { ApiError } from '../../lib/api-error.ts';

/** What is sent to put an entry off as the person sees it: one that is worse by now is not put off unseen. */
export function putOffBody({ id, version }: Pick<AttentionItem, 'id' | 'version'>, days: number, now: Date) {
  return { id, version, snoozedUntil: new Date(now.getTime() + days * dayMs).toISOString() };
}

/** The entry as it is now, where that is why nothing was changed. */
export function presentOf(error: Error | null): AttentionItem | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  return attentionItem.safeParse(error.data).data ?? null;
}
