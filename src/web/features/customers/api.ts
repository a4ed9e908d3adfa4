import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CustomerChoice } from '#contracts/operations/customers.ts';
import { call, callPage } from '../../lib/api-client.ts';
import { ApiError, isRefusal, unlessGone } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { endsWithCustomer, namesCustomers, readAgain } from '../../lib/read-again.ts';
import { useRequestKey } from '../../lib/request-key.ts';
import { usePage } from '../../lib/use-page.ts';

export type CustomerQuery = NonNullable<CallInput<'GET /customer'>['query']>;

export const customerKeys = {
  all: ['customers'] as const,
  lists: ['customers', 'list'] as const,
  one: (id: string) => ['customers', 'one', id] as const,
};

export function useCustomers(query: CustomerQuery) {
  return usePage(customerKeys.lists, query, (wanted, signal) =>
    callPage('GET /customer', { query: wanted, signal }),
  );
}

/** Every customer by name, as far as choosing one takes. */
export function useCustomerChoices() {
  return useQuery({
    queryKey: [...customerKeys.all, 'choices'],
    queryFn: ({ signal }) => call('GET /customer/choices', { signal, isAside: true }),
  });
}

/** The same as the entries of a choice. */
export function customerOptions(choices: readonly CustomerChoice[] | undefined) {
  return (choices ?? []).map(({ customerId, organization }) => ({ value: customerId, label: organization }));
}

export function useCustomer(id: string) {
  return useQuery({
    queryKey: customerKeys.one(id),
    queryFn: ({ signal }) => call('GET /customer/:id', { params: { id }, signal }),
  });
}

/** Customers were added, changed or deleted: lists, choices and counts are read again. */
const customersChanged = (client: QueryClient) => readAgain(client, customerKeys.all, ['overview']);

/** A customer may have another name now: so do its domains, certificates, orders and payments. */
export const customersRenamed = (client: QueryClient) =>
  Promise.all([customersChanged(client), readAgain(client, ...namesCustomers)]);

/** Without an answer the next try carries the same key: it is the same customer. */
export function useCreateCustomer() {
  const client = useQueryClient();
  const key = useRequestKey<CallBody<'POST /customer'>>();
  return useMutation({
    mutationFn: (body: CallBody<'POST /customer'>) =>
      key.send(body, (idempotencyKey) => call('POST /customer', { body, idempotencyKey })),
    onSuccess: () => customersChanged(client),
    onError: (error) => {
      // It may have been made: the list says whether. The answer to this try does not wait for it.
      if (!isRefusal(error)) void customersChanged(client);
    },
  });
}

export function useUpdateCustomer(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'PATCH /customer/:id'>) =>
      call('PATCH /customer/:id', { params: { id }, body }),
    onSuccess: () => customersRenamed(client),
    onError: (error) => {
      // Where what was typed is wrong, nothing has changed. Else somebody may have changed or deleted it, or this very try may
      // have been done. The answer to it does not wait for the reading.
      if (!(error instanceof ApiError && error.status === 400)) void customersRenamed(client);
    },
  });
}

export function useDeleteCustomer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unlessGone(call('DELETE /customer/:id', { params: { id } })),
    onSuccess: () => Promise.all([customersChanged(client), readAgain(client, ...endsWithCustomer)]),
    // It has domains by now: the list says so.
    onError: () => void customersChanged(client),
  });
}

export type CustomerPartQuery = NonNullable<CallInput<'GET /domain/:customerId'>['query']>;

export function useCustomerDomains(customerId: string, query: CustomerPartQuery) {
  return usePage([...customerKeys.one(customerId), 'domains'], query, (wanted, signal) =>
    callPage('GET /domain/:customerId', { params: { customerId }, query: wanted, signal }),
  );
}

/** P1 §7: the path contains the payment provider's id of the customer. */
export function useSendSetupLink() {
  return useMutation({
    // The server knows the address; `to` is the one that was shown with it.
    mutationFn: ({ stripeId }: { stripeId: string; to: string }) =>
      call('GET /customer/resend-payment-link/:stripeId', { params: { stripeId } }),
  });
}
