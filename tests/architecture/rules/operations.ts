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
    .map(({ id, access }) => `${id}: ${access} is not in the permission table`);
  const misnamed = operations
    .filter(({ id }) => !/^[a-z]+\.[a-zA-Z]+$/.test(id))
    .map(({ id }) => `${id}: not feature.verb`);
  const ids = twice(operations.map(({ id }) => id)).map((id) => `${id}: declared twice`);
  const routes = twice(operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':x')}`));
  return [...found, ...misnamed, ...ids, ...routes.map((route) => `${route}: two operations`)];
}

function twice(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
