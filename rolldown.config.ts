import { readdirSync, readFileSync } from 'node:fs';
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
 * (docs/decisions/0286). Names stay as they are written, for the traces in logs.
 */
export default defineConfig({
  input: { main: 'src/server/main.ts' },
  platform: 'node',
  external: new RegExp(`^(${asInstalled.join('|')})(/|$)`),
  plugins: [withDocsPage, inAscii],
  output: {
    ...{ dir: 'dist/server', format: 'esm', keepNames: true, comments: false },
    minify: { mangle: false, compress: false, codegen: true },
    chunkFileNames: '[name]-[hash].js',
  },
});
