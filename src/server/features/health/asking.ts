import { createTurns } from '#kernel/turns.ts';
import type { Resolver } from '../../ports/resolver.ts';

/** Questions at the same time, and in a second: no resolver of an operator is troubled by them. */
export const askingLimits = { parallel: 16, perSecond: 100 } as const;

/** Addresses are two questions: of the fourth and of the sixth version. */
const addressQuestions = 2;

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
  const kept = createKept(keptMs);
  // Any of them may be two questions.
  const inTurn = createTurns({ ...limits, parallel: Math.floor(limits.parallel / addressQuestions) });

  return {
    of(domain) {
      const isOwn = (name: string) => name === domain || name.endsWith(`.${domain}`);
      const once = <T>(type: string, name: string, ask: (name: string) => Promise<T>, weight = 1) => {
        const act = () => inTurn(() => ask(name), weight);
        return isOwn(name) ? act() : kept.get(`${type} ${name}`, act);
      };
      return {
        nameservers: (name) => once('NS', name, resolver.nameservers),
        txt: (name) => once('TXT', name, resolver.txt),
        cname: (name) => once('CNAME', name, resolver.cname),
        addresses: (name) => once('A', name, resolver.addresses, addressQuestions),
        mx: (name) => once('MX', name, resolver.mx),
        caa: (name) => once('CAA', name, resolver.caa),
      };
    },
  };
}

/** Answers that are used again for a while. No answer is no answer to keep. */
export function createKept(forMs: number) {
  const kept = new Map<string, { at: number; answer: Promise<unknown> }>();
  return {
    get<T>(question: string, ask: () => Promise<T>): Promise<T> {
      const now = performance.now();
      const known = kept.get(question);
      if (known && now - known.at < forMs) return known.answer as Promise<T>;
      if (kept.size >= mostKept) kept.clear();
      const answer = ask();
      kept.set(question, { at: now, answer });
      answer.catch(() => kept.delete(question));
      return answer;
    },
  };
}
