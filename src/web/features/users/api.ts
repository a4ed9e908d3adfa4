import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Permission } from '#contracts/permissions.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody } from '../../lib/operations.ts';
import { useSession } from '../../lib/session.tsx';

/** The signed-in user; null for a person without a profile. */
export function useProfile() {
  const session = useSession();
  return useQuery({
    queryKey: ['profile'],
    queryFn: async () => {
      try {
        return await call('GET /user');
      } catch (error) {
        if (error instanceof ApiError && error.code === 'no_profile') return null;
        throw error;
      }
    },
    enabled: session.status === 'signed-in',
  });
}

/** Whether the user may: what one may not do is not offered. */
export function useMay(permission: Permission): boolean {
  return useProfile().data?.permissions.includes(permission) ?? false;
}

/** P2 §4: a user that exists already is as good as a new one. */
export async function unlessThere(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'user_already_exists')) throw error;
  }
}

export function useCreateProfile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: CallBody<'POST /user'>) => {
      await unlessThere(() => call('POST /user', { body }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['profile'] }),
  });
}
