import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { defineConfig, type Plugin } from 'rolldown';

/** Read beside the program, as they lie beside the source that reads them (`src/server/http/api-docs.ts`). */
const docsPage = 'src/server/http/docs-page';
/** They bring compiled code or files of their own. */
const asInstalled = ['sharp', 'pdfkit', 'dejavu-fonts-ttf'];

/** A page has its styles and its script beside the program. */
const withDocsPage: Plugin = {
  name: 'docs-page',
  buildStart() {
    for (const name of readdirSync(docsPage)) {
      const source = readFileSync(`${docsPage}/${name}`);
      this.emitFile({ type: 'asset', fileName: `docs-page/${name}`, source });
    }
  },
};

/** `import` reads every value of a module of Node, and some are made when they are read. So only what is used is read. */
const asUsed = (name: string) => [name, `module.exports = process.getBuiltinModule('${name}');`];
const leftOut = (name: string) => [
  name,
  `module.exports = () => { throw new Error('the build leaves out ${name}'); };`,
];

/**
 * Modules of which the server uses a part or nothing, and what stands for them in the build (docs/decisions/0300, 0305).
 * - With `WebSocket` of `node:http` comes Node's own `fetch`, with `rootCertificates` of `node:tls` all authorities, and with
 *   `allowedNodeEnvironmentFlags` of `node:process` all options.
 * - Client and server speak HTTP/1.1. Where Node has no `node:http2`, `undici` itself goes on with such `constants`.
 * - Fastify compiles schemas of routes and plays requests of tests. The contract needs no schemas of Fastify's.
 * - `glob` would list the files of the web app, which the server does itself. `milo` is a parser that is off.
 * - The whole of `undici` is `fetch`, caches, sockets and mocks, too. Another part that is imported of it fails the build.
 */
const parts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['node:http', 'node:tls', 'node:process'].map(asUsed)),
  'node:http2': 'module.exports = { constants: {} };',
  ...Object.fromEntries(
    [
      ...['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'],
      ...['glob', '../milo/simd.js', '../milo/no-simd.js'],
    ].map(leftOut),
  ),
  undici: ['Client', 'Pool']
    .map((name) => `export { default as ${name} } from 'undici/lib/dispatcher/${name.toLowerCase()}.js';`)
    .join('\n'),
};

const inParts: Plugin = {
  name: 'in-parts',
  resolveId(source) {
    const name = isBuiltin(source) ? `node:${source.replace('node:', '')}` : source;
    return Object.hasOwn(parts, name) ? `\0${name}` : null;
  },
  load: (id) => (id.startsWith('\0') ? (parts[id.slice(1)] ?? null) : null),
};

/**
 * The engine keeps the text of a program in memory. One letter beyond ASCII can make it keep two bytes for each letter of the
 * file, so these are written as escapes; in strings, patterns and names they mean the same.
 */
const inAscii: Plugin = {
  name: 'in-ascii',
  generateBundle(_options, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk') continue;
      // What is escaped there is read as it is written.
      if (/\braw`[^`]*[^\0-\x7f]/.test(part.code))
        throw new Error(`${part.fileName} has raw text beyond ASCII`);
      part.code = part.code.replace(
        /[^\0-\x7f]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/**
 * The server as few files, without comments: it starts in half of the time and takes 30 MB less than from a thousand sources
 * (docs/decisions/0286). Functions and classes keep their names, for the traces in logs; the names within them are short (0335).
 */
export default defineConfig({
  input: { main: 'src/server/entry.ts' },
  platform: 'node',
  external: new RegExp(`^(${asInstalled.join('|')})(/|$)`),
  plugins: [inParts, withDocsPage, inAscii],
  output: {
    ...{ dir: 'dist/server', format: 'esm', keepNames: true, comments: false },
    minify: { mangle: { keepNames: true, toplevel: false }, compress: false, codegen: true },
    chunkFileNames: '[name]-[hash].js',
  },
});
