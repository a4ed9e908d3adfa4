import { liesIn, lineOf, type Node, type Source, walk } from '../source.ts';

/** What the web app reaches in one place only, where its pitfalls are dealt with. */
const soleUsers: readonly {
  name: string;
  from: string | null;
  places: readonly string[];
  instead: string;
}[] = [
  {
    name: 'useMutation',
    from: '@tanstack/react-query',
    places: ['web/lib/mutation.ts'],
    instead: 'lib/mutation.ts, where two presses in one frame are one call',
  },
  {
    name: 'lazy',
    from: 'react',
    places: [],
    instead: 'ui/lazily.tsx, which can be tried again where it could not be loaded',
  },
  {
    name: 'lazyRouteComponent',
    from: '@tanstack/react-router',
    places: [],
    instead: 'ui/lazily.tsx, which does not leave the page where it could not be loaded',
  },
  ...['localStorage', 'sessionStorage'].map((name) => ({
    name,
    from: null,
    // The sign-in library is given the browser's storage for what a redirect must find again.
    places: ['web/lib/storage.ts', 'web/lib/oidc.ts'],
    instead: 'lib/storage.ts, which heals what is broken and never fails',
  })),
];

/** Uses of what has a place of its own, elsewhere. */
export function bareUses(sources: readonly Source[]): string[] {
  const found: string[] = [];
  for (const source of sources.filter(({ path }) => path.startsWith('web/'))) {
    for (const rule of soleUsers.filter(
      ({ places }) => !places.some((place) => liesIn(source.path, place)),
    )) {
      for (const offset of usesOf(source, rule)) {
        found.push(`${source.path}:${lineOf(source.text, offset)}: use ${rule.instead}`);
      }
    }
  }
  return found;
}

/** Where a name is imported from that package; or, without one, where it is used as a global. */
function usesOf(source: Source, rule: { name: string; from: string | null }): number[] {
  const offsets: number[] = [];
  walk(source.program, (node) => {
    if (rule.from === null) {
      if (node.type === 'Identifier' && node.name === rule.name) offsets.push(node.start);
      return;
    }
    if (node.type !== 'ImportDeclaration' || (node.source as { value?: unknown }).value !== rule.from) return;
    for (const specifier of node.specifiers as { imported?: { name?: string }; start: number }[]) {
      // `import * as library` would hide the name.
      if (!specifier.imported || specifier.imported.name === rule.name) offsets.push(specifier.start);
    }
  });
  return offsets;
}

const effects = new Set(['useEffect', 'useLayoutEffect', 'useInsertionEffect']);

/**
 * Effects that hand on what somebody else's function returns. React calls it to undo the effect, and the page falls when it is no
 * function: a browser's `scrollIntoView` answers with nothing or with a promise, by its version. A function of ours that is called
 * by its name may return what undoes it.
 */
export function handedOn(sources: readonly Source[]): string[] {
  const found: string[] = [];
  for (const source of sources.filter(({ path }) => path.startsWith('web/'))) {
    walk(source.program, (node) => {
      if (node.type !== 'CallExpression' || !effects.has((node.callee as { name?: string }).name ?? ''))
        return;
      const effect = (node.arguments as Node[])[0];
      if (effect?.type !== 'ArrowFunctionExpression' || !callsAnothers(effect.body as Node)) return;
      found.push(`${source.path}:${lineOf(source.text, node.start)}: put the effect's body into braces`);
    });
  }
  return found;
}

function callsAnothers(body: Node): boolean {
  if (body.type === 'ParenthesizedExpression') return callsAnothers(body.expression as Node);
  if (body.type === 'ConditionalExpression') {
    return callsAnothers(body.consequent as Node) || callsAnothers(body.alternate as Node);
  }
  if (body.type === 'LogicalExpression') return callsAnothers(body.right as Node);
  if (body.type === 'ChainExpression' || body.type === 'AwaitExpression') return true;
  return body.type === 'CallExpression' && (body.callee as Node).type !== 'Identifier';
}
