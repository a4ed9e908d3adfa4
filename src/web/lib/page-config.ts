import type { PublicConfig } from '#contracts/operations/system.ts';

/** What the server says to everyone, as the page brought it. null: it came without, as that of a development server does. */
export function configOfPage(): PublicConfig | null {
  const text = document.querySelector<HTMLMetaElement>('meta[name="public-config"]')?.content ?? '';
  return text.startsWith('{') ? (JSON.parse(text) as PublicConfig) : null;
}
