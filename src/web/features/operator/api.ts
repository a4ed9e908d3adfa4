import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueueEntry } from '#contracts/operations/operator.ts';
import { callWithKey } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody } from '../../lib/operations.ts';
import { readAgain } from '../../lib/read-again.ts';
import { useOperatorKey } from './key-context.ts';

const keys = {
  queue: ['operator', 'queue'] as const,
  reconciliation: ['operator', 'reconciliation'] as const,
  prices: ['operator', 'prices'] as const,
  registrar: ['operator', 'registrar'] as const,
  me: ['operator', 'me'] as const,
  corrections: ['operator', 'corrections'] as const,
  acts: ['operator', 'acts'] as const,
  recovery: ['operator', 'recovery'] as const,
  organization: (id: string | null) => ['operator', 'organizations', id] as const,
  customers: (id: string, search: string) => ['operator', 'organizations', id, 'customers', search] as const,
};
/** What waits for a person changes by the minute. */
const lookEveryMs = 60_000;
/** A comparison that was just asked for shows when it has run. */
const followEveryMs = 2_000;
/** Of an organization's customers, as many are offered at once. */
export const mostCustomers = 50;

/** Whatever came of an act, it is written down with that. What it was about may be otherwise by now. */
const acted = (client: QueryClient, ...changed: readonly (readonly string[])[]) => ({
  onSettled: () => readAgain(client, keys.acts, ...changed),
});

export function useQueue() {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.queue,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/queue', { signal }),
    refetchInterval: lookEveryMs,
  });
}

export function useRegistrarAccount() {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.registrar,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/registrar', { signal }),
    refetchInterval: lookEveryMs,
  });
}

export function useRetry() {
  const { key } = useOperatorKey();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ kind, id }: Pick<QueueEntry, 'kind' | 'id'>) =>
      callWithKey(key, 'POST /operator/queue/:kind/:id/retry', { params: { kind, id } }),
    // An order that has come to its end is not to be paid any more.
    ...acted(client, keys.queue, keys.registrar),
  });
}

/** Of a domain that the registrar does not have any more. */
export function useEndDomain() {
  const { key } = useOperatorKey();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) =>
      callWithKey(key, 'POST /operator/domains/:id/end', { params: { id }, body: { reason } }),
    ...acted(client, keys.queue),
  });
}

/** Null: it is not known yet which. */
export function useOrganization(id: string | null) {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.organization(id),
    queryFn: ({ signal }) =>
      callWithKey(key, 'GET /operator/organizations/:id', { params: { id: id ?? '' }, signal }),
    enabled: id !== null,
  });
}

/** The first of an organization's customers, by name, of those whose name has this in it. Until they are there, those before them. */
export function useOrganizationCustomers(id: string, search: string, enabled: boolean) {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.customers(id, search),
    queryFn: ({ signal }) =>
      callWithKey(key, 'GET /operator/organizations/:id/customers', {
        params: { id },
        query: { search, page: 1, pageSize: mostCustomers },
        signal,
      }),
    enabled,
    placeholderData: keepPreviousData,
  });
}

/** Of a domain that the registrar has and nobody lists. Both lists that name it name it no more. */
export function useGiveDomain() {
  const { key } = useOperatorKey();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /operator/domains'>) =>
      callWithKey(key, 'POST /operator/domains', { body }),
    ...acted(client, keys.recovery, keys.reconciliation),
  });
}

/** `following`: one was asked for and has not been seen yet. */
export function useReconciliation(following: boolean) {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.reconciliation,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/reconciliation', { signal }),
    refetchInterval: following ? followEveryMs : lookEveryMs,
  });
}

export function useStartReconciliation() {
  const { key } = useOperatorKey();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callWithKey(key, 'POST /operator/reconciliation'),
    ...acted(client),
  });
}

/** While everything is held, how far it is; otherwise whether one has begun. */
export function useRecovery() {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.recovery,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/recovery', { signal }),
    refetchInterval: ({ state }) => (state.data?.recovery?.state === 'running' ? followEveryMs : lookEveryMs),
  });
}

export function useSettleFinding() {
  const { key } = useOperatorKey();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) =>
      callWithKey(key, 'POST /operator/recovery/findings/:id/settle', { params: { id }, body: { reason } }),
    ...acted(client, keys.recovery),
  });
}

export function usePrices() {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.prices,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/prices', { signal }),
  });
}

export function useSetPrices() {
  const { key } = useOperatorKey();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /operator/prices'>) =>
      callWithKey(key, 'POST /operator/prices', { body }),
    ...acted(client, keys.prices),
  });
}

/** Whose key it is. */
export function useMe() {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.me,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/me', { signal }),
  });
}

export function useCorrections() {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.corrections,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/corrections', { signal }),
    refetchInterval: lookEveryMs,
  });
}

export type Verdict = 'confirm' | 'decline' | 'withdraw';

export function useDecideCorrection() {
  const { key } = useOperatorKey();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, verdict }: { id: string; verdict: Verdict }) =>
      callWithKey(key, `POST /operator/corrections/:id/${verdict}` as const, { params: { id } }),
    ...acted(client, keys.corrections),
  });
}

export function useActs() {
  const { key } = useOperatorKey();
  return useQuery({
    queryKey: keys.acts,
    queryFn: ({ signal }) => callWithKey(key, 'GET /operator/acts', { signal }),
    refetchInterval: lookEveryMs,
  });
}
