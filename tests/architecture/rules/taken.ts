import { lineOf, type Node, type Source, walk } from '../source.ts';

/**
 * `IN (SELECT … LIMIT n FOR UPDATE SKIP LOCKED)`, and the same behind `FROM` or `USING`, takes more than n rows where the server plans to look again for each row: what it has
 * changed by then is skipped, and the next ones are found. What is to be taken is found once, in a materialized `WITH`.
 */
export function unboundTakes(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const lines: number[] = [];
    walk(source.program, (node) => {
      if (takesByList(node)) lines.push(lineOf(source.text, node.start));
    });
    return lines.map(
      (line) => `${source.path}:${line}: find what is to be taken in a WITH … AS MATERIALIZED`,
    );
  });
}

function takesByList(node: Node): boolean {
  if (node.type !== 'TaggedTemplateExpression') return false;
  const { quasis } = node.quasi as { quasis: { value: { cooked: string } }[] };
  const text = quasis.map(({ value }) => value.cooked).join('$');
  return [...text.matchAll(/\b(?:IN|FROM|USING)\s*(?=\(\s*SELECT\b)/gi)].some(({ index, 0: found }) =>
    /\bLIMIT\b[\s\S]*\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\b/i.test(inBrackets(text, index + found.length)),
  );
}

/** From the bracket at this place to the one that closes it. */
function inBrackets(text: string, start: number): string {
  let depth = 0;
  for (let place = start; place < text.length; place += 1) {
    if (text[place] === '(') depth += 1;
    if (text[place] === ')') depth -= 1;
    if (depth === 0) return text.slice(start, place + 1);
  }
  return text.slice(start);
}
