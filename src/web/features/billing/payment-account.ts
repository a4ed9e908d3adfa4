import { useQueryClient } from '@tanstack/react-query';
import { capitalised } from '#contracts/values/format.ts';
import { call } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';

/** Opens the provider's hosted set-up. Its address opens once and lives minutes: made on click, never kept. */
export function useOpenPaymentAccount() {
  return useMutation({
    mutationFn: async () => {
      const { link } = await call('GET /account/link');
      window.location.assign(link);
      // The page is leaving: the button stays as it is until it has.
      await new Promise(() => undefined);
    },
  });
}

/** Reads the account again from the provider: coming back from there proves nothing. */
export function useRefreshPaymentAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /account/refresh'),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['profile'] }),
        client.invalidateQueries({ queryKey: ['account'] }),
      ]),
  });
}

/** `individual.verification.document` as people read it. */
export function requirementText(requirement: string): string {
  const words = requirement.replace(/[._]+/g, ' ').trim();
  return capitalised(words);
}
