import { membersIn, type SchemaFile } from './columns.ts';

/** A column as the migrations have made it. */
export interface StoredColumn {
  table: string;
  column: string;
  nullable: boolean;
}

/** A column as `src/server/kernel/db/schema` describes it. */
export interface DeclaredColumn {
  table: string;
  column: string;
  /** null: the database derives it, and nobody writes it. */
  nullable: boolean | null;
}

const schemaDir = 'src/server/kernel/db/schema';

/** The columns of every table that `Database` names. */
export function declaredColumns(files: readonly SchemaFile[]): DeclaredColumn[] {
  const members = files.flatMap(membersIn);
  const tables = members.filter(({ of }) => of === 'Database');
  return tables.flatMap(({ name: table, type }) =>
    members
      .filter(({ of }) => of === type)
      .map(({ name: column, type: kind }) => ({ table, column, nullable: mayBeNull(kind) })),
  );
}

/** Where the schema and the migrations differ: by tables, columns, and whether a column may be null. */
export function schemaFaults(declared: readonly DeclaredColumn[], stored: readonly StoredColumn[]): string[] {
  const tables = new Set(declared.map(({ table }) => table));
  const known = new Map(declared.map((each) => [placeOf(each), each]));
  const real = new Map(stored.map((each) => [placeOf(each), each]));
  const forgotten = new Set(stored.filter(({ table }) => !tables.has(table)).map(({ table }) => table));
  return [
    ...stored
      .filter((each) => tables.has(each.table) && !known.has(placeOf(each)))
      .map((each) => `${placeOf(each)} is in the database and not in the schema: add it to ${schemaDir}`),
    ...[...forgotten].map(
      (table) =>
        `${table} is in the database and not in the schema: describe it in ${schemaDir}, and name it in Database of ${schemaDir}.ts`,
    ),
    ...declared
      .filter((each) => !real.has(placeOf(each)))
      .map((each) => `${placeOf(each)} is in the schema and not in the database: write a migration`),
    ...declared.flatMap((each) => {
      const found = real.get(placeOf(each));
      if (!found || each.nullable === null || found.nullable === each.nullable) return [];
      const [here, there] = found.nullable ? ['database', 'schema'] : ['schema', 'database'];
      return [`${placeOf(each)} may be null in the ${here} and not in the ${there}`];
    }),
  ];
}

/** What a column of JSON holds inside may be null, whatever the column may be. */
function mayBeNull(type: string): boolean | null {
  if (type.startsWith('Computed<')) return null;
  if (type.startsWith('OptionalJson<')) return true;
  return !type.startsWith('Json<') && /\bnull\b/.test(type);
}

const placeOf = ({ table, column }: { table: string; column: string }) => `${table}.${column}`;
