import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** What the first screen needs: everything that is reached from `main.tsx` without a deferred import. */
function reachedAtStart(graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [`${web}main.tsx`];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return reached;
}

let start: ReadonlySet<string> | null = null;

/** The parts of nearly every screen: the library's components, ours, and what calls the server. */
const partsOfScreens =
  /node_modules[\\/](@mantine|@floating-ui|@tabler|clsx|react-number-format|react-remove-scroll)[\\/]|src[\\/]web[\\/](ui|lib)[\\/]/;

const web = fileURLToPath(new URL('./src/web/', import.meta.url));
const portal = `http://127.0.0.1:${process.env.PORTAL_PORT ?? '4300'}`;

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
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-)?(router|query|store|history)(-core)?)[\\/]/,
            },
            { name: 'schema', test: /node_modules[\\/]zod[\\/]|lib[\\/]no-eval\.ts$/ },
            {
              // One file for what starts, one for the parts of screens: a screen is a few requests, not a hundred.
              name: (id, graph) => {
                start ??= reachedAtStart(graph);
                if (start.has(id)) return 'start';
                return partsOfScreens.test(id) ? 'parts' : null;
              },
            },
            { name: 'sign-in', test: /node_modules[\\/](oidc-client-ts|jwt-decode)[\\/]/ },
          ],
        },
      },
    },
  },
});
