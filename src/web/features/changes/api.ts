import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Change } from '#contracts/operations/changes.ts';
import { isUnderWay } from '#contracts/values/changes.ts';
import { call } from '../../lib/api-client.ts';
import { follow } from '../../lib/followed-work.ts';
import { sameInput, useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { useRequestKey } from '../../lib/request-key.ts';
import { isMoving, mayHaveChanged } from './change-words.ts';

const all = ['changes'] as const;
const one = (id: string) => [...all, 'one', id] as const;
const itemsOf = (id: string) => [...all, 'items', id] as const;
/** What shows domains, their zones and what follows from them, on other screens. */
const elsewhere = ['domains', 'dns', 'zones', 'customers', 'account', 'overview', 'health', 'attention'];
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
  const client = useQueryClient();
  return useQuery({
    queryKey: one(id),
    queryFn: async ({ signal }) => {
      const change = await call('GET /changes/:id', { params: { id }, signal });
      takeIn(client, change);
      return change;
    },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isMoving(data) ? watchMs : false),
  });
}

export type ItemFilter = Omit<NonNullable<CallInput<'GET /changes/:id/items'>['query']>, 'after' | 'limit'>;

/** The domains of a change, as many as were asked for. All of those are read again: the more, the more seldom. */
export function useChangeItems(change: Change, filter: ItemFilter) {
  const { id } = change;
  const list = useInfiniteQuery({
    queryKey: [...itemsOf(id), filter],
    queryFn: ({ signal, pageParam }) =>
      call('GET /changes/:id/items', {
        params: { id },
        query: { ...filter, limit: 100, after: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ items, more }) => (more ? items.at(-1)?.domain : undefined),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (isMoving(change) ? watchMs * (state.data?.pages.length ?? 1) : false),
  });
  const { data, error, hasNextPage, isFetchingNextPage, isRefetching, refetch } = list;
  // One page more would break off what is being read again, and leave that as it was.
  const fetchNextPage = async () => {
    if (isRefetching) await refetch({ cancelRefetch: false });
    await list.fetchNextPage({ cancelRefetch: false });
  };
  return { data, error, hasNextPage, isFetchingNextPage, refetch, fetchNextPage };
}

type NewChange = CallBody<'POST /changes'>;

/** Without an answer the next try carries the same key: it is the same change. */
function useSendNew(): (body: NewChange) => Promise<Change> {
  const key = useRequestKey<NewChange>();
  return (body) => key.send(body, (idempotencyKey) => call('POST /changes', { body, idempotencyKey }));
}

export function useCreateChange() {
  const keep = useKeep();
  return useMutation({ mutationFn: useSendNew(), onSuccess: keep });
}

/** The same, where what is sent has to be found first. */
export function useMakeChange() {
  const keep = useKeep();
  const sendNew = useSendNew();
  return useMutation(
    {
      mutationFn: async (bodyOf: () => Promise<NewChange>) => sendNew(await bodyOf()),
      onSuccess: keep,
    },
    always,
  );
}

/** What is sent is not known when a button is pressed: two presses of it are the same. */
const always = () => true;

export function useDescribeChange(id: string) {
  const keep = useKeep();
  const lookAgain = useLookAgain();
  return useMutation({
    mutationFn: (body: CallBody<'PUT /changes/:id'>) => call('PUT /changes/:id', { params: { id }, body }),
    onSuccess: keep,
    onError: lookAgain,
  });
}

export function useChooseItems(id: string) {
  const keep = useKeep();
  const lookAgain = useLookAgain();
  return useMutation({
    mutationFn: (body: CallBody<'PATCH /changes/:id/items'>) =>
      call('PATCH /changes/:id/items', { params: { id }, body }),
    onSuccess: keep,
    onError: lookAgain,
  });
}

export type PlainAct = 'look' | 'pause' | 'resume' | 'cancel' | 'undo';

/** Acts without more to say. An undo answers with the change that undoes. */
export function useChangeAct(id: string, act: PlainAct) {
  const keep = useKeep();
  const lookAgain = useLookAgain();
  return useMutation({
    mutationFn: () => call(`POST /changes/:id/${act}`, { params: { id } }),
    onSuccess: keep,
    onError: lookAgain,
  });
}

export function useStartChange(id: string, act: 'apply' | 'retry') {
  const keep = useKeep();
  const lookAgain = useLookAgain();
  return useMutation({
    mutationFn: (shown: CallBody<'POST /changes/:id/apply'>) =>
      call(`POST /changes/:id/${act}`, { params: { id }, body: shown }),
    onSuccess: (change) => {
      // A short one may have ended with the answer, and the person may have left its screen before.
      follow({ kind: 'change', id });
      keep(change);
    },
    onError: lookAgain,
  });
}

export function useDiscardChange(id: string) {
  const client = useQueryClient();
  const lookAgain = useLookAgain();
  return useMutation({
    mutationFn: () => call('DELETE /changes/:id', { params: { id } }),
    // Not the change: it is gone, and its screen is about to be left.
    onSuccess: () => readAgain(client, [...all, 'list'], ...waitsForPeople),
    onError: lookAgain,
  });
}

/** What was answered is on the screen at once; lists and what waits for a person follow. */
function useKeep() {
  const client = useQueryClient();
  return (change: Change) => {
    if (isUnderWay(change.state)) follow({ kind: 'change', id: change.id });
    takeIn(client, change);
    client.setQueryData(one(change.id), change);
    void readAgain(client, all, ...waitsForPeople);
  };
}

/** Somebody else may have described, started or ended it meanwhile, or this very try has: then that is shown. */
function useLookAgain() {
  const client = useQueryClient();
  return () => void readAgain(client, all);
}

/** What is not as it was when the change was seen last is read again: here, and on other screens. */
function takeIn(client: QueryClient, now: Change): void {
  const before = client.getQueryData<Change>(one(now.id));
  if (!before) return;
  const moving = isMoving(now);
  if (mayHaveChanged(before, now)) {
    // While domains are changed, what is shown is not asked for each second. What is opened then is.
    const refetchType = moving ? 'none' : 'active';
    for (const name of elsewhere) void client.invalidateQueries({ queryKey: [name], refetchType });
  }
  if (moving || sameInput(before, now)) return;
  for (const queryKey of [itemsOf(now.id), [...all, 'list']]) void client.invalidateQueries({ queryKey });
}
