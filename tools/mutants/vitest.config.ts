import { defineConfig } from 'vitest/config';

/** The tests that judge a mutant: those of rules, which need no server and take milliseconds. */
export default defineConfig({
  test: {
    environment: 'node',
    include: (process.env['MUTANTS_JUDGES'] ?? 'contracts').split(',').map(
      (folder) => `src/${folder}/**/*.test.{ts,tsx}`,
    ),
    exclude: ['**/*.db.test.ts', '**/node_modules/**'],
    testTimeout: 30_000,
  },
});
