import { keepText, readText } from './storage.ts';

const kept = 'return-path';

/** A path of this site that may be returned to after sign-in; null for anything that could lead elsewhere. */
export function safeReturnPath(text: string | null | undefined): string | null {
  if (!text || text.length > 2_000) return null;
  // Browsers drop tabs and line ends, and read a backslash as a slash: `/\evil` and `/<tab>/evil` lead away.
  if (!/^\/(?![/\\])/.test(text) || /[\\\p{Cc}]/u.test(text)) return null;
  const here = 'https://here.invalid';
  try {
    const url = new URL(text, here);
    if (url.origin !== here || url.pathname.startsWith('//')) return null;
    if (url.pathname.startsWith('/auth/')) return null;
    return `${url.pathname}${url.search}${url.hash}`;
  } catch {
    return null;
  }
}

/** Keeps where to return to, for this tab and this session (P2 §2). To the start one comes anyway. */
export function keepReturnPath(path: string): void {
  const safe = safeReturnPath(path);
  keepText('session', kept, safe === '/' ? null : safe);
}

/** The kept path, left where it is. */
export function peekReturnPath(): string | null {
  return safeReturnPath(readText('session', kept));
}

/** Takes the kept path out. */
export function takeReturnPath(): string | null {
  const path = peekReturnPath();
  keepText('session', kept, null);
  return path;
}
