import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { call, callPage, callPublic } from '../../lib/api-client.ts';
import { isRefusal } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallInput } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { usePage } from '../../lib/use-page.ts';
import { endOfTry, notPaidText } from './retried.ts';

const keys = { all: ['direct-charges'] as const };

export type DirectChargeQuery = NonNullable<CallInput<'GET /direct-charge'>['query']>;

/** While a charge is on its way it is looked at this often. */
const lookAgainMs = 2_000;
/** A person who charges again waits for the payment provider this long. */
const awaitedMs = 20_000;

export function useDirectCharges(query: DirectChargeQuery) {
  const client = useQueryClient();
  const charges = usePage(keys.all, query, (wanted, signal) =>
    callPage('GET /direct-charge', { query: wanted, signal }),
  );
  const moving = charges.data?.rows.some(
    ({ state, nextTryAt }) =>
      state === 'collecting' || state === 'sending' || (state === 'failed' && isPast(nextTryAt)),
  );
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: keys.all }), lookAgainMs);
    return () => clearInterval(timer);
  }, [moving, client]);
  return charges;
}

const isPast = (at: string | null) => at !== null && Date.parse(at) <= Date.now();

/**
 * Refused, it was paid, or settled by somebody else; tried, it was declined again. The list is read again once the dialog that says so is closed: with its
 * charge, which may be open no more, the dialog would be gone.
 */
const changed = (client: QueryClient) => ({
  onSuccess: () => readAgain(client, keys.all, ...waitsForPeople),
  onError: () => {
    void client.invalidateQueries({ queryKey: keys.all, refetchType: 'none' });
    void readAgain(client, ...waitsForPeople);
  },
});

export function useChargesAgain() {
  const client = useQueryClient();
  return () => void readAgain(client, keys.all);
}

/** Done when the try has ended: one that was declined again is a failure, and says why. */
export function useRetryCharge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      const before = await call('POST /direct-charge/:id/retry', { params: { id } });
      const until = AbortSignal.timeout(awaitedMs);
      const look = async () => {
        const { rows } = await callPage('GET /direct-charge', { query: { chargeId: id }, signal: until });
        return rows.find(({ chargeId }) => chargeId === id);
      };
      const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const text = notPaidText(await endOfTry(before, look, { until, pause }));
      if (text !== null) throw new Error(text);
    },
    ...changed(client),
  });
}

export function useReleaseCharge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({
      chargeId,
      disputed,
      disputedAt,
    }: Pick<DirectCharge, 'chargeId' | 'disputed' | 'disputedAt'>) =>
      call('POST /direct-charge/:id/release', { params: { id: chargeId }, body: { disputed, disputedAt } }),
    ...changed(client),
    // Also what is said of the customer.
    onSuccess: () => readAgain(client, keys.all, ['customers'], ...waitsForPeople),
  });
}

export function useSettleCharge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, note }: { id: string; note: string }) =>
      call('POST /direct-charge/:id/settle', { params: { id }, body: { note } }),
    ...changed(client),
  });
}

const setupKey = ['payment-setup'];

/** What a mailed setup link is for; asks the provider whether a method is stored. */
export function usePaymentSetup(token: string) {
  return useQuery({
    queryKey: [...setupKey, token],
    queryFn: () => callPublic('GET /payment-setup/:token', { params: { token } }),
    staleTime: 0,
  });
}

/** Opens the provider's page for storing a method; its address is made on click. */
export function useOpenPaymentSetup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (token: string) => {
      const { url } = await callPublic('POST /payment-setup/:token', { params: { token } });
      window.location.assign(url);
      await new Promise(() => undefined);
    },
    // The link may have run out while the page was open.
    onError: (error) => {
      if (isRefusal(error)) void client.invalidateQueries({ queryKey: setupKey });
    },
  });
}
