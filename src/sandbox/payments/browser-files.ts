import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'browser');

export interface BrowserFile {
  headers: Record<string, string>;
  body: string;
}

const FRAME = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Payment details</title>
<link rel="stylesheet" href="/browser/element.css">
<script src="/browser/element.js" defer></script>
</head>
<body><div id="form"></div></body>
</html>`;

/** The script has a name per release train (`/endive/stripe.js`), as SDK `@stripe/stripe-js` 10.2 loads it (checked 2026-11-21). */
const SCRIPT_PATH = /^\/(v3\/?|[a-z0-9]+\/stripe\.js)$/;

const built = new Map<string, Promise<string>>();

/** The browser's part: the script, its frame and the styles. Null for any other path. */
export async function browserFile(path: string): Promise<BrowserFile | null> {
  if (SCRIPT_PATH.test(path)) return script('stripe.ts');
  if (path === '/browser/element.js') return script('element.ts');
  if (path === '/browser/challenge.js') return script('challenge.ts');
  if (path === '/browser/element.css') return style('element.css');
  if (path === '/browser/page.css') return style('page.css');
  if (path === '/elements/payment') {
    const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'";
    return { headers: { ...typed('text/html'), 'content-security-policy': policy }, body: FRAME };
  }
  return null;
}

function typed(type: string): Record<string, string> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-cache',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  };
}

async function style(name: string): Promise<BrowserFile> {
  return { headers: typed('text/css'), body: await readFile(join(FOLDER, name), 'utf8') };
}

async function script(name: string): Promise<BrowserFile> {
  const body = built.get(name) ?? bundle(join(FOLDER, name));
  built.set(name, body);
  try {
    return { headers: typed('text/javascript'), body: await body };
  } catch (error) {
    built.delete(name);
    throw error;
  }
}

/** One classic script without imports; made at the first request, which takes some 100 ms. */
async function bundle(entry: string): Promise<string> {
  const { build } = await import('vite');
  const result = await build({
    configFile: false,
    envFile: false,
    logLevel: 'silent',
    publicDir: false,
    root: FOLDER,
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      target: 'es2022',
      rolldownOptions: { input: entry, output: { format: 'iife' } },
    },
  });
  const first = Array.isArray(result) ? result[0] : result;
  const chunk = first && 'output' in first ? first.output[0] : undefined;
  if (!chunk) throw new Error(`no output for ${entry}`);
  return chunk.code;
}
