import { type Node, parseSource, type Source, walk } from '../source.ts';

/** A column that may hold what somebody wrote, or who somebody is. */
export interface WordyColumn {
  table: string;
  column: string;
}

export interface SchemaFile {
  path: string;
  text: string;
}

/**
 * Columns of texts, files and sealed bytes, in the tables of organizations; ids, amounts, dates and what the database
 * derives are none.
 */
export function wordyColumns(schema: readonly SchemaFile[]): WordyColumn[] {
  const columns = schema.flatMap(membersIn);
  const ofTenants = new Set(columns.filter(({ name }) => name === 'organisation_id').map(({ of }) => of));
  const tables = columns.filter(({ of, type }) => of === 'Database' && ofTenants.has(type));
  return tables.flatMap(({ name: table, type }) =>
    columns
      .filter(({ of, name, type: kind }) => of === type && !isId(name) && holdsWords(kind))
      .map(({ name }) => ({ table, column: name })),
  );
}

interface Member {
  of: string;
  name: string;
  type: string;
}

/** Members of each interface, with those that it inherits in its file, as `table: Interface` or `column: type`. */
export function membersIn({ path, text }: SchemaFile): Member[] {
  const interfaces = new Map<string, Node>();
  walk(parseSource(path, text).program, (node) => {
    if (node.type === 'TSInterfaceDeclaration') interfaces.set((node.id as Node).name as string, node);
  });
  const namesOf = (node: Node): Node[] => {
    const parents = (node.extends as Node[]).flatMap((parent) => {
      const found = interfaces.get((parent.expression as Node).name as string);
      return found ? namesOf(found) : [];
    });
    return [...parents, ...((node.body as Node).body as Node[])];
  };
  return [...interfaces].flatMap(([of, node]) =>
    namesOf(node).flatMap((member) => {
      const type = (member.typeAnnotation as Node | undefined)?.typeAnnotation as Node | undefined;
      if (!type) return [];
      return [{ of, name: (member.key as Node).name as string, type: text.slice(type.start, type.end) }];
    }),
  );
}

const isId = (name: string) => name === 'id' || name.endsWith('_id');

function holdsWords(type: string): boolean {
  return !type.startsWith('Computed<') && /\b(?:string|Json|Buffer|unknown|StoredZone)\b/.test(type);
}

/** Columns with no fate, and fates of columns that are gone. */
export function columnFaults(
  columns: readonly WordyColumn[],
  fates: Readonly<Record<string, Readonly<Record<string, string>>>>,
): string[] {
  const there = new Set(columns.map(({ table, column }) => `${table}.${column}`));
  const named = Object.entries(fates).flatMap(([table, of]) =>
    Object.keys(of).map((column) => `${table}.${column}`),
  );
  const known = new Set(named);
  return [
    ...[...there]
      .filter((name) => !known.has(name))
      .map(
        (name) =>
          `${name} may hold personal data: say in tests/architecture/personal-columns.ts what erasing a person does ` +
          'with it, see that the feature’s privacy.repo.ts does it, and hide it in data-map.ts if it is never handed out',
      ),
    ...named.filter((name) => !there.has(name)).map((name) => `${name} is no such column any more`),
  ];
}

type Fates = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Where a person is erased: what it calls by name is done, and what those call. */
const whereErasingBegins = 'server/features/privacy/erasure.ts';

/**
 * Columns that are said to be erased, and that no erasing function names (`erase…`, `forget…`, `destroy…`) which the erasure
 * of a person calls: it removes the table's rows, or writes that column.
 */
export function unerasedColumns(sources: readonly Source[], fates: Fates): string[] {
  const erasing = sources.filter(({ path }) => path.startsWith('server/')).flatMap(erasingFunctions);
  const called = calledFrom(sources.find(({ path }) => path === whereErasingBegins)?.text ?? '', erasing);
  const erases = (table: string, column: string) => (text: string) =>
    new RegExp(`(deleteFrom\\('|DELETE FROM )${table}\\b`).test(text) ||
    (new RegExp(`(updateTable\\('|UPDATE )${table}\\b`).test(text) &&
      new RegExp(`\\b${column}\\b`).test(text));
  return Object.entries(fates).flatMap(([table, of]) =>
    Object.entries(of)
      .filter(([, fate]) => fate === 'erased')
      .flatMap(([column]) => {
        const found = erasing.filter(({ text }) => erases(table, column)(text));
        if (found.some((each) => called.has(each))) return [];
        const names = found.map(({ name }) => name).join(', ');
        return found.length > 0
          ? `${table}.${column} is to be erased, and nothing calls ${names}: call it in features/privacy/erasure.ts`
          : `${table}.${column} is to be erased, and no function does it: add the column to the function in the feature’s ` +
              `privacy.repo.ts that erases ${table}, or write one (\`eraseFrom…\`) and call it in features/privacy/erasure.ts`;
      }),
  );
}

interface ErasingFunction {
  name: string;
  text: string;
}

/** Those that the text calls, by themselves or through each other. */
function calledFrom(start: string, erasing: readonly ErasingFunction[]): Set<ErasingFunction> {
  const called = new Set<ErasingFunction>();
  for (const texts = [start]; texts.length > 0; ) {
    const text = texts.pop() ?? '';
    for (const each of erasing.filter(({ name }) => new RegExp(`\\b${name}\\(`).test(text))) {
      if (!called.has(each)) texts.push(each.text);
      called.add(each);
    }
  }
  return called;
}

function erasingFunctions({ program, text }: Source): ErasingFunction[] {
  const found: ErasingFunction[] = [];
  walk(program, (node) => {
    const name = (node.id as Node | null | undefined)?.name;
    if (node.type !== 'FunctionDeclaration' || typeof name !== 'string') return;
    if (/^(erase|forget|destroy)/.test(name)) found.push({ name, text: text.slice(node.start, node.end) });
  });
  return found;
}

/** Tables with something that is erased, of which a person is handed nothing. */
export function unexportedTables(
  dataMap: Readonly<Record<string, unknown>>,
  fates: Fates,
  excused: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(fates)
    .filter(([table, of]) => Object.values(of).includes('erased') && !(table in excused))
    .filter(([table]) => typeof dataMap[table] === 'string')
    .map(
      ([table]) =>
        `${table} holds personal data that is erased, so it is handed out too: say in features/privacy/data-map.ts ` +
        'whose its rows are',
    );
}
