const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const saysNothing = new Set(['utils', 'util', 'helpers', 'common', 'misc', 'shared', 'lib.ts']);

/** Files and folders are in kebab case, and no folder is called something that says nothing. */
export function nameViolations(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const bad = path.split('/').find((part) => !kebabCase.test(part) || saysNothing.has(part));
    return bad === undefined ? [] : [`${path}: ${bad}`];
  });
}
