import { defineConfig } from 'vitest/config';

/** The tests that judge a mutated rule: they need no server and take milliseconds. Stryker names the folder. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['**/*.test.ts'],
    exclude: [
      ...['**/*.db.test.ts', '**/node_modules/**'],
      // Slow for a rule's test: it runs programs of others, makes keys or speaks a protocol.
      ...[
        '**/server/{adapters,http,jobs,kernel}/**',
        '**/dns/zone-file.test.ts',
        '**/certificates/csr.test.ts',
      ],
    ],
    testTimeout: 30_000,
    isolate: false,
  },
});
