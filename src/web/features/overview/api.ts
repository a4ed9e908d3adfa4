import { useQuery } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';

/** The figures of the start and of the navigation; `enabled`: there is somebody to count for. */
export function useOverview(enabled: boolean) {
  return useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => call('GET /overview', { signal, isAside: true }),
    enabled,
  });
}
