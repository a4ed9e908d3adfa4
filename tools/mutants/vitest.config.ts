import { defineConfig } from 'vitest/config';

/** The tests that judge a mutated rule: they need no server and take milliseconds. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['contracts', 'server/features', 'web/features'].map((folder) => `src/${folder}/**/*.test.ts`),
    exclude: [
      ...['**/*.db.test.ts', '**/node_modules/**'],
      // Slow for a rule's test: it runs programs of others, makes keys or speaks a protocol.
      ...['src/server/features/dns/zone-file.test.ts', 'src/server/features/certificates/csr.test.ts'],
    ],
    testTimeout: 30_000,
  },
});
