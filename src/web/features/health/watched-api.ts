import { useQueryClient } from '@tanstack/react-query';
import { call, callPage } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { usePage } from '../../lib/use-page.ts';

/** Domains that are held elsewhere, a page of them. Each is checked meanwhile: they are read again whenever they are shown. */
export function useWatched(query: NonNullable<CallInput<'GET /health/watched'>['query']>) {
  return usePage(
    ['health', 'watched'],
    query,
    (wanted, signal) => callPage('GET /health/watched', { query: wanted, signal }),
    { staleTime: 0 },
  );
}

/** An act on watched names: whatever came of it, lists, findings and what needs attention may be others. */
function useWatchedAct<Input, Reply>(act: (input: Input) => Promise<Reply>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    // Not waited for: the page of a name that is watched no more goes, and with it who waits for the answer.
    onSettled: () => {
      void readAgain(client, ['health'], ...waitsForPeople);
    },
  });
}

export const useWatch = () =>
  useWatchedAct((body: CallBody<'POST /health/watched'>) => call('POST /health/watched', { body }));
export const useAssignWatched = () =>
  useWatchedAct((body: CallBody<'PATCH /health/watched'>) => call('PATCH /health/watched', { body }));
export const useUnwatch = () =>
  useWatchedAct((domains: string[]) => call('POST /health/watched/remove', { body: { domains } }));
