import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Which patterns this version of the checker has called linear before: asked again, it would say the same. */
const cacheFile = join(
  import.meta.dirname,
  '../../../node_modules/.cache/nameward/linear-patterns-recheck-4.5.0.json',
);

/** Patterns with why they are not linear. */
export function patternProblems(patterns: readonly Pattern[]): string[] {
  const known = new Set(readCache());
  const problems: string[] = [];
  for (const pattern of patterns) {
    const key = `/${pattern.source}/${pattern.flags}`;
    if (known.has(key)) continue;
    const problem = patternProblem(pattern);
    if (problem) problems.push(`${pattern.place} ${key}: ${problem}`);
    else known.add(key);
  }
  mkdirSync(dirname(cacheFile), { recursive: true });
  writeFileSync(cacheFile, JSON.stringify([...known]));
  return problems;
}

function readCache(): string[] {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8')) as string[];
  } catch {
    return [];
  }
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
