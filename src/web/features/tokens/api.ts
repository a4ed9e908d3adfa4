import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody } from '../../lib/operations.ts';

const key = ['tokens'] as const;

export function useTokens() {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => call('GET /user/tokens', { signal }) });
}

/** The reply with the secret is kept nowhere but in the dialog that shows it. It does not wait for the list. */
export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: CallBody<'POST /user/tokens'>) => call('POST /user/tokens', { body }),
    // Without an answer it may have been made: the list is where it can be revoked.
    onSettled: () => void client.invalidateQueries({ queryKey: key }),
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /user/tokens/:id', { params: { id } }),
    // Refused, it was revoked by somebody else.
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
