import { useEffect, useSyncExternalStore } from 'react';

/** What this site is called: the product, or the provider whose customers use it. */
let siteName = 'Nameward';
let screenTitle: string | null = null;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function writeTitle(): void {
  document.title = screenTitle ? `${screenTitle} · ${siteName}` : siteName;
}

/** Names the site; the tab's title follows. */
export function useNameSite(name: string): void {
  useEffect(() => {
    siteName = name;
    writeTitle();
    for (const listener of listeners) listener();
  }, [name]);
}

export function useSiteName(): string {
  return useSyncExternalStore(subscribe, () => siteName);
}

/** Names the tab. For screens whose heading stands in the header. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    screenTitle = title;
    writeTitle();
  }, [title]);
}
