import { AppError } from '#contracts/errors.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Lease } from '#kernel/leases.ts';
import { type Outcome, tooLate, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';

/**
 * A change under a lease. An answer that comes when the lease is lost is none: others may have changed the same since,
 * and what is there now has to be read (design: fences).
 */
export async function underLease<T>(
  lease: Lease,
  write: (fence: Fence) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await write(lease.fence());
  const nothingHappened = outcome.kind === 'refused' || outcome.kind === 'busy';
  if (nothingHappened || (await lease.held())) return outcome;
  return { kind: 'unknown', text: 'The answer came too late.' };
}

/**
 * What became of a change that can be read back: `applied`, or `later` with the registrar's words when it takes the
 * change up afterwards. "That exists already" is not believed: something exists, and only reading it shows whether it is
 * what was wanted. Without an answer the registrar is read again too, and the caller hears the truth: applied after all,
 * or `outcome_unknown` with what the registrar says now. Everything else is thrown as the error it is.
 */
export async function concluded<T>(
  outcome: Outcome<T>,
  readBack: () => Promise<{ applied: boolean; present: unknown }>,
): Promise<{ kind: 'applied' } | { kind: 'later'; text: string }> {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'applied' };
    case 'pending':
      return { kind: 'later', text: outcome.text };
    case 'refused':
      if (outcome.reason === 'already-done' && (await readOrUnknown(readBack)).applied)
        return { kind: 'applied' };
      throw new AppError('registrar_refused', { message: outcome.text, error: outcome.code });
    case 'busy':
      if (outcome.code === tooLate) throw new AppError('in_progress', { message: tooLateText });
      throw new AppError('upstream_unavailable', { message: busyText, error: outcome.code });
    case 'unknown': {
      const { applied, present } = await readOrUnknown(readBack);
      if (applied) return { kind: 'applied' };
      throw new AppError('outcome_unknown', { data: present });
    }
  }
}

/** Whatever keeps it from being read, and in whose words: the change was sent, and its outcome stays unknown. */
async function readOrUnknown<T>(readBack: () => Promise<T>): Promise<T> {
  try {
    return await readBack();
  } catch (error) {
    throw new AppError('outcome_unknown', { message: unreadableText, cause: error });
  }
}

const tooLateText = 'This took too long. Nothing was changed. Please try again.';
const busyText = 'The registrar is busy with another change to this domain. Please try again in a moment.';
const unreadableText =
  'The registrar did not confirm the change, and we cannot read the current state. Please check again in a moment.';

/** Reads from the registrar, in the portal's terms. */
export async function fromRegistrar<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UpstreamUnavailable) throw new AppError('upstream_unavailable', { cause: error });
    if (error instanceof UpstreamRefused) {
      throw new AppError('registrar_refused', { message: error.message, error: error.code, cause: error });
    }
    throw error;
  }
}
