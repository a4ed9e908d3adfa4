import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, callFile } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import { endsWithCustomer, readAgain } from '../../lib/read-again.ts';

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

export const formerQuery = {
  queryKey: formerKey,
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /privacy/former', { signal }),
  // An erasure is decided here, and colleagues remove people, too.
  staleTime: 0,
};

/** Deleted customers and removed users whose data is still there. */
export function useFormer() {
  return useQuery(formerQuery);
}

export function useEraseCustomer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('POST /privacy/customer/:id/erasure', { params: { id } }),
    onSuccess: (_plan, id) => {
      // Nothing of the customer is shown again, not even for a moment.
      client.removeQueries({ queryKey: ['customers', 'one', id] });
      const shown = [['customers'], ['domains'], ['certificates'], ['overview'], formerKey];
      return readAgain(client, ...shown, ...endsWithCustomer);
    },
  });
}

export function useEraseUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('POST /privacy/user/:id/erasure', { params: { id } }),
    onSuccess: () => readAgain(client, ['people'], ['tokens'], ['overview'], formerKey),
  });
}
