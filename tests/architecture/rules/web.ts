import { liesIn, lineOf, type Source, walk } from '../source.ts';

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
