import { lineOf, type Node, type Source, walk } from '../source.ts';

/**
 * A condition in raw SQL that has alternatives is in parentheses. The query builder puts AND between conditions and nothing around them:
 * `a AND b OR c` lets in what `c` says, whatever `a` was about. It was about the organization.
 */
export function looseAlternatives(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    if (!source.path.startsWith('server/')) return [];
    const lines: number[] = [];
    walk(source.program, (node) => {
      if (isCondition(node) && hasLooseOr(textOf(node))) lines.push(lineOf(source.text, node.start));
    });
    return lines.map((line) => `${source.path}:${line}: put the alternatives in parentheses`);
  });
}

/** `sql<boolean>` and a text. */
function isCondition(node: Node): boolean {
  if (node.type !== 'TaggedTemplateExpression') return false;
  const { name } = node.tag as { name?: string };
  const types = (node.typeArguments as { params: Node[] } | null)?.params ?? [];
  return name === 'sql' && types[0]?.type === 'TSBooleanKeyword';
}

function textOf(node: Node): string {
  const { quasis } = node.quasi as { quasis: { value: { cooked: string } }[] };
  return quasis.map(({ value }) => value.cooked).join('$');
}

function hasLooseOr(text: string): boolean {
  let depth = 0;
  let outside = '';
  for (const sign of text) {
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (depth === 0) outside += sign;
  }
  return /\bOR\b/i.test(outside.replaceAll(/\bCASE\b.*?\bEND\b/gis, ''));
}
