import { useQuery } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';

/** What falls due, against the money there is now. */
export function useDueRenewals(days: number, enabled = true) {
  return useQuery({
    // Below the account: what changes the balance changes this.
    queryKey: ['account', 'renewals', days],
    queryFn: ({ signal }) => call('GET /renewals/due', { query: { days }, signal }),
    staleTime: 30_000,
    enabled,
  });
}
