import { calleeNames, liesIn, lineOf, type Node, type Source, walk } from '../source.ts';

const builders = new Set([
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'mergeInto',
  'replaceInto',
  'selectNoFrom',
]);

/** Where SQL is at home: a feature's repositories, the ledger, and the kernel's database. */
const homes = ['server/ledger', 'server/kernel/db'];

/** Files that hold SQL elsewhere, each with its reason. */
export const exceptions: Readonly<Record<string, string>> = {
  'server/compose-http.ts': 'asks whether the database answers',
  'server/main.ts': 'asks whether the database answers',
  'server/http/rate-limits.ts': 'counts of the edge, in one statement each; no feature owns them',
  'server/jobs/lost-jobs.ts': "the job library's own tables",
  'server/jobs/orphans.ts': "the job library's own tables",
  'server/kernel/attention.ts': 'the condition that every source of attention filters by',
  'server/kernel/audit.ts': 'the one writer of the audit log, inside the transaction of the act',
  'server/kernel/idempotency.ts': 'the one writer of the keys of repeated purchases',
  'server/kernel/jobs.ts': 'the one door to the job queue, inside the transaction of the act',
  'server/kernel/leases.ts': 'a lease is a row; taking it is one statement',
  'server/kernel/request-keys.ts': 'the one writer of the keys of repeated requests',
  'server/kernel/scope.ts': 'the condition that every repository filters by',
  'server/kernel/sealed-places.ts': 'walks every sealed column when a key changes',
  'server/kernel/subject-keys.ts': 'the one keeper of the keys of persons',
  'server/features/privacy/data-map.ts': 'the map of personal data is written as the queries that find it',
};

/** SQL stands in repositories and the ledger alone: who reads a service sees what decides, not how it is stored. */
export function straySql(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    if (isHome(source.path) || source.path in exceptions) return [];
    return sqlIn(source).map((line) => `${source.path}:${line}: SQL belongs in a file named *.repo.ts`);
  });
}

/** Names of the list above behind which there is no SQL any more: they would let new SQL in. */
export function idleExceptions(sources: readonly Source[]): string[] {
  const withSql = new Set(sources.filter((source) => sqlIn(source).length > 0).map(({ path }) => path));
  return Object.keys(exceptions).filter((path) => !withSql.has(path));
}

function isHome(path: string): boolean {
  return !liesIn(path, 'server') || path.endsWith('.repo.ts') || homes.some((home) => liesIn(path, home));
}

function sqlIn(source: Source): number[] {
  const lines: number[] = [];
  walk(source.program, (node) => {
    if (isSqlText(node) || isQuery(node)) lines.push(lineOf(source.text, node.start));
  });
  return lines;
}

function isSqlText(node: Node): boolean {
  return node.type === 'TaggedTemplateExpression' && (node.tag as Node).name === 'sql';
}

function isQuery(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const names = calleeNames(node);
  return builders.has(names.at(-1) ?? '') || (names[0] === 'sql' && names.length === 2);
}
