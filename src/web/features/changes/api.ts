import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Change } from '#contracts/operations/changes.ts';
import { isUnderWay } from '#contracts/values/changes.ts';
import { call } from '../../lib/api-client.ts';
import { follow } from '../../lib/followed-work.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';

const all = ['changes'] as const;
/** While jobs are at work. */
const watchMs = 1_000;

export function useChanges() {
  return useInfiniteQuery({
    queryKey: [...all, 'list'],
    queryFn: ({ signal, pageParam }) =>
      call('GET /changes', { query: { limit: 50, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ changes, more }) => (more ? changes.at(-1)?.id : undefined),
    staleTime: 0,
  });
}

export function useChange(id: string) {
  return useQuery({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call('GET /changes/:id', { params: { id }, signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.state) ? watchMs : false),
  });
}

export type ItemFilter = Omit<NonNullable<CallInput<'GET /changes/:id/items'>['query']>, 'after' | 'limit'>;

/** The domains of a change; asked again whenever a figure of the change moved. */
export function useChangeItems(change: Change, filter: ItemFilter) {
  const { id, state, counts } = change;
  return useInfiniteQuery({
    queryKey: [...all, 'items', id, filter, { state, counts }],
    queryFn: ({ signal, pageParam }) =>
      call('GET /changes/:id/items', {
        params: { id },
        query: { ...filter, limit: 100, after: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ items, more }) => (more ? items.at(-1)?.domain : undefined),
    placeholderData: keepPreviousData,
  });
}

export function useCreateChange() {
  const keep = useKeep();
  return useMutation({
    mutationFn: (body: CallBody<'POST /changes'>) => call('POST /changes', { body }),
    onSuccess: keep,
  });
}

/** The same, where what is sent has to be found first. */
export function useMakeChange() {
  const keep = useKeep();
  return useMutation({
    mutationFn: async (bodyOf: () => Promise<CallBody<'POST /changes'>>) =>
      call('POST /changes', { body: await bodyOf() }),
    onSuccess: keep,
  });
}

export function useDescribeChange(id: string) {
  const keep = useKeep();
  return useMutation({
    mutationFn: (body: CallBody<'PUT /changes/:id'>) => call('PUT /changes/:id', { params: { id }, body }),
    onSuccess: keep,
  });
}

export function useChooseItems(id: string) {
  const keep = useKeep();
  return useMutation({
    mutationFn: (body: CallBody<'PATCH /changes/:id/items'>) =>
      call('PATCH /changes/:id/items', { params: { id }, body }),
    onSuccess: keep,
  });
}

export type PlainAct = 'look' | 'pause' | 'resume' | 'cancel' | 'undo';

/** Acts without more to say. An undo answers with the change that undoes. */
export function useChangeAct(id: string, act: PlainAct) {
  const keep = useKeep();
  return useMutation({
    mutationFn: () => call(`POST /changes/:id/${act}`, { params: { id } }),
    onSuccess: keep,
  });
}

export function useStartChange(id: string, act: 'apply' | 'retry') {
  const keep = useKeep();
  return useMutation({
    mutationFn: (shown: CallBody<'POST /changes/:id/apply'>) =>
      call(`POST /changes/:id/${act}`, { params: { id }, body: shown }),
    onSuccess: (change) => {
      // A short one may have ended with the answer, and the person may have left its screen before.
      follow({ kind: 'change', id });
      keep(change);
    },
  });
}

export function useDiscardChange(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('DELETE /changes/:id', { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...all, 'list'] }),
  });
}

/** What was answered is on the screen at once; lists and what waits for a person follow. */
function useKeep() {
  const client = useQueryClient();
  return (change: Change) => {
    if (isUnderWay(change.state)) follow({ kind: 'change', id: change.id });
    client.setQueryData([...all, 'one', change.id], change);
    void client.invalidateQueries({ queryKey: all });
    void client.invalidateQueries({ queryKey: ['attention'] });
  };
}
