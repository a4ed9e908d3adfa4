import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { closingReasons } from '#contracts/values/closing.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { keepText, readText } from '../../lib/storage.ts';
import { forgetOrganization } from '../../lib/tab-owner.ts';

const inUse = z.object({
  reasons: z.array(z.object({ reason: z.enum(closingReasons), count: z.number() })).min(1),
  topUpIds: z.array(z.string()),
});

/** What stands against closing, by the refusal; null for every other failure. */
export function reasonsOf(error: Error | null): z.output<typeof inUse> | null {
  if (!(error instanceof ApiError) || error.code !== 'organization_in_use') return null;
  return inUse.safeParse(error.data).data ?? null;
}

const closed = 'organization-closed';

/** The name of the organization that was closed here: the screen that follows is a beginner's, and says that it worked. Null forgets it. */
export const keepClosed = (organization: string | null) => keepText('session', closed, organization);
export const closedHere = () => readText('session', closed);

/**
 * Closes the organization. Nothing that was read of it is shown any more. `leave` comes before the profile is known to be
 * gone, because then the guard leads everybody else to the onboarding.
 */
export function useCloseOrganization(organization: string | undefined, leave: () => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      try {
        await call('DELETE /user/organization');
      } catch (error) {
        // An answer was lost on the way, and this is the second press.
        if (!(error instanceof ApiError && error.code === 'no_profile')) throw error;
      }
    },
    onSuccess: async () => {
      forgetOrganization();
      keepClosed(organization ?? null);
      await leave();
      await client.invalidateQueries({ queryKey: ['profile'] });
      client.removeQueries({ predicate: ({ queryKey: [of, what] }) => of !== 'profile' && what !== 'check' });
    },
  });
}

/** Gives up top-ups that were begun and not paid. What has been paid meanwhile stays, and the replies say so. */
export function useCancelTopUps() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      const replies: { charged: boolean }[] = [];
      for (const id of ids) replies.push(await call('POST /account/topup/:id/cancel', { params: { id } }));
      return replies;
    },
    // Also after a failure: the first of them may have been paid before it.
    onSettled: () => readAgain(client, ['account'], ['profile'], ...waitsForPeople),
  });
}

export const cancelledText = (replies: readonly { charged: boolean }[]): string =>
  replies.some(({ charged }) => charged)
    ? 'A top-up was paid meanwhile. It is in the balance.'
    : 'Unpaid top-ups were cancelled.';
