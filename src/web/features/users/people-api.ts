import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';
import { ApiError, isRefusal, unlessGone } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody } from '../../lib/operations.ts';
import { readAgain } from '../../lib/read-again.ts';
import { unlessThere } from './api.ts';

const keys = { users: ['people', 'users'] as const, invites: ['people', 'invites'] as const };
/** Who is removed, or may do less, ends their open invitations and tokens with it. */
const endWithUser = [keys.invites, ['tokens']] as const;
/**
 * After a failure: the person was invited, has come in or was removed by somebody else, or by this very try. The answer to it
 * does not wait for the reading.
 */
const lookAgain = (client: QueryClient) => void readAgain(client, keys.users, ...endWithUser, ['overview']);

export function useUsers() {
  return useQuery({ queryKey: keys.users, queryFn: ({ signal }) => call('GET /user/users', { signal }) });
}

export function useInvites() {
  return useQuery({ queryKey: keys.invites, queryFn: ({ signal }) => call('GET /user/invites', { signal }) });
}

export function useInviteUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /user/subuser'>) => call('POST /user/subuser', { body }),
    onSuccess: () => readAgain(client, keys.invites, ['overview']),
    onError: () => lookAgain(client),
  });
}

export function useRemoveUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unlessGone(call('DELETE /user/subuser/:id', { params: { id } })),
    onSuccess: () => readAgain(client, keys.users, ...endWithUser, ['overview']),
    onError: () => lookAgain(client),
  });
}

/** A user's type and daily limit. The acting person may have changed their own. */
export function useChangeUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: CallBody<'PATCH /user/subuser/:id'> }) =>
      call('PATCH /user/subuser/:id', { params: { id }, body }),
    onSuccess: () => readAgain(client, keys.users, ...endWithUser),
    onError: (error) => {
      // The user is not any more what the list says: the next dialog begins with what they are.
      if (error instanceof ApiError && ['validation_failed', 'conflict'].includes(error.code)) {
        void client.invalidateQueries({ queryKey: keys.users });
      }
      // Nobody knows what became of it. Who is gone stays in the list for as long as the dialog says so.
      if (!isRefusal(error)) lookAgain(client);
    },
  });
}

export function useCancelInvite() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /user/subuser/invite/:id', { params: { id } }),
    onSuccess: () => readAgain(client, keys.invites, ['overview']),
    onError: () => lookAgain(client),
  });
}

/** The former link has ended: the list must not offer it for copying any more. */
export function useResendInvite() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('POST /user/subuser/invite/:id/resend', { params: { id } }),
    onSuccess: () => readAgain(client, keys.invites, ['overview']),
    onError: () => lookAgain(client),
  });
}

/** Puts the link of an invitation into the clipboard; it is asked for only then. */
export function useCopyInviteLink() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      const { link } = await call('GET /user/subuser/invite/:id/link', { params: { id } });
      if (link === '') throw new Error('This link is no longer available. Please send the invitation again.');
      await navigator.clipboard.writeText(link).catch(() => {
        throw new Error('Your browser blocked copying the link. Please send the invitation again.');
      });
    },
    onError: (error) => {
      if (error instanceof ApiError) lookAgain(client);
    },
  });
}

/** What can be done with an invitation: `ACCEPT`, or a text to show (P2 §4). */
export function useInviteCheck(id: string, enabled: boolean) {
  return useQuery({
    queryKey: ['people', 'check', id],
    queryFn: () => call('POST /user/subuser/checkinvite/:id', { params: { id } }),
    enabled,
    staleTime: 0,
    gcTime: 0,
  });
}

/** Accepts; an empty profile is created first where there is none (P2 §4). */
export function useAcceptInvite(hasProfile: boolean) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      // One that was made by an acceptance that was broken off stays empty, and serves.
      if (!hasProfile) await unlessThere(() => call('POST /user/subuser/create'));
      await call('POST /user/subuser/acceptinvite/:id', { params: { id } });
    },
    // Also after a failure: without an answer they may be in, and the next try would be told that they are.
    onSettled: () => client.invalidateQueries({ queryKey: ['profile'] }),
  });
}
