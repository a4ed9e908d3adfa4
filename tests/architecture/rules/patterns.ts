import { checkSync } from 'recheck';
import { calleeNames, lineOf, type Node, type Source, walk } from '../source.ts';

// The checker in JavaScript: the same answer on every machine. It follows the pattern as an automaton and uses no clock.
process.env.RECHECK_SYNC_BACKEND = 'pure';

export interface Pattern {
  source: string;
  flags: string;
  /** `file:line` of its first place. */
  place: string;
}

/** Every pattern that is written out, each once. */
export function patternsIn(sources: readonly Source[]): Pattern[] {
  const found = new Map<string, Pattern>();
  for (const { path, text, program } of sources) {
    walk(program, (node) => {
      const { regex } = node as { regex?: { pattern: string; flags: string } };
      if (node.type !== 'Literal' || !regex) return;
      const key = `/${regex.pattern}/${regex.flags}`;
      const place = `${path}:${lineOf(text, node.start)}`;
      if (!found.has(key)) found.set(key, { source: regex.pattern, flags: regex.flags, place });
    });
  }
  return [...found.values()];
}

/** Why a pattern may need more steps than the text has characters; null when it cannot. */
export function patternProblem({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string | null {
  const verdict = checkSync(source, flags, { checker: 'automaton', timeout: null });
  if (verdict.status === 'safe') return null;
  // Back references and the like are not automata: what cannot be checked is not used.
  if (verdict.status === 'unknown') return `cannot be checked (${verdict.error.kind})`;
  return `${verdict.complexity.summary}, for example by ${verdict.attack.pattern}`;
}

/** Patterns that are put together when the code runs: nobody can check those beforehand. */
export function builtPatterns(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text, program }) => {
    const places: string[] = [];
    walk(program, (node: Node) => {
      if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return;
      if (calleeNames(node).at(-1) === 'RegExp') places.push(`${path}:${lineOf(text, node.start)}`);
    });
    return places;
  });
}
