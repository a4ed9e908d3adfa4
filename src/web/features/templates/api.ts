import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { mostChangeItems } from '#contracts/values/changes.ts';
import { call } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';

/** As the zone editor's list of templates has them. */
const all = ['dns', 'templates'] as const;
/** While jobs look at the zones. */
const watchMs = 2_000;

export function useTemplateList() {
  return useQuery({
    queryKey: all,
    queryFn: ({ signal }) => call('GET /dns/templates', { signal }),
    staleTime: 0,
  });
}

type UseFilter = Pick<NonNullable<CallInput<'GET /dns/templates/:id/uses'>['query']>, 'state'>;

/** Where a template is in use; asked again while zones are still being looked at. */
export function useUses(id: string, filter: UseFilter) {
  return useInfiniteQuery({
    queryKey: [...all, id, 'uses', filter],
    queryFn: ({ signal, pageParam }) =>
      call('GET /dns/templates/:id/uses', {
        params: { id },
        query: { ...filter, limit: 100, after: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ uses, more }) => (more ? uses.at(-1)?.domain : undefined),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ uses }) => uses.some((use) => use.state === 'unread')) ? watchMs : false,
  });
}

/** All domains with drift, or with an earlier version, as many as one change may have: what is brought back or rolled out. */
export async function namesOf(id: string, filter: UseFilter): Promise<string[]> {
  const query = { ...filter, limit: mostChangeItems };
  const { uses } = await call('GET /dns/templates/:id/uses', { params: { id }, query });
  return uses.map(({ domain }) => domain);
}

/** After each write, also one that was refused: somebody else may have changed it, and what is shown is old then. */
function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: all });
}

export function useSaveOwn(id: string | null) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ version, ...body }: CallBody<'PUT /dns/templates/:id'>) =>
      id === null
        ? call('POST /dns/templates', { body })
        : call('PUT /dns/templates/:id', { params: { id }, body: { ...body, version } }),
    onSettled: refresh,
  });
}

export function useCheck(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => call('POST /dns/templates/:id/check', { params: { id } }),
    onSettled: refresh,
  });
}

export function useAccept(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: CallBody<'POST /dns/templates/:id/accept'>) =>
      call('POST /dns/templates/:id/accept', { params: { id }, body }),
    onSettled: refresh,
  });
}

export function useForget(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (domain: string) =>
      call('POST /dns/templates/:id/forget', { params: { id }, body: { domains: [domain] } }),
    onSettled: refresh,
  });
}

export function useDelete(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => call('DELETE /dns/templates/:id', { params: { id } }),
    onSettled: refresh,
  });
}
