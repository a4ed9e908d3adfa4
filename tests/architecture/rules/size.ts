import { lineOf, type Node, type Source, walk } from '../source.ts';

/** A function or a file longer than this holds more than one thought. */
export const mostFunctionLines = 120;
export const mostFileLines = 400;

/**
 * What was longer when the rule came, with the length that it may have. A length here only shrinks: take the name off once
 * it fits, and add none. A folder stands for all in it. Where a new function is too long, split it along what it decides
 * (`x.rules.ts`) and what it does.
 */
export const longFunctions: Readonly<Record<string, number>> = {};

export const longFiles: Readonly<Record<string, number>> = {};

interface Long {
  name: string;
  lines: number;
}

/** Functions longer than the rule allows, by file and name. */
export function longFunctionsIn(sources: readonly Source[]): Long[] {
  return sources.flatMap(({ path, text, program }) => {
    const found: Long[] = [];
    const add = (node: Node, name: unknown) => {
      const lines = lineOf(text, node.end) - lineOf(text, node.start) + 1;
      if (lines > mostFunctionLines) found.push({ name: `${path} ${name ?? 'without a name'}`, lines });
    };
    walk(program, (node) => {
      if (node.type === 'FunctionDeclaration') add(node, (node.id as Node | null)?.name);
      if (node.type === 'VariableDeclarator' && isFunction(node.init)) add(node, (node.id as Node).name);
      if (node.type === 'Property' && isFunction(node.value)) add(node, (node.key as Node).name);
    });
    return found;
  });
}

function isFunction(value: unknown): boolean {
  const type = (value as Node | null | undefined)?.type;
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}

export function longFilesIn(sources: readonly Source[]): Long[] {
  return sources
    .map(({ path, text }) => ({ name: path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > mostFileLines);
}

/** What is too long and not known, what has grown, and names that are not needed any more. */
export function sizeFaults(
  found: readonly Long[],
  known: Readonly<Record<string, number>>,
  most: number,
): string[] {
  const placeOf = (name: string) =>
    Object.keys(known).find((place) => name === place || (place.endsWith('/') && name.startsWith(place)));
  const used = new Set(found.map(({ name }) => placeOf(name)));
  return [
    ...found.flatMap(({ name, lines }) => {
      const place = placeOf(name);
      if (place === undefined) {
        return [`${name}: ${lines} lines, at most ${most}: split it along what it decides and does`];
      }
      const allowed = known[place] ?? most;
      return lines > allowed ? [`${name} has grown to ${lines} lines, and may have ${allowed}`] : [];
    }),
    ...Object.keys(known)
      .filter((place) => !used.has(place))
      .map((place) => `${place} fits by now, or is gone: take it off the list`),
  ];
}
