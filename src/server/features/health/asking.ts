import { createTurns } from '#kernel/turns.ts';
import type { Resolver } from '../../ports/resolver.ts';

/** Questions at the same time, and in a second: no resolver of an operator is troubled by them. */
export const askingLimits = { parallel: 16, perSecond: 100 } as const;

/** So long an answer is used again: of three hundred domains most name the same mail hosts. */
const keptMs = 60_000;
const mostKept = 5_000;

/**
 * Resolvers that ask the same question once, and together never more than the limits say. One for a domain asks about the
 * domain's own names afresh: somebody may have changed them a moment ago.
 */
export function sparingly(
  resolver: Resolver,
  limits: { parallel: number; perSecond: number } = askingLimits,
): { of(domain: string): Resolver } {
  const kept = new Map<string, { at: number; answer: Promise<unknown> }>();
  const inTurn = createTurns(limits);

  function once<T>(question: string, ask: () => Promise<T>, isOwn: boolean): Promise<T> {
    if (isOwn) return inTurn(ask);
    const now = performance.now();
    const known = kept.get(question);
    if (known && now - known.at < keptMs) return known.answer as Promise<T>;
    if (kept.size >= mostKept) kept.clear();
    const answer = inTurn(ask);
    kept.set(question, { at: now, answer });
    // No answer is no answer to keep.
    answer.catch(() => kept.delete(question));
    return answer;
  }

  return {
    of(domain) {
      const isOwn = (name: string) => name === domain || name.endsWith(`.${domain}`);
      return {
        nameservers: (name) => once(`NS ${name}`, () => resolver.nameservers(name), isOwn(name)),
        txt: (name) => once(`TXT ${name}`, () => resolver.txt(name), isOwn(name)),
        cname: (name) => once(`CNAME ${name}`, () => resolver.cname(name), isOwn(name)),
        addresses: (name) => once(`A ${name}`, () => resolver.addresses(name), isOwn(name)),
        mx: (name) => once(`MX ${name}`, () => resolver.mx(name), isOwn(name)),
      };
    },
  };
}
