import { liesIn, lineOf, type Node, type Source, walk } from '../source.ts';

/** The one file that may look at how an address is spelled; it says of what. */
const reader = 'server/http/place.ts';
const raw = new Set(['url', 'originalUrl']);
/** The router's own pattern of a route is no raw address. */
const patterns = new Set(['routeOptions', 'route']);

/**
 * The edge goes by the route that the router matched, never by the raw address: `/%61pi/customer` is `/api/customer`,
 * and a check that looks for `/api/` does not see it.
 */
export function rawAddressReads(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => liesIn(path, 'server/http') && path !== reader)
    .flatMap((source) => {
      const found: string[] = [];
      walk(source.program, (node) => {
        if (readsRawAddress(node))
          found.push(`${source.path}:${lineOf(source.text, node.start)}: a raw address`);
      });
      return found;
    });
}

function readsRawAddress(node: Node): boolean {
  if (node.type === 'MemberExpression') {
    const { property, object } = node as Node & { property: Node; object: Node };
    if (!raw.has(wordOf(property))) return false;
    const owner = object.type === 'MemberExpression' ? (object.property as Node) : object;
    return !patterns.has(wordOf(owner));
  }
  if (node.type !== 'ObjectPattern') return false;
  return (node.properties as Node[]).some(
    (property) => property.type === 'Property' && raw.has(wordOf(property.key as Node)),
  );
}

/** The name of an identifier, or the text of a literal: `a.url` and `a['url']` are the same. */
function wordOf(node: Node): string {
  return typeof node.name === 'string' ? node.name : typeof node.value === 'string' ? node.value : '';
}
