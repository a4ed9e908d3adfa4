import type { PublicConfig } from '#contracts/operations/system.ts';
import { callPublic } from './api-client.ts';
import { configOfPage } from './page-config.ts';
import { queryClient } from './query-client.ts';

const configQuery = {
  queryKey: ['config'],
  queryFn: () => callPublic('GET /config'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
} as const;

/** What the server says to everyone: with the page, or asked for once. */
export async function loadConfig(): Promise<PublicConfig> {
  return configOfPage() ?? queryClient.ensureQueryData(configQuery);
}
