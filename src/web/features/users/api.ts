import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Permission } from '#contracts/permissions.ts';
import { minuteMs } from '#contracts/values/time.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody } from '../../lib/operations.ts';
import { useSession } from '../../lib/session.tsx';
import { expectedProfile } from './expected.ts';
import { keepProfile } from './kept-profile.ts';

/**
 * The signed-in user; null for a person without a profile. Until both are known it is who was signed in the last time
 * (`isPlaceholderData`): to draw by, and not to act by.
 */
export function useProfile() {
  const session = useSession();
  return useQuery({
    queryKey: ['profile'],
    queryFn: async () => {
      try {
        const profile = await call('GET /user');
        keepProfile(session.email, profile);
        return profile;
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'no_profile')) throw error;
        keepProfile(null, null);
        return null;
      }
    },
    enabled: session.status === 'signed-in',
    placeholderData: () => expectedProfile(session),
  });
}

/** Whether the user may: what one may not do is not offered. */
export function useMay(permission: Permission): boolean {
  return useProfile().data?.permissions.includes(permission) ?? false;
}

/** Within this time a form is filled in. */
const fillInMs = 5 * minuteMs;

/**
 * Whether a form whose act needs a fresh sign-in asks for it before anything is typed: signing in leaves the page. By the
 * time that has passed since the profile was read, whatever the clock of this machine says.
 */
export function signInIsOld(
  profile: { freshForSeconds: number } | null | undefined,
  readAtMs: number,
  nowMs: number,
): boolean {
  if (!profile) return false;
  return profile.freshForSeconds * 1_000 - (nowMs - readAtMs) < fillInMs;
}

/** The same of the person who looks at the screen. A form that is open does not follow it: what was typed stays. */
export function useSignInIsOld(): boolean {
  const { data, dataUpdatedAt, isPlaceholderData } = useProfile();
  // Of whom nobody has asked yet it is not known; should it be old, the portal says so when the form is sent.
  return !isPlaceholderData && signInIsOld(data, dataUpdatedAt, Date.now());
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
