import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const web = fileURLToPath(new URL('./src/web/', import.meta.url));
const portal = `http://127.0.0.1:${process.env.PORTAL_PORT ?? '4300'}`;

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** What of our own is reached from there without a deferred import. Packages are cut by their folders. */
function reachedFrom(graph: ModuleGraph, ...roots: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const waiting = roots.map((path) => `${web}${path}`);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id) || id.includes('node_modules')) continue;
    reached.add(id);
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return reached;
}

/**
 * What a visitor's first screen needs. The entries themselves stay apart: the frame of the silent sign-in shares files
 * with the app and must not start it.
 */
function reachedAtStart(graph: ModuleGraph): ReadonlySet<string> {
  const reached = reachedFrom(graph, 'main.tsx', 'screens/home.tsx');
  reached.delete(`${web}main.tsx`);
  for (const id of reachedFrom(graph, 'auth/silent-callback.ts')) reached.delete(id);
  return reached;
}

let start: ReadonlySet<string> | null = null;

/** The component library's provider and the icons, which everything needs; its components, which screens need. */
const provider = /node_modules[\\/](@mantine[\\/](core[\\/]esm[\\/](core|utils)|hooks)|@tabler|clsx)[\\/]/;
const components =
  /node_modules[\\/](@mantine[\\/](core[\\/]esm[\\/]components|form)|@floating-ui|react-number-format|react-remove-scroll)[\\/]/;
/** Ours of nearly every screen; what few need and weighs much stays by itself. */
const parts = /src[\\/]web[\\/](ui|lib)[\\/](?!markdown|oidc|payments-script|no-eval)/;

export default defineConfig({
  root: web,
  plugins: [react()],
  // The server puts a fresh nonce in its place on each reply (`src/server/http/web-app.ts`).
  html: { cspNonce: '__CSP_NONCE__' },
  server: { proxy: { '/api': portal, '/uploads': portal, '/files': portal } },
  build: {
    outDir: fileURLToPath(new URL('./dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // No inlined `data:` scripts or fonts: the content security policy lets none in.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      input: { index: `${web}index.html`, silent: `${web}auth/silent-callback.html` },
      output: {
        // What every screen needs is one file; the rest follows the screens that ask for it.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              priority: 3,
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-)?(router|query|store|history)(-core)?)[\\/]/,
            },
            { name: 'schema', priority: 3, test: /node_modules[\\/]zod[\\/]/ },
            // One file for what starts, one for the parts of screens: a screen is a few requests, not a hundred.
            {
              name: (id, graph) => {
                start ??= reachedAtStart(graph);
                return start.has(id) || provider.test(id) ? 'start' : null;
              },
              priority: 2,
            },
            { name: 'parts', test: (id) => components.test(id) || parts.test(id), priority: 1 },
            { name: 'sign-in', priority: 3, test: /node_modules[\\/](oidc-client-ts|jwt-decode)[\\/]/ },
          ],
        },
      },
    },
  },
});
