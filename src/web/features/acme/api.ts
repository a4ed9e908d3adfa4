import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, callPage } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { usePage } from '../../lib/use-page.ts';

const keys = {
  all: ['acme'] as const,
  one: (id: string) => ['acme', 'one', id] as const,
  allowance: (customerId: string) => ['acme', 'allowance', customerId] as const,
};

export function useAccesses(query: NonNullable<CallInput<'GET /acme/access'>['query']>) {
  return usePage([...keys.all, 'list'], query, (wanted, signal) =>
    callPage('GET /acme/access', { query: wanted, signal }),
  );
}

/** Machines use it while somebody looks: it is read again when the screen is opened. */
export function useAccess(id: string) {
  return useQuery({
    queryKey: keys.one(id),
    queryFn: ({ signal }) => call('GET /acme/access/:id', { params: { id }, signal }),
    staleTime: 0,
  });
}

export function useAccessLog(id: string) {
  return useQuery({
    queryKey: [...keys.one(id), 'log'],
    queryFn: ({ signal }) => call('GET /acme/access/:id/log', { params: { id }, signal }),
    staleTime: 0,
  });
}

/**
 * Also after a refusal: somebody else has changed or revoked it. Certificates name the access whose machine has them, and
 * what its machines were refused waits for a person.
 */
const changed = (client: QueryClient) => ({
  onSettled: () => readAgain(client, keys.all, ['certificates'], ...waitsForPeople),
});

/** The reply with the key is kept nowhere but on the screen that shows it. It does not wait for the lists. */
export function useMakeAccess() {
  const client = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: CallBody<'POST /acme/access'>) => call('POST /acme/access', { body }),
    // Without an answer it may have been made: the list is where it can be revoked.
    onSettled: () => void client.invalidateQueries({ queryKey: keys.all }),
  });
}

export function useChangeAccess(id: string) {
  return useMutation({
    mutationFn: (body: CallBody<'PATCH /acme/access/:id'>) =>
      call('PATCH /acme/access/:id', { params: { id }, body }),
    ...changed(useQueryClient()),
  });
}

export function useRevokeAccess() {
  return useMutation({
    mutationFn: (id: string) => call('DELETE /acme/access/:id', { params: { id } }),
    ...changed(useQueryClient()),
  });
}

/** What the users of a customer may make themselves. */
export function useAllowance(customerId: string | null) {
  return useQuery({
    queryKey: keys.allowance(customerId ?? ''),
    queryFn: ({ signal }) =>
      call('GET /acme/allowance/:customerId', { params: { customerId: customerId ?? '' }, signal }),
    enabled: customerId !== null,
  });
}

/** What was made under it may buy less or more at once. After a refusal the present one is shown. */
export function useSetAllowance(customerId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'PUT /acme/allowance/:customerId'>) =>
      call('PUT /acme/allowance/:customerId', { params: { customerId }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

/** Products that need no check by people. */
export function useMachineProducts(enabled: boolean) {
  return useQuery({
    queryKey: ['certificate-prices'],
    queryFn: ({ signal }) => call('GET /ssl/prices', { signal }),
    select: (prices) => prices.filter(({ businessValidated }) => !businessValidated),
    enabled,
  });
}
