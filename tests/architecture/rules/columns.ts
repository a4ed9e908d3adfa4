import { type Node, parseSource, walk } from '../source.ts';

/** A column that may hold what somebody wrote, or who somebody is. */
export interface WordyColumn {
  table: string;
  column: string;
}

interface SchemaFile {
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

/** Members of each interface, as `table: Interface` or `column: type`. */
function membersIn({ path, text }: SchemaFile): Member[] {
  const members: Member[] = [];
  walk(parseSource(path, text).program, (node) => {
    if (node.type !== 'TSInterfaceDeclaration') return;
    const of = (node.id as Node).name as string;
    for (const member of (node.body as Node).body as Node[]) {
      const type = (member.typeAnnotation as Node | undefined)?.typeAnnotation as Node | undefined;
      if (!type) continue;
      members.push({ of, name: (member.key as Node).name as string, type: text.slice(type.start, type.end) });
    }
  });
  return members;
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
