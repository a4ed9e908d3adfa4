import { calleeNames, lineOf, type Node, type Source, walk } from '../source.ts';

/**
 * A file `x.rules.ts` decides: it is handed state, figures and now, and waits for nothing. So its tests take
 * milliseconds and can stand at every edge.
 */
export function impureRules(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path.endsWith('.rules.ts'))
    .flatMap((source) => {
      const found: string[] = [];
      const add = (line: number, what: string) => found.push(`${source.path}:${line}: ${what}`);
      for (const { file, builtin, typeOnly, line } of source.imports) {
        if (typeOnly) continue;
        if (builtin || (file && !isPlain(file))) add(line, 'rules import values, types and other rules only');
      }
      walk(source.program, (node) => {
        const what = impurityOf(node);
        if (what) add(lineOf(source.text, node.start), what);
      });
      return found;
    });
}

/** What holds no state and does no I/O. */
function isPlain(file: string): boolean {
  return (
    file.startsWith('contracts/') ||
    file.endsWith('.rules.ts') ||
    file === 'server/kernel/scope.ts' ||
    file === 'server/ports/outcome.ts'
  );
}

function impurityOf(node: Node): string | null {
  if (node.type === 'AwaitExpression' || node.async === true) return 'rules wait for nothing';
  if (node.type === 'NewExpression') {
    const isDate = (node.callee as Node).name === 'Date';
    return isDate && (node.arguments as Node[]).length === 0 ? 'rules are given the time' : null;
  }
  if (node.type !== 'CallExpression') return null;
  const name = calleeNames(node).join('.');
  return name === 'Date.now' || name === 'Math.random' ? 'rules are given time and chance' : null;
}
