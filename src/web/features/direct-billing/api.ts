import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, callPage, callPublic } from '../../lib/api-client.ts';
import type { CallInput } from '../../lib/operations.ts';
import { usePage } from '../../lib/use-page.ts';

const keys = { all: ['direct-charges'] as const };

export type DirectChargeQuery = NonNullable<CallInput<'GET /direct-charge'>['query']>;

export function useDirectCharges(query: DirectChargeQuery) {
  return usePage(keys.all, query, (wanted, signal) =>
    callPage('GET /direct-charge', { query: wanted, signal }),
  );
}

export function useRetryCharge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('POST /direct-charge/:id/retry', { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

export function useSettleCharge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, note }: { id: string; note: string }) =>
      call('POST /direct-charge/:id/settle', { params: { id }, body: { note } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

/** What a mailed setup link is for; asks the provider whether a method is stored. */
export function usePaymentSetup(token: string) {
  return useQuery({
    queryKey: ['payment-setup', token],
    queryFn: () => callPublic('GET /payment-setup/:token', { params: { token } }),
    staleTime: 0,
  });
}

/** Opens the provider's page for storing a method; its address is made on click. */
export function useOpenPaymentSetup() {
  return useMutation({
    mutationFn: async (token: string) => {
      const { url } = await callPublic('POST /payment-setup/:token', { params: { token } });
      window.location.assign(url);
      await new Promise(() => undefined);
    },
  });
}
