import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { BillingAddress } from '#contracts/operations/earnings.ts';
import { isoDay } from '#contracts/values/format.ts';
import { call, callFile, callPage } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallInput } from '../../lib/operations.ts';
import { usePage } from '../../lib/use-page.ts';

export type StatementQuery = NonNullable<CallInput<'GET /account/statement'>['query']>;
export type EarningsQuery = NonNullable<CallInput<'GET /account/earnings'>['query']>;
export type StatementFilter = NonNullable<CallInput<'GET /account/statement/csv'>['query']>;

/** Below `account`: everything that changes the balance reads it again. */
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

/** Below `account`, as the statement: a charge of a customer follows what was taken from the balance. */
export function useEarnings(query: EarningsQuery) {
  return useQuery({
    queryKey: ['account', 'earnings', query] as const,
    queryFn: ({ signal }) => call('GET /account/earnings', { query, signal }),
    // Those of another group are of no use meanwhile: a customer is no month.
    placeholderData: (before, asked) => (asked?.queryKey[2].by === query.by ? before : undefined),
  });
}

/** Of the last twelve months, in one row; none where nothing was booked. */
export function useYearOfCustomer(customerId: string, enabled: boolean) {
  const now = new Date();
  const from = new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate() + 1));
  const query = { by: 'customer', customerId, from: isoDay(from) } as const;
  return useQuery({
    queryKey: ['account', 'earnings', query],
    queryFn: ({ signal }) => call('GET /account/earnings', { query, signal }),
    enabled,
  });
}

export function useSaveEarnings() {
  return useMutation({
    mutationFn: async ({ from, to }: EarningsQuery) =>
      saveFile(await callFile('GET /account/earnings/csv', { query: { from, to }, timeoutMs: 60_000 })),
  });
}

const recipientKey = ['account', 'statement-recipient'];

export function useRecipient() {
  return useQuery({
    queryKey: recipientKey,
    queryFn: ({ signal }) => call('GET /account/statement/recipient', { signal }),
  });
}

export function useSetRecipient() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BillingAddress) => call('PUT /account/statement/recipient', { body }),
    onSuccess: (_, body) => client.setQueryData(recipientKey, body),
    // Without an answer it may be so all the same.
    onError: () => void client.invalidateQueries({ queryKey: recipientKey }),
  });
}
