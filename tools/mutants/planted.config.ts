import { defineConfig } from 'vitest/config';
import { presentTrial } from './planted.ts';

/** One test file on code in which a bug is planted: no file is changed, Vite hands out the bug. */
export default defineConfig({
  plugins: [
    {
      name: 'planted-bug',
      enforce: 'pre',
      transform(_code, id) {
        const { bug } = presentTrial();
        return bug && id.split('?', 1)[0] === bug.file ? bug.text : null;
      },
    },
  ],
  test: {
    environment: presentTrial().dom ? 'happy-dom' : 'node',
    include: ['src/**/*.test.{ts,tsx}', 'tests/**/*.test.ts'],
    provide: presentTrial().provided,
    // Vitest keeps what it has transformed, and would hand out the code without the bug.
    fsModuleCache: false,
    // One after the other: the machine may be somebody's desk, and the first failure says enough.
    maxWorkers: 1,
    bail: presentTrial().bail ? 1 : 0,
    // A test that ends late on a busy machine has noticed nothing: what hangs is given up by its run.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
