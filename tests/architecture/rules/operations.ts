/** What the rules look at of an operation. */
export interface DescribedOperation {
  id: string;
  method: string;
  path: string;
  access: string;
}

/** Who is let in without a permission, and by what instead. */
const withoutPermission = ['public', 'identity', 'signature', 'webhook', 'operator', 'bootstrap'];

/** Every operation says who may call it, by a permission of the table or by one of the few other ways. */
export function operationViolations(
  operations: readonly DescribedOperation[],
  permissions: Readonly<Record<string, unknown>>,
): string[] {
  const known = new Set([...Object.keys(permissions), ...withoutPermission]);
  const found = operations
    .filter(({ access }) => !known.has(access))
    .map(
      ({ id, access }) =>
        `${id}: ${access} is not in the permission table: add it to contracts/permissions.ts, and to the table in ` +
        'permissions.test.ts that states each decision a second time',
    );
  const misnamed = operations
    .filter(({ id }) => !/^[a-z]+\.[a-zA-Z]+$/.test(id))
    .map(({ id }) => `${id}: not feature.verb`);
  const ids = twice(operations.map(({ id }) => id)).map((id) => `${id}: declared twice`);
  const routes = twice(operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':x')}`));
  return [...found, ...misnamed, ...ids, ...routes.map((route) => `${route}: two operations`)];
}

/**
 * Operations that no row of docs/behaviour names, but for those of before rows did (by feature, names with blanks in
 * between); and names among these that are told by now, or gone.
 */
export function untold(
  operations: readonly Pick<DescribedOperation, 'id'>[],
  pages: string,
  before: Readonly<Record<string, string>>,
): string[] {
  const excused = new Set(
    Object.entries(before).flatMap(([feature, verbs]) =>
      verbs.split(' ').map((verb) => `${feature}.${verb}`),
    ),
  );
  const ids = operations.map(({ id }) => id);
  const isTold = (id: string) => pages.includes(`\`${id}\``);
  return [
    ...ids
      .filter((id) => !isTold(id) && !excused.has(id))
      .map((id) => `${id}: add a row to docs/behaviour that says what it does, with \`${id}\` under "Where"`),
    ...[...excused]
      .filter((id) => isTold(id) || !ids.includes(id))
      .map((id) => `${id} is told, or gone: take it off untold-operations.ts`),
  ];
}

/** Files of operations that a list of all of them leaves out; an operation in such a file does not exist for its readers. */
export function unlistedFiles(files: readonly string[], lists: Readonly<Record<string, string>>): string[] {
  return Object.entries(lists).flatMap(([list, text]) =>
    files
      .filter((file) => !text.includes(`operations/${file}'`))
      .map(
        (file) =>
          `src/contracts/operations/${file} is not in ${list}: import it there and add it to the list`,
      ),
  );
}

function twice(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
