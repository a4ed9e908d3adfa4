import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { type NotChanged, notChangedOf } from './put-off.ts';

export type AttentionFilter = Omit<NonNullable<CallInput<'GET /attention'>['query']>, 'after' | 'limit'>;

const keys = {
  all: ['attention'] as const,
  digest: ['attention-digest'] as const,
};
/** What is done elsewhere closes items: the list is read again whenever it is shown, and each minute. */
const fresh = { staleTime: 0, refetchInterval: 60_000 };

/** The list, page by page, the most pressing first. */
export function useAttention(filter: AttentionFilter, limit = 50) {
  const list = useInfiniteQuery({
    queryKey: [...keys.all, 'list', filter, limit],
    queryFn: ({ signal, pageParam }) =>
      call('GET /attention', { query: { ...filter, limit, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ items, more }) => (more ? items.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
    ...fresh,
  });
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = list;
  return {
    items: data?.pages.flatMap(({ items }) => items),
    ...{ error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage },
  };
}

export function useAttentionCounts(customerId?: string) {
  return useQuery({
    queryKey: [...keys.all, 'counts', customerId],
    queryFn: ({ signal }) => call('GET /attention/counts', { query: { customerId }, signal, isAside: true }),
    placeholderData: keepPreviousData,
    ...fresh,
  });
}

/** Takes an item over or puts it off. `onWorse`: with the item that was not put off, because it is worse by now; null once one was. */
export function useChangeAttention(onKept: (kept: NotChanged | null) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: CallBody<'PATCH /attention/:id'> & { id: string }) =>
      call('PATCH /attention/:id', { params: { id }, body }),
    // Not of the call: the list is read again before the call ends, and its entry may be gone from it.
    onSuccess: () => onKept(null),
    onError: (error) => onKept(notChangedOf(error)),
    onSettled: () =>
      Promise.all(
        [keys.all, ['overview'] as const].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}

export function useDigest() {
  return useQuery({
    queryKey: keys.digest,
    queryFn: ({ signal }) => call('GET /attention/digest', { signal, isAside: true }),
  });
}

export function useSetDigest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (daily: boolean) => call('PUT /attention/digest', { body: { daily } }),
    onSuccess: (data) => client.setQueryData(keys.digest, data),
    // Without an answer it may be set.
    onError: () => void client.invalidateQueries({ queryKey: keys.digest }),
  });
}
