import type { PublicConfig } from '#contracts/operations/system.ts';
import { callPublic } from './api-client.ts';
import { queryClient } from './query-client.ts';

const configQuery = {
  queryKey: ['config'],
  queryFn: () => callPublic('GET /config'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
} as const;

/** What the server says to everyone: with the page, or asked for once. */
export async function loadConfig(): Promise<PublicConfig> {
  return withPage() ?? queryClient.ensureQueryData(configQuery);
}

/** null: the page came without, as that of a development server does. */
function withPage(): PublicConfig | null {
  const text = document.querySelector<HTMLMetaElement>('meta[name="public-config"]')?.content ?? '';
  return text.startsWith('{') ? (JSON.parse(text) as PublicConfig) : null;
}
