import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import { call, callPage } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { changedByOrders, readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { useRequestKey } from '../../lib/request-key.ts';
import { usePage } from '../../lib/use-page.ts';

export const domainKeys = {
  all: ['domains'] as const,
  list: ['domains', 'list'] as const,
  one: (domain: string) => ['domains', 'one', domain] as const,
};

/** P1 §1: look-up results are never cached. */
export function useLookup(address: string | null) {
  const params = { address: address ?? '' };
  const fresh = { enabled: address !== null && address !== '', gcTime: 0, staleTime: 0, retry: false };
  // The name is known sooner than names like it, and does not wait for them.
  const name = useQuery({
    queryKey: ['domains', 'lookup', address],
    queryFn: ({ signal }) =>
      call('GET /domain/lookup/:address', { params, query: { suggestions: 'none' }, signal }),
    ...fresh,
  });
  const like = useQuery({
    queryKey: ['domains', 'suggestions', address],
    queryFn: ({ signal }) => call('GET /domain/suggestions/:address', { params, signal }),
    ...fresh,
  });
  const suggestions = like.data ?? [];
  return {
    data: name.data && { ...name.data, suggestions },
    error: name.error,
    isError: name.isError,
    isFetching: name.isFetching,
    /** Names like it are still being asked for. */
    suggesting: like.isFetching,
    refetch: () => Promise.all([name.refetch(), like.refetch()]),
  };
}

export function useDomains(query: NonNullable<CallInput<'GET /domain'>['query']>) {
  return usePage(domainKeys.list, query, (wanted, signal) =>
    callPage('GET /domain', { query: wanted, signal }),
  );
}

/** The first domain of a customer, as an example; asked for only where one is wanted. */
export function useDomainOf(customerId: string, enabled: boolean) {
  const query = { customerId, sort: 'address' as const, page: 1, pageSize: 1 };
  const first = useQuery({
    queryKey: [...domainKeys.list, query],
    queryFn: ({ signal }) => callPage('GET /domain', { query, signal }),
    enabled,
  });
  return first.data?.rows[0]?.address;
}

/** As many rows as one reply may hold. */
const longestPage = 200;

/** Every domain that fits the filters, whatever page it is on. */
export function useAllDomains() {
  return useMutation({
    mutationFn: async (query: NonNullable<CallInput<'GET /domain'>['query']>) => {
      const read = (page: number) =>
        callPage('GET /domain', { query: { ...query, page, pageSize: longestPage } });
      const first = await read(1);
      const pages = Math.ceil(first.meta.total / longestPage);
      const others = await Promise.all(Array.from({ length: pages - 1 }, (_, index) => read(index + 2)));
      return [first, ...others].flatMap(({ rows }) => rows);
    },
  });
}

/** How many names there are of each kind that the list filters by. */
export function useDomainFigures() {
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => call('GET /overview', { signal, isAside: true }),
  });
  // undefined while they are on their way.
  return overview.data?.domains ?? (overview.isPending ? undefined : null);
}

/** The portal's own copy at once, then what the registrar says. */
export function useDomainDetails(domain: string) {
  const read = (type: 'none' | 'all_info') => ({
    queryKey: [...domainKeys.one(domain), type],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      call('GET /domain/details/:domain', { params: { domain }, query: { type }, signal }),
  });
  const copy = useQuery(read('none'));
  const live = useQuery(read('all_info'));
  return {
    data: live.data ?? copy.data,
    /** The registrar is being asked; what is shown may change. */
    asking: live.isFetching,
    error: live.data || copy.data ? null : (copy.error ?? live.error),
    refetch: () => Promise.all([copy.refetch(), live.refetch()]),
  };
}

/** Only of an unlocked domain, and only after a fresh sign-in; null where there is none. */
export function useAuthPassword(domain: string, enabled: boolean) {
  return useQuery({
    queryKey: [...domainKeys.one(domain), 'auth'],
    queryFn: async ({ signal }) => {
      const query = { type: 'domain_auth_info' as const };
      const details = await call('GET /domain/details/:domain', { params: { domain }, query, signal });
      return details.domain_auth_info;
    },
    enabled,
    retry: false,
    // A secret is not kept for a second look.
    gcTime: 0,
  });
}

/** A customer's page lists its domains, too. */
const changedBySettings = [domainKeys.all, ['customers', 'one'], ['dns'], ['account', 'renewals']];

/** Whatever came of it, the registrar's word is read again before the button is free. */
function settled(client: QueryClient) {
  return {
    onSettled: () =>
      // Not the balance: no setting changes it.
      readAgain(client, ...changedBySettings, ...waitsForPeople),
  };
}

export function useSetLock() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ domain, locked }: { domain: string; locked: boolean }) =>
      locked
        ? call('POST /domain/lock_domain', { body: { domain } })
        : call('POST /domain/unlock_domain', { body: { domain } }),
    ...settled(client),
  });
}

export function useSetAutoRenew() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /domain/auto_renew'>) => call('POST /domain/auto_renew', { body }),
    ...settled(client),
  });
}

export function useSetPrivacy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /domain/privacy'>) => call('POST /domain/privacy', { body }),
    ...settled(client),
  });
}

export function useResendVerification() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /domain/resend_verification'>) =>
      call('POST /domain/resend_verification', { body }),
    ...settled(client),
  });
}

/** What having a deleted domain back costs; an error where its suffix has no such thing. */
export function useRestorationPrice(domain: string, enabled: boolean) {
  const body = [{ address: domain, period: 1, kind: 'redemption' as const }];
  return useQuery({
    queryKey: ['cart', 'prices', body],
    queryFn: () => call('POST /cart/prices', { body }),
    select: ([line]) => line?.price ?? null,
    enabled,
    retry: false,
  });
}

/** Has a deleted domain back. Without an answer the next try carries the same key: it is the same order. */
export function useRestore(domain: string) {
  const client = useQueryClient();
  const key = useRequestKey<string>();
  return useMutation({
    mutationFn: (price: number) =>
      // Of the domain alone: a price that changed makes no second restoration of it.
      key.send(domain, (idempotencyKey) =>
        call('POST /domain/restore', { body: { domain, price }, idempotencyKey }),
      ),
    onSettled: () => readAgain(client, ...changedByOrders),
  });
}

/** DS records at the registry; the registrar is asked, so only where they matter. */
export function useDnssec(domain: string, enabled: boolean) {
  return useQuery({
    queryKey: ['dns', 'dnssec', domain],
    queryFn: ({ signal }) => call('GET /:domain/dnssec', { params: { domain }, signal }),
    enabled,
  });
}

export function useRemoveDnssec(domain: string) {
  const client = useQueryClient();
  return useMutation<SettingResult, Error, void>({
    mutationFn: () => call('DELETE /:domain/dnssec', { params: { domain } }),
    ...settled(client),
  });
}

export function useForceNameservers(domain: string) {
  const client = useQueryClient();
  return useMutation<SettingResult, Error, CallBody<'POST /:domain/zone/force_dns_nameservers'>>({
    mutationFn: (body) => call('POST /:domain/zone/force_dns_nameservers', { params: { domain }, body }),
    ...settled(client),
  });
}

export function useSetNameservers(domain: string) {
  const client = useQueryClient();
  return useMutation<SettingResult, Error, CallBody<'POST /:domain/nameserver/update_nameservers'>>({
    mutationFn: (body) => call('POST /:domain/nameserver/update_nameservers', { params: { domain }, body }),
    ...settled(client),
  });
}

export function useSetContacts(domain: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'PUT /:domain/contacts'>) =>
      call('PUT /:domain/contacts', { params: { domain }, body }),
    ...settled(client),
  });
}
