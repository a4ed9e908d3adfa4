import { portNames } from '../import-table.ts';
import { calleeNames, liesIn, lineOf, type Node, type Source, walk } from '../source.ts';

const openers = new Set(['inTransaction', 'inReading', 'systemTransaction', 'transaction']);

/**
 * No outside system is called in the body of a transaction. (What the body calls in turn is caught when it runs: the
 * database kernel marks the context, and everything that leaves the process refuses the mark.)
 */
export function outsideCallsInTransactions(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => liesIn(path, 'server'))
    .flatMap((source) => {
      const found = new Set<string>();
      walk(source.program, (node) => {
        if (node.type !== 'CallExpression' || !calleeNames(node).some((name) => openers.has(name))) return;
        for (const body of node.arguments as Node[]) {
          walk(body, (inner) => {
            const names = inner.type === 'CallExpression' ? calleeNames(inner) : [];
            const outside = names.slice(0, -1).some((name) => portNames.includes(name));
            if (outside || (names.length === 1 && names[0] === 'fetch')) {
              found.add(
                `${source.path}:${lineOf(source.text, inner.start)}: ${names.join('.')}() in a transaction`,
              );
            }
          });
        }
      });
      return [...found];
    });
}

/** Packages and modules that reach the outside by themselves, past the one HTTP client. */
const reaching = /^(stripe|nodemailer|@aws-sdk\/.*|undici|node:(http|https|http2|net|tls|dgram|dns)(\/.*)?)$/;

/** Whatever leaves the process asks first whether a transaction is open: an adapter by itself or by the client. */
export function unguardedAdapters(sources: readonly Source[]): string[] {
  const adapters = Map.groupBy(
    sources.filter(({ path }) => liesIn(path, 'server/adapters/X')),
    ({ path }) => path.split('/')[2] ?? '',
  );
  return [...adapters].flatMap(([name, files]) => {
    const reaches = files.some(({ imports }) =>
      imports.some(({ specifier }) => reaching.test(specifier ?? '')),
    );
    const guarded = files.some(
      ({ text, imports }) =>
        text.includes('assertNoTransaction(') ||
        imports.some(({ file }) => file === 'server/kernel/http-client.ts'),
    );
    return reaches && !guarded
      ? [`server/adapters/${name} reaches the outside without assertNoTransaction`]
      : [];
  });
}

/** The server's other parts reach the outside through a port or the HTTP client only. */
export function directRequests(sources: readonly Source[]): string[] {
  const allowed = ['server/adapters', 'server/kernel/http-client.ts', 'server/kernel/db'];
  return sources
    .filter(({ path }) => liesIn(path, 'server') && !allowed.some((place) => liesIn(path, place)))
    .flatMap((source) => {
      const found = source.imports
        .filter(({ specifier }) => reaching.test(specifier ?? ''))
        // Types of requests and the test of an address are no way out.
        .filter(({ specifier }) => specifier !== 'node:net' && specifier !== 'node:http')
        .map(({ line, specifier }) => `${source.path}:${line}: ${specifier}`);
      walk(source.program, (node) => {
        const names = node.type === 'CallExpression' ? calleeNames(node) : [];
        if (names.length === 1 && names[0] === 'fetch') {
          found.push(`${source.path}:${lineOf(source.text, node.start)}: fetch()`);
        }
      });
      return found;
    });
}
