import { useQuery } from '@tanstack/react-query';
import { call, callFile, callPage } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallInput } from '../../lib/operations.ts';
import { usePage } from '../../lib/use-page.ts';

export type StatementQuery = NonNullable<CallInput<'GET /account/statement'>['query']>;
export type StatementFilter = NonNullable<CallInput<'GET /account/statement/csv'>['query']>;

/** Below `account`: whatever changes the balance asks for it anew. */
export function useStatement(query: StatementQuery) {
  return usePage(['account', 'statement'], query, (wanted, signal) =>
    callPage('GET /account/statement', { query: wanted, signal }),
  );
}

export function useMonths() {
  return useQuery({
    queryKey: ['account', 'statement-months'],
    queryFn: ({ signal }) => call('GET /account/statement/months', { signal }),
  });
}

export function useSaveCsv() {
  return useMutation({
    mutationFn: async (query: StatementFilter) =>
      saveFile(await callFile('GET /account/statement/csv', { query, timeoutMs: 60_000 })),
  });
}

export function useSaveMonth() {
  return useMutation({
    mutationFn: async (month: string) =>
      saveFile(await callFile('GET /account/statement/:month/pdf', { params: { month }, timeoutMs: 60_000 })),
  });
}
