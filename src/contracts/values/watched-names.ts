import { isHostName, type SearchResult, withoutWww } from './domain-name.ts';
import { type ListedName, readNameList } from './name-list.ts';
import { pastedName } from './pasted-name.ts';

/** Names that are held elsewhere and looked at all the same, as people paste them. Any suffix will do. */

/** In one call. */
export const mostWatchedAtOnce = 1_000;
/** Of pasted text, in characters. */
export const watchedTextMost = 60_000;

/** Endings of networks that are nobody else's business (RFC 6761, 6762, 7686, 8375, and what ICANN keeps free). */
const innerEndings =
  /(^|\.)(arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|mail|onion|private|test)$/;

function parseWatched(typed: string): SearchResult {
  const name = withoutWww(pastedName(typed));
  if (!name.includes('.')) {
    return { ok: false, message: 'Please enter the name with its extension, such as example.com' };
  }
  if (name.length > 253) return { ok: false, message: 'A domain name has at most 253 characters' };
  if (!isHostName(name)) return { ok: false, message: 'This is not a valid domain name' };
  if (innerEndings.test(name)) return { ok: false, message: 'Names of inner networks are not watched' };
  return { ok: true, domain: name };
}

/** What stands above the names of a sheet. */
const heading = /^domains?$/i;

/** Every name of a text, once, in its order; a heading is left out. What is no name stays, with what is wrong. */
export function readWatchedNames(text: string): ListedName[] {
  return readNameList(text, parseWatched).filter(({ typed }, index) => index > 0 || !heading.test(typed));
}
