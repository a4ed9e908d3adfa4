import { liesIn, lineOf, type Node, type Source, walk } from '../source.ts';

/** Where the words of mails stand, by the names of the files. */
const letters = /\.letters\.ts$/;
/** The post office, the table that names its jobs, and those who do them. */
const postOffice = ['server/kernel/letters.ts', 'server/kernel/job-table.ts', 'server/jobs/tasks.ts'];
const tasks = new Set(['mail.send', 'billing.notify']);

/** The functions that make letters: all that a letters file exports. */
export function exportedFunctions(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => liesIn(path, 'server') && letters.test(path))
    .flatMap(({ program }) =>
      (program.body as Node[]).flatMap((node) => {
        const declared = node.type === 'ExportNamedDeclaration' ? (node.declaration as Node | null) : null;
        return declared?.type === 'FunctionDeclaration'
          ? [(declared.id as Node & { name: string }).name]
          : [];
      }),
    );
}

/** Mails whose words, or whose way to the mail server, are a file's own: they would miss the layout and its tests. */
export function ownLetters(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => liesIn(path, 'server') && !postOffice.includes(path))
    .flatMap((source) => {
      const found: string[] = [];
      walk(source.program, (node) => {
        const at = `${source.path}:${lineOf(source.text, node.start)}`;
        if (node.type === 'Literal' && tasks.has(String(node.value))) found.push(`${at}: posts by itself`);
        if (!letters.test(source.path) && isLetter(node)) found.push(`${at}: a letter in place`);
      });
      return found;
    });
}

function isLetter(node: Node): boolean {
  if (node.type !== 'ObjectExpression') return false;
  const keys = (node.properties as Node[]).map(
    ({ key }) => (key as (Node & { name?: string }) | undefined)?.name,
  );
  return keys.includes('subject') && keys.includes('parts');
}
