import { calleeNames, lineOf, type Node, type Source, walk } from '../source.ts';

/**
 * `ON CONFLICT (…) WHERE …` names a partial index, and PostgreSQL finds it by the text of the condition. A parameter in there
 * works for some runs of a prepared statement and fails once the server plans it for all values: the value is written out.
 */
export function parametersInConflicts(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const lines: number[] = [];
    walk(source.program, (node) => {
      if (isTextWithParameter(node)) lines.push(lineOf(source.text, node.start));
      if (isCallOf(node, 'onConflict')) lines.push(...linesOfConditions(source, node));
    });
    return lines.map(
      (line) => `${source.path}:${line}: write the value of an index condition out (sql.lit), no parameter`,
    );
  });
}

function isTextWithParameter(node: Node): boolean {
  if (node.type !== 'TaggedTemplateExpression') return false;
  const { quasis } = node.quasi as { quasis: { value: { cooked: string } }[] };
  const text = quasis.map(({ value }) => value.cooked).join('\0');
  return (text.match(/ON CONFLICT\s*\([^)]*\)\s*WHERE[\s\S]*?\bDO\b/gi) ?? []).some((part) =>
    part.includes('\0'),
  );
}

function linesOfConditions(source: Source, conflict: Node): number[] {
  const lines: number[] = [];
  for (const argument of conflict.arguments as Node[]) {
    walk(argument, (node) => {
      // Behind `doUpdateSet` it is a condition of the update, which may have parameters.
      if (!isCallOf(node, 'where') || calleeNames(node).includes('doUpdateSet')) return;
      const value = (node.arguments as Node[])[2];
      if (value && !isWritten(value)) lines.push(lineOf(source.text, value.start));
    });
  }
  return lines;
}

function isCallOf(node: Node, name: string): boolean {
  if (node.type !== 'CallExpression') return false;
  const callee = node.callee as Node;
  return callee.type === 'MemberExpression' && (callee.property as Node).name === name;
}

/** Kysely writes `null` out by itself; anything else only when it is asked to. */
function isWritten(value: Node): boolean {
  if (value.type === 'Literal') return value.value === null;
  return isCallOf(value, 'lit');
}
