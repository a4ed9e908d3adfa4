import { parseSearch, type SearchResult } from './domain-name.ts';
import { mostItems } from './order-limits.ts';

/** Lists of names to buy, as people paste them: one a line, or divided by blanks, commas and semicolons. */

/** One list is at most one cart. */
export const mostListedNames = mostItems;
/** Of pasted text, in characters. */
export const nameListTextMost = 20_000;
/** Asked for in one call: each is asked for at the registry. */
export const namesInOneCall = 20;

export interface ListedName {
  typed: string;
  /** The name in its normal form; null: it is none. */
  domain: string | null;
  problem: string | null;
}

/** Every name of a text, once, in its order. What is no name stays, with what is wrong. */
export function readNameList(
  text: string,
  parse: (typed: string) => SearchResult = parseSearch,
): ListedName[] {
  const seen = new Set<string>();
  return text
    .split(/[\s,;]+/)
    .map((typed) => typed.replace(/^["']|["']$/g, ''))
    .filter((typed) => typed !== '')
    .flatMap((typed): ListedName[] => {
      const parsed = parse(typed);
      const key = parsed.ok ? parsed.domain : typed;
      if (seen.has(key)) return [];
      seen.add(key);
      return parsed.ok
        ? [{ typed, domain: parsed.domain, problem: null }]
        : [{ typed: typed.slice(0, 300), domain: null, problem: parsed.message }];
    });
}
