import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, callFile, callPage } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallInput } from '../../lib/operations.ts';
import { endsWithCustomer, namesCustomers, readAgain } from '../../lib/read-again.ts';
import { usePage } from '../../lib/use-page.ts';

export type ExportFormat = 'json' | 'csv';
/** Whose data: the signed-in person's own, a customer's, a user's. */
export type ExportSubject = { kind: 'own' } | { kind: 'customer' | 'user'; id: string };

const timeoutMs = 60_000;

/** Fetches a person's data and hands it to the browser to keep. */
export function useExportData(subject: ExportSubject) {
  return useMutation({
    mutationFn: async (format: ExportFormat) => {
      const query = { format };
      if (subject.kind === 'own') return saveFile(await callFile('GET /privacy/own', { query, timeoutMs }));
      const params = { id: subject.id };
      const name = subject.kind === 'user' ? 'GET /privacy/user/:id' : 'GET /privacy/customer/:id';
      return saveFile(await callFile(name, { params, query, timeoutMs }));
    },
  });
}

/** What an erasure would keep, and what is in its way: asked when the question is put. */
export function useErasurePlan(customerId: string, enabled: boolean) {
  return useQuery({
    queryKey: ['privacy', 'plan', customerId],
    queryFn: ({ signal }) =>
      call('GET /privacy/customer/:id/erasure', { params: { id: customerId }, signal }),
    enabled,
    staleTime: 0,
    gcTime: 0,
  });
}

const formerKey = ['privacy', 'former'];

/** An erasure is decided here, and colleagues remove people, too. */
const readEachTime = { staleTime: 0 };

export type FormerCustomerQuery = NonNullable<CallInput<'GET /privacy/former/customers'>['query']>;
export type FormerUserQuery = NonNullable<CallInput<'GET /privacy/former/users'>['query']>;

/** Deleted customers whose data is still there. */
export function useFormerCustomers(query: FormerCustomerQuery) {
  return usePage(
    [...formerKey, 'customers'],
    query,
    (wanted, signal) => callPage('GET /privacy/former/customers', { query: wanted, signal }),
    readEachTime,
  );
}

/** Removed users whose data is still there. */
export function useFormerUsers(query: FormerUserQuery) {
  return usePage(
    [...formerKey, 'users'],
    query,
    (wanted, signal) => callPage('GET /privacy/former/users', { query: wanted, signal }),
    readEachTime,
  );
}

export function useEraseCustomer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('POST /privacy/customer/:id/erasure', { params: { id } }),
    onSuccess: (_plan, id) => {
      // Nothing of the customer is shown again, not even for a moment.
      client.removeQueries({ queryKey: ['customers', 'one', id] });
      const shown = [['customers'], ['overview'], formerKey];
      return readAgain(client, ...shown, ...namesCustomers, ...endsWithCustomer);
    },
    // Something may be in its way by now, or somebody else was before.
    onError: () => void readAgain(client, ['privacy']),
  });
}

export function useEraseUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('POST /privacy/user/:id/erasure', { params: { id } }),
    onSuccess: () => readAgain(client, ['people'], ['tokens'], ['overview'], formerKey),
    // Refused, they may be erased already, by somebody else.
    onError: () => void readAgain(client, ['people'], formerKey),
  });
}
