import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Move, MoveLine, MoveStage, MoveZone } from '#contracts/operations/moves.ts';
import { call, callPage } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { changedByOrders, readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { useRequestKey } from '../../lib/request-key.ts';
import { usePage } from '../../lib/use-page.ts';

const all = ['moves'] as const;
const one = (id: string) => [...all, 'one', id];

/** While lines are checked or their DNS is put in order, each second shows something new. */
const soonMs = 2_000;
/** While other registrars take their time. */
const laterMs = 15_000;
const soon: readonly MoveStage[] = ['checking', 'ordered', 'arriving'];
const later: readonly MoveStage[] = ['approval', 'release', 'held'];

/** How soon a list may look otherwise; false: not by itself. */
export function lookAgainMs(move: Pick<Move, 'counts'> | undefined): number | false {
  const has = (stages: readonly MoveStage[]) => stages.some((stage) => (move?.counts[stage] ?? 0) > 0);
  return has(soon) ? soonMs : has(later) ? laterMs : false;
}

export type MoveListQuery = NonNullable<CallInput<'GET /move'>['query']>;

export function useMoves(query: MoveListQuery) {
  return usePage(
    [...all, 'list'],
    query,
    (wanted, signal) => callPage('GET /move', { query: wanted, signal }),
    { staleTime: 0 },
  );
}

export function useMove(id: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: one(id),
    queryFn: async ({ signal }) => {
      const move = await call('GET /move/:id', { params: { id }, signal });
      takeIn(client, move);
      return move;
    },
    staleTime: 0,
    refetchInterval: ({ state }) => lookAgainMs(state.data),
  });
}

export function useMoveZone(id: string, lineId: string) {
  return useQuery({
    queryKey: [...one(id), 'zone', lineId],
    queryFn: ({ signal }) => call('GET /move/:id/line/:lineId', { params: { id, lineId }, signal }),
    staleTime: 0,
  });
}

/** Without an answer the next try carries the same key: it is the same list. */
export function useCreateMove() {
  const client = useQueryClient();
  const key = useRequestKey<CallBody<'POST /move'>>();
  return useMutation({
    mutationFn: (body: CallBody<'POST /move'>) =>
      key.send(body, (idempotencyKey) => call('POST /move', { body, idempotencyKey })),
    // Without an answer it may be there.
    onSettled: () => readAgain(client, all),
  });
}

/** Where each ordered line is. */
const ordered = ({ lines }: Pick<Move, 'lines'>) =>
  lines.flatMap(({ id, orderId, stage }) => (orderId === null ? [] : `${id} ${stage}`)).join();

/** Whether lines were ordered, or went on, since `before` was seen: other screens show orders and domains that are not so. */
export const hasGoneOn = (before: Pick<Move, 'lines'>, now: Pick<Move, 'lines'>) =>
  ordered(before) !== ordered(now);

/** Not the list itself: it is just being read. */
const elsewhere = [...changedByOrders.filter(([of]) => of !== all[0]), ['orders', 'one'], ['dns']];

function takeIn(client: QueryClient, now: Move): void {
  const before = client.getQueryData<Move>(one(now.id));
  if (!before || !hasGoneOn(before, now)) return;
  void readAgain(client, ...elsewhere);
}

/** An act on a list whose answer is the list as it is then. */
function useMoveAct<Input>(id: string, act: (input: Input) => Promise<Move>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (move) => {
      takeIn(client, move);
      client.setQueryData(one(id), move);
    },
    onSettled: () =>
      // An order whose answer was lost shows in the list, which reads the rest again then.
      readAgain(client, all, ['account'], ...waitsForPeople),
  });
}

export const useChangeLines = (id: string) =>
  useMoveAct(id, (body: CallBody<'PATCH /move/:id'>) => call('PATCH /move/:id', { params: { id }, body }));
/** What is sent to serve the records of a line in spite of what was shown to have changed. */
export const servedAsShown = (
  { id }: Pick<MoveLine, 'id'>,
  { comparedAt }: Pick<MoveZone, 'comparedAt'>,
) => ({
  ...{ lineIds: [id], dns: 'bring' as const, comparedAt },
});
export const useLookAgain = (id: string) =>
  useMoveAct(id, (lineIds: string[]) => call('POST /move/:id/look', { params: { id }, body: { lineIds } }));
/** Without an answer the next try carries the same key: it is the same order. */
export function useOrderLines(id: string) {
  const key = useRequestKey<CallBody<'POST /move/:id/order'>>();
  return useMoveAct(id, (body: CallBody<'POST /move/:id/order'>) =>
    key.send(body, (idempotencyKey) =>
      call('POST /move/:id/order', { params: { id }, body, idempotencyKey }),
    ),
  );
}
export const useSetCode = (id: string) =>
  useMoveAct(id, ({ lineId, code }: { lineId: string; code: string }) =>
    call('POST /move/:id/line/:lineId/code', { params: { id, lineId }, body: { code } }),
  );

export function useDropMove(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('DELETE /move/:id', { params: { id } }),
    onSettled: () => readAgain(client, all, ...waitsForPeople),
  });
}
