import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { TransferStatusReply } from '#contracts/operations/transfers.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import { readAgain } from '../../lib/read-again.ts';
import { domainKeys } from './api.ts';

export function useCheckTransfer() {
  return useMutation({
    mutationFn: (domain: string) => call('POST /domain/transfer/check', { body: { domain } }),
  });
}

/** While the transfer runs, the registrar is polled and the screen shows its current state. */
const lookEveryMs = 15_000;
/** A transfer that is through is still followed until its nameservers have been compared. */
const compareEveryMs = 3_000;

export function useTransfer(domain: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ['transfers', domain],
    queryFn: async ({ signal }) => {
      const transfer = await call('GET /domain/transfer/:domain', { params: { domain }, signal });
      // What is known of the domain from before is no longer so.
      if (transfer.state !== 'running') await readAgain(client, domainKeys.all, ['overview']);
      return transfer;
    },
    staleTime: 0,
    refetchInterval: (query) => lookAgainMs(query.state.data),
    retry: (failures, error) => failures < 2 && error instanceof ApiError && error.retryable,
  });
}

function lookAgainMs(transfer: TransferStatusReply | undefined): number | false {
  if (transfer?.state === 'running') return lookEveryMs;
  const { before, kept } = transfer?.nameservers ?? {};
  return transfer?.state === 'completed' && before?.length && kept === null ? compareEveryMs : false;
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
    onSettled: () => readAgain(client, domainKeys.all, ['transfers'], ['moves'], ['overview'], ['attention']),
  });
}
