import { createRequire } from 'node:module';
import type { Node, Source } from '../source.ts';

const resolver = createRequire(import.meta.url);

/** Components stand on the screen unstyled when `web/ui/styles.ts` does not name their styles. */
export function unstyledComponents(sources: readonly Source[], styles: string): string[] {
  return sources
    .filter(({ path }) => path.startsWith('web/'))
    .flatMap((source) =>
      componentsOf(source)
        .filter((name) => hasStyles(name) && !styles.includes(`/styles/${name}.css'`))
        .map((name) => `${source.path}: ${name} has no styles`),
    );
}

function componentsOf(source: Source): string[] {
  const body = source.program.body as Node[];
  return body
    .filter((node) => node.type === 'ImportDeclaration' && isMantine(node))
    .flatMap((node) => node.specifiers as { imported?: { name: string } }[])
    .flatMap(({ imported }) => (imported ? [imported.name] : []));
}

const isMantine = (node: Node) => (node.source as { value: string }).value === '@mantine/core';

function hasStyles(name: string): boolean {
  try {
    resolver.resolve(`@mantine/core/styles/${name}.css`);
    return true;
  } catch {
    return false;
  }
}
