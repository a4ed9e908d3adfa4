import type { DirectCharge } from '#contracts/operations/direct-billing.ts';

const pauseMs = 1_000;

type Tried = Pick<DirectCharge, 'state' | 'attempts' | 'error'>;

/**
 * The portal tries a charge right after it has said that it will: looks until that try has ended. Null: nothing is known of its end, because
 * it takes longer than `until`, or the portal cannot be reached.
 */
export async function endOfTry<Seen extends Tried>(
  before: Tried,
  look: () => Promise<Seen | undefined>,
  { until, pause }: { until: AbortSignal; pause: (ms: number) => Promise<unknown> },
): Promise<Seen | null> {
  while (!until.aborted) {
    // The try goes on without anybody who looks.
    const now = await look().catch(() => undefined);
    if (now && hasEnded(before, now)) return now;
    await pause(pauseMs);
  }
  return null;
}

/** What is read may be older than the answer: there, the charge is as it was before the try. */
function hasEnded(before: Tried, { state, attempts }: Tried): boolean {
  if (state === 'failed') return attempts > before.attempts;
  return state !== 'sending' && state !== 'collecting';
}

/** Why a person who has charged again is not done; null: it was paid, or is on its way to be. */
export function notPaidText(ended: Pick<Tried, 'state' | 'error'> | null): string | null {
  if (!ended) return 'The result is not known yet. Close this and look at the list before you try again.';
  if (ended.state === 'waived') return 'Somebody settled this charge in the meantime. It was not charged.';
  return ended.state === 'failed' ? `The charge failed. ${ended.error ?? ''}`.trim() : null;
}
