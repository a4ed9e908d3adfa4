import { type AttentionItem, attentionItem } from '#contracts/operations/attention.ts';
import { dayMs } from '#contracts/values/time.ts';
import { ApiError } from '../../lib/api-error.ts';

/** What is sent to put an entry off as the person sees it: one that is worse by now is not put off unseen. */
export function putOffBody({ id, version }: Pick<AttentionItem, 'id' | 'version'>, days: number, now: Date) {
  return { id, version, snoozedUntil: new Date(now.getTime() + days * dayMs).toISOString() };
}

/** An entry as it is now, and why that kept it from being changed. */
export interface NotChanged {
  item: AttentionItem;
  text: string;
}

export function notChangedOf(error: Error | null): NotChanged | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  const item = attentionItem.safeParse(error.data).data;
  return item ? { item, text: error.message } : null;
}
