import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';
import type { CallBody } from '../../lib/operations.ts';
import { useSession } from '../../lib/session.tsx';

const keys = { balance: ['account', 'balance'] as const, account: ['account', 'account'] as const };

export function useBalance() {
  const session = useSession();
  return useQuery({
    queryKey: keys.balance,
    queryFn: ({ signal }) => call('GET /account/balancev2', { signal }),
    enabled: session.status === 'signed-in',
    staleTime: 0,
  });
}

export function useAccount() {
  return useQuery({ queryKey: keys.account, queryFn: ({ signal }) => call('GET /account', { signal }) });
}

/** Starts a top-up of so many dollars. */
export function useStartTopUp() {
  return useMutation({
    mutationFn: (input: { amount: number; key: string }) =>
      call('POST /account/topupv2', { body: { amount: input.amount }, idempotencyKey: input.key }),
  });
}

/** The top-up as the payment provider has it now. */
export const readTopUp = (id: string) => call('GET /account/topup/:id', { params: { id } });

/** P2 §9: at most ten looks until the total changes. */
const polls = 10;
const pollPauseMs = 1_500;

/** Looks at the balance until it differs; false when it never did. */
export function usePollBalance() {
  const client = useQueryClient();
  return async (beforeCents: number): Promise<boolean> => {
    for (let look = 0; look < polls; look += 1) {
      const balance = await call('GET /account/balancev2');
      client.setQueryData(keys.balance, balance);
      if (balance.balance !== beforeCents) {
        await client.invalidateQueries({ queryKey: ['account'] });
        await client.invalidateQueries({ queryKey: ['profile'] });
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, pollPauseMs));
    }
    await client.invalidateQueries({ queryKey: ['profile'] });
    return false;
  };
}

export function useSetAutoBalance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /account/auto-balance'>) =>
      call('POST /account/auto-balance', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['account'] }),
  });
}
