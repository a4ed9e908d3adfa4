import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { forLater } from './data-ahead.ts';
import type { Paged } from './operations.ts';
import { whenIdle } from './when-idle.ts';

interface PageRequest {
  page?: string | number | undefined;
  pageSize?: string | number | undefined;
}

/**
 * One page of a list that the server pages. While another page comes the last one stays, and the next one is asked for
 * ahead, so that turning pages feels instant.
 */
export function usePage<Q extends PageRequest, T>(
  key: readonly unknown[],
  query: Q,
  read: (query: Q, signal: AbortSignal) => Promise<Paged<T[]>>,
  options: { staleTime?: number } = {},
) {
  const client = useQueryClient();
  const optionsOf = (wanted: Q) => ({
    queryKey: [...key, wanted],
    queryFn: ({ signal }: { signal: AbortSignal }) => read(wanted, signal),
    ...options,
  });
  const result = useQuery({ ...optionsOf(query), placeholderData: keepPreviousData });
  const meta = result.isPlaceholderData ? undefined : result.data?.meta;
  const more = meta !== undefined && meta.page * meta.pageSize < meta.total;
  const next = more ? JSON.stringify({ ...query, page: meta.page + 1 }) : null;
  const askAhead = useEffectEvent((wanted: string) =>
    forLater(() => client.prefetchQuery(optionsOf(JSON.parse(wanted) as Q))),
  );
  useEffect(() => {
    return next === null ? undefined : whenIdle(() => void askAhead(next));
  }, [next]);
  return result;
}
