import { lineOf, type Node, type Source, walk } from '../source.ts';

/** Statements whose limit needs no order, each with its reason. */
export const unordered: Readonly<Record<string, string>> = {
  'server/features/privacy/privacy.repo.ts': 'any hundred reasons against an erasure will do',
};

/**
 * A part of the rows without an order is whatever part the database happens to hold first: the same rows each time, so that others never
 * have their turn, or other ones in each run of a test. One row is left out: it is mostly asked for by its key.
 */
export function unorderedLimits(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    if (!source.path.startsWith('server/') || source.path in unordered) return [];
    const lines: number[] = [];
    walk(source.program, (node) => {
      if (limitsAQuery(node) || limitsAStatement(node)) lines.push(lineOf(source.text, node.end));
    });
    return lines.map((line) => `${source.path}:${line}: say in which order the limit takes the rows`);
  });
}

/** `selectFrom(…)….limit(n)` as one chain; what a variable holds is not followed. */
function limitsAQuery(node: Node): boolean {
  if (nameOf(node) !== 'limit') return false;
  const [most] = node.arguments as Node[];
  if (most?.type === 'Literal' && most.value === 1) return false;
  const names = chainOf(node);
  return names.includes('selectFrom') && !names.includes('orderBy');
}

function limitsAStatement(node: Node): boolean {
  if (node.type !== 'TaggedTemplateExpression') return false;
  const { quasis } = node.quasi as { quasis: { value: { cooked: string } }[] };
  const text = quasis.map(({ value }) => value.cooked).join('$');
  return (
    /^\s*(?:SELECT|WITH)\b/i.test(text) && /\bLIMIT\s+(?!1\b)/i.test(text) && !/\bORDER BY\b/i.test(text)
  );
}

/** Methods that were called one after the other, the last one first. */
function chainOf(node: Node): string[] {
  const names: string[] = [];
  for (let call: Node | undefined = node; call?.type === 'CallExpression'; ) {
    const name = nameOf(call);
    if (name) names.push(name);
    const callee = call.callee as Node;
    call = callee.type === 'MemberExpression' ? (callee.object as Node) : undefined;
  }
  return names;
}

function nameOf(node: Node): string | null {
  if (node.type !== 'CallExpression') return null;
  const callee = node.callee as Node;
  if (callee.type !== 'MemberExpression') return null;
  const { name } = callee.property as { name?: string };
  return name ?? null;
}
