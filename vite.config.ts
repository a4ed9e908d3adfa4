import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

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
            { name: 'sign-in', test: /node_modules[\\/](oidc-client-ts|jwt-decode)[\\/]/ },
          ],
        },
      },
    },
  },
});
