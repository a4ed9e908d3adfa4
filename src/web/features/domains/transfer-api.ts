import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { TransferStatusReply } from '#contracts/operations/transfers.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import { changedByOrders, readAgain } from '../../lib/read-again.ts';
import { domainKeys } from './api.ts';

export function useCheckTransfer() {
  return useMutation({
    mutationFn: (domain: string) => call('POST /domain/transfer/check', { body: { domain } }),
  });
}

/** While the transfer runs, the registrar is polled and the screen shows its current state. */
const lookEveryMs = 15_000;
/** A transfer that is through is still followed until its nameservers have been compared, and one that was cancelled until it has ended. */
const soonMs = 3_000;

/** `cancelled`: the registrar was asked to, and somebody waits to see it. */
export function useTransfer(domain: string, cancelled = false) {
  const client = useQueryClient();
  const queryKey = ['transfers', domain];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<TransferStatusReply>(queryKey);
      const transfer = await call('GET /domain/transfer/:domain', { params: { domain }, signal });
      await readAgain(client, ...changedByTransfer(before, transfer));
      return transfer;
    },
    staleTime: 0,
    refetchInterval: (query) => lookAgainMs(query.state.data, cancelled),
    retry: (failures, error) => failures < 2 && error instanceof ApiError && error.retryable,
  });
}

type Look = Pick<TransferStatusReply, 'state'>;

/** What a look at a transfer shows to be no longer so: once it has ended the domain, and at its end what the order has changed. */
export function changedByTransfer(before: Look | undefined, now: Look): readonly (readonly unknown[])[] {
  if (now.state === 'running') return [];
  if (before?.state === now.state) return [domainKeys.all, ['overview']];
  // Not the transfer: it is just being read.
  return changedByOrders.filter(([name]) => name !== 'transfers');
}

/** How soon a transfer may look otherwise; false: not by itself. */
export function lookAgainMs(
  transfer: Pick<TransferStatusReply, 'state' | 'nameservers'> | undefined,
  cancelled = false,
): number | false {
  if (transfer?.state === 'running') return cancelled ? soonMs : lookEveryMs;
  const { before, kept } = transfer?.nameservers ?? {};
  return transfer?.state === 'completed' && before?.length && kept === null ? soonMs : false;
}

export function useCancelTransfer(domain: string) {
  const cancel = useCancelTransferOf();
  return {
    ...cancel,
    mutate: (_: undefined, callbacks?: { onSuccess?: () => void }) => cancel.mutate(domain, callbacks),
  };
}

/** One of several. */
export function useCancelTransferOf() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (domain: string) => call('POST /domain/transfer/cancel', { body: { domain } }),
    onSettled: () => readAgain(client, ...changedByOrders),
  });
}
