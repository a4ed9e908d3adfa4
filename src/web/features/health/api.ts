import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { mostChangeItems } from '#contracts/values/changes.ts';
import { joinedFix } from '#contracts/values/health-fixes.ts';
import { minuteMs } from '#contracts/values/time.ts';
import { call, callFile } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';

export type BoardFilter = Omit<NonNullable<CallInput<'GET /health'>['query']>, 'after' | 'limit'>;

const all = ['health'] as const;
/** While a look is under way. */
const watchMs = 3_000;
const soonMs = 3 * minuteMs;

/** What is wrong with a domain; asked again while a look that somebody asked for is under way. */
export function useDomainHealth(domain: string) {
  return useQuery({
    queryKey: [...all, 'domain', domain],
    queryFn: ({ signal }) => call('GET /domain/health/:domain', { params: { domain }, signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (isDue(state.data?.nextAt) ? watchMs : false),
  });
}

/** A look is due or under way: the portal plans the next one, a day ahead, with the result. */
export const isDue = (nextAt: string | null | undefined) =>
  nextAt != null && Date.parse(nextAt) <= Date.now() + soonMs;

export function useCheckHealth(domain: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /domain/health/:domain', { params: { domain } }),
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}

/** What a customer's report says. */
export function useCustomerHealth(id: string) {
  return useQuery({
    queryKey: [...all, 'customer', id],
    queryFn: ({ signal }) => call('GET /customer/:id/health', { params: { id }, signal }),
    staleTime: 0,
  });
}

/** A customer's report as a file. */
export function useHealthReport() {
  return useMutation({
    mutationFn: async (id: string) =>
      saveFile(await callFile('GET /customer/:id/health-report', { params: { id }, timeoutMs: 60_000 })),
  });
}

export function useMuteFinding() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: CallBody<'PUT /health/:id/mute'> & { id: string }) =>
      call('PUT /health/:id/mute', { params: { id }, body }),
    onSettled: () => readAgain(client, all, ...waitsForPeople),
  });
}

/**
 * What mends the findings that the filter leaves, whatever page they are on, and in which domains: as many as one change may
 * have. They are of one kind.
 */
export async function wishOfBoard(filter: BoardFilter): Promise<{ fix: object; names: string[] }> {
  const names = new Set<string>();
  let whole: { kind: string } | undefined;
  for (let after: string | undefined, more = true; more && names.size < mostChangeItems; ) {
    const page = await call('GET /health', { query: { ...filter, limit: 200, after } });
    for (const { domain, fix } of page.rows) {
      // What is held elsewhere is not ours to change.
      const joined = fix && (whole ? joinedFix(whole, fix) : fix);
      if (!joined || names.size >= mostChangeItems) continue;
      whole = joined;
      names.add(domain);
    }
    more = page.more;
    after = page.rows.at(-1)?.id;
  }
  return { fix: whole ?? {}, names: [...names] };
}

/** The open findings of all domains, page by page, with the counts of all kinds. */
export function useHealthBoard(filter: BoardFilter) {
  const board = useInfiniteQuery({
    queryKey: [...all, 'board', filter],
    queryFn: ({ signal, pageParam }) =>
      call('GET /health', { query: { ...filter, limit: 50, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ rows, more }) => (more ? rows.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = board;
  return {
    rows: data?.pages.flatMap(({ rows }) => rows),
    counts: data?.pages[0]?.counts,
    ...{ error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage },
  };
}

/** How many open findings there are about a customer's domains, and what the weightiest is. */
export function useHealthCount(customerId: string) {
  return useQuery({
    queryKey: [...all, 'count', customerId],
    queryFn: async ({ signal }) => {
      const { rows, counts } = await call('GET /health', { query: { customerId, limit: 1 }, signal });
      return { all: counts.reduce((sum, { count }) => sum + count, 0), first: rows[0]?.title ?? null };
    },
  });
}
