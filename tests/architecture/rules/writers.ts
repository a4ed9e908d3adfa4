import { calleeNames, liesIn, lineOf, type Node, type Source, walk } from '../source.ts';

export interface Write {
  table: string;
  /** `features/orders`, `ledger`, `kernel`, `http`, `jobs` */
  writer: string;
  where: string;
}

const builders = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto']);
// Statements in SQL text; "FOR UPDATE" and "ON CONFLICT DO UPDATE" write no table of that name.
const statements =
  /(?<!\b(?:FOR|DO|FOR NO KEY)\s+)\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?)\s+(?:ONLY\s+)?"?([a-z_]+)"?/g;

/** The tables that the migrations make. */
export function tablesIn(migrations: readonly string[]): Set<string> {
  const made = migrations.flatMap((text) => [
    ...text.matchAll(/^CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)/gm),
  ]);
  return new Set(made.map((match) => match[1] ?? ''));
}

/** Everything on the server that writes a table, by query builder or by SQL text. */
export function writesIn(sources: readonly Source[], tables: ReadonlySet<string>): Write[] {
  return sources
    .filter(({ path }) => liesIn(path, 'server') && !liesIn(path, 'server/main.ts'))
    .flatMap((source) => {
      const writes: Write[] = [];
      const add = (table: string, node: Node) =>
        writes.push({
          table,
          writer: writerOf(source.path),
          where: `${source.path}:${lineOf(source.text, node.start)}`,
        });
      walk(source.program, (node) => {
        if (node.type === 'CallExpression' && builders.has(calleeNames(node).at(-1) ?? '')) {
          add(tableArgument(node), node);
        }
        for (const table of tablesInText(textOf(node))) if (tables.has(table)) add(table, node);
      });
      return writes;
    });
}

/** Each table has one writer: who else wants it changed asks that one. */
export function writerViolations(writes: readonly Write[]): string[] {
  const byTable = Map.groupBy(writes, ({ table }) => table);
  return [...byTable].flatMap(([table, all]) => {
    if (table === '') return all.map(({ where }) => `${where}: writes a table whose name is computed`);
    const writers = new Set(all.map(({ writer }) => writer));
    if (writers.size <= 1) return [];
    const places = all.map(({ writer, where }) => `${writer} (${where})`);
    return [`${table} has ${writers.size} writers: ${[...new Set(places)].join(', ')}`];
  });
}

function writerOf(path: string): string {
  const [, zone = '', feature = ''] = path.split('/');
  return zone === 'features' || zone === 'adapters' ? `${zone}/${feature}` : zone;
}

function tableArgument(call: Node): string {
  const first = (call.arguments as Node[])[0];
  return typeof first?.value === 'string' ? (first.value.split(' ')[0] ?? '') : '';
}

function textOf(node: Node): string {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : '';
  if (node.type !== 'TemplateElement') return '';
  return (node.value as { cooked: string | null }).cooked ?? '';
}

function tablesInText(text: string): string[] {
  return [...text.matchAll(statements)].map((match) => match[1] ?? '');
}
