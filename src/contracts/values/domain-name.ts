import { z } from 'zod';
import { pastedName } from './pasted-name.ts';

/** Domain names as the product takes them: lower-case ASCII, second level under a suffix on offer. */

/** P1 §1: only .com is on offer at the moment. */
export const offeredSuffixes = ['com'] as const;

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Whether this is a host name: 253 characters at most, labels of 63, letters, digits and inner hyphens. */
export function isHostName(name: string): boolean {
  if (name.length > 253) return false;
  const labels = name.split('.');
  return labels.length >= 2 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '');
}

/**
 * Suffixes as countries have them. Of one that is none somewhere (`co.de`), `www.` stays; below one that is missing here it goes, as
 * below any name.
 */
const countrySuffix = /^(?:ac|co|com|edu|gob|gov|ne|net|or|org)\.[a-z]{2}$/;

/** `www.example.com` is an address of `example.com`; `www.com` and `www.co.uk` are names of their own. */
export function withoutWww(name: string): string {
  const rest = name.startsWith('www.') ? name.slice(4) : name;
  return rest.includes('.') && !countrySuffix.test(rest) ? rest : name;
}

/** A host name that contains a dot, lower-cased. Used in paths such as `/api/{domain}/zone`. */
export const hostName = z
  .string()
  .max(1_000, 'A domain name has at most 253 characters')
  .transform(pastedName)
  .refine((name) => name.length <= 253, { message: 'A domain name has at most 253 characters', abort: true })
  .refine(isHostName, { message: 'This is not a valid domain name' });

/** Whether a host name is one that can be registered here or come here. */
export const isOfferedHere = (name: string): boolean =>
  name.split('.').length === 2 && offeredSuffixes.some((suffix) => name.endsWith(`.${suffix}`));

/** A name that can be registered here: one label under an offered suffix. */
export const registrableName = hostName
  .refine((name) => offeredSuffixes.some((suffix) => name.endsWith(`.${suffix}`)), {
    message: 'Only .com domains are supported at the moment.',
  })
  .refine((name) => name.split('.').length === 2, { message: 'Please enter a name directly under .com' });

export type SearchResult = { ok: true; domain: string } | { ok: false; message: string };

/**
 * What was typed in the search box to a name (P1 §5): lower-cased; without a dot ".com" is appended; with one,
 * the first label is kept and the rest is the suffix. Addresses with scheme, path or spaces are tidied.
 */
export function parseSearch(text: string): SearchResult {
  let name = text.trim().toLowerCase();
  name = name.replace(/^[a-z]+:\/\//, '').split(/[/?#]/, 1)[0] ?? '';
  name = withoutWww(name.replace(/\.$/, '').replace(/\s+/g, ''));
  if (name === '') return { ok: false, message: 'Please enter a domain name' };
  if (!name.includes('.')) name = `${name}.com`;
  if (/[^\x20-\x7e]/.test(name)) {
    return { ok: false, message: 'Only letters a to z, digits and hyphens are supported at the moment' };
  }
  if (name.length > 253) return { ok: false, message: 'A domain name has at most 253 characters' };
  const [first = '', ...rest] = name.split('.');
  const suffix = rest.join('.');
  if (!(offeredSuffixes as readonly string[]).includes(suffix)) {
    return { ok: false, message: 'Only .com domains are supported at the moment.' };
  }
  if (first.length > 63) return { ok: false, message: 'The part before .com has at most 63 characters' };
  if (!label.test(first)) {
    return {
      ok: false,
      message: 'Only letters, digits and hyphens are allowed, and no hyphen at the beginning or end',
    };
  }
  return { ok: true, domain: `${first}.${suffix}` };
}
