import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Balance } from '#contracts/operations/billing.ts';
import { call } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { useRequestKey } from '../../lib/request-key.ts';
import { useSession } from '../../lib/session.tsx';
import { type BalanceChange, untilItChanges } from './polling.ts';

const keys = { balance: ['account', 'balance'] as const, account: ['account', 'account'] as const };

export function useBalance() {
  const session = useSession();
  return useQuery({
    queryKey: keys.balance,
    queryFn: ({ signal }) => call('GET /account/balancev2', { signal, isAside: true }),
    enabled: session.status === 'signed-in',
    staleTime: 0,
  });
}

export function useAccount() {
  return useQuery({ queryKey: keys.account, queryFn: ({ signal }) => call('GET /account', { signal }) });
}

/** Starts a top-up of so many dollars. Without an answer the next try carries the same key: it is the same top-up. */
export function useStartTopUp() {
  const key = useRequestKey<number>();
  return useMutation({
    mutationFn: (amount: number) =>
      key.send(amount, (idempotencyKey) =>
        call('POST /account/topupv2', { body: { amount }, idempotencyKey }),
      ),
  });
}

/** Gives the top-up up, unless it was charged; what it is at the payment provider after that. */
export const cancelTopUp = (id: string) => call('POST /account/topup/:id/cancel', { params: { id } });

/** Looks at the balance until the total differs. */
export function usePollBalance() {
  const client = useQueryClient();
  return async (before: Pick<Balance, 'balance' | 'pendingBalance'> | null): Promise<BalanceChange> => {
    const change = await untilItChanges(
      before,
      async () => {
        const now = await call('GET /account/balancev2');
        client.setQueryData(keys.balance, now);
        return now;
      },
      (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    );
    // The money that was missing for a renewal may be there now.
    await readAgain(client, ['account'], ...waitsForPeople);
    await readAgain(client, ['profile']);
    return change;
  };
}

export function useSetAutoBalance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /account/auto-balance'>) =>
      call('POST /account/auto-balance', { body }),
    // Without an answer it may be so all the same.
    onSettled: () => client.invalidateQueries({ queryKey: ['account'] }),
  });
}
