import { useQuery } from '@tanstack/react-query';
import { call, callPage } from '../../lib/api-client.ts';
import type { CallInput } from '../../lib/operations.ts';
import { usePage } from '../../lib/use-page.ts';

/** P1 §1: look-up results are never cached. */
export function useLookup(address: string | null) {
  return useQuery({
    queryKey: ['domains', 'lookup', address],
    queryFn: ({ signal }) =>
      call('GET /domain/lookup/:address', { params: { address: address ?? '' }, signal }),
    enabled: address !== null && address !== '',
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
}

export function useDomains(query: NonNullable<CallInput<'GET /domain'>['query']>) {
  return usePage(['domains', 'list'], query, (wanted, signal) =>
    callPage('GET /domain', { query: wanted, signal }),
  );
}
