import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { filesInTurn, leftToOthers } from './tests/support/turn.ts';

/** Generous: a hung test ends, and a slow or busy machine fails none. */
const hung = 1_800_000;

/** What is looked at again and again (`expect.poll`), as in tests/support/eventually.ts. */
const expect = { poll: { timeout: Number(process.env.PATIENCE_MS ?? 240_000) } };

/**
 * Worlds wait half of their time for processes, tests beside the features never do: side by side they keep all cores busy. Worlds come
 * sooner, because one that is begun last keeps one core busy while the others wait.
 */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const isWorld = ({ moduleId }: TestSpecification) => /\/tests\/(?!architecture)/.test(moduleId);
    const worlds = bySize.filter(isWorld);
    const others = bySize.filter((file) => !isWorld(file));
    const between = Math.floor(others.length / (worlds.length + 4));
    return [...worlds.flatMap((world) => [world, ...others.splice(0, between)]), ...others];
  }
}

/** `unit` needs nothing; `db` brings up a throw-away PostgreSQL. Browser tests are Playwright's (`tests/e2e`). */
export default defineConfig({
  test: {
    // All cores, and one more for what only waits for a process to start or to die; the default leaves one core free,
    // which is half of a machine of two.
    maxWorkers: availableParallelism() + 1,
    // Tests that run at the same time have servers of their own: more of them only wait for each other.
    maxConcurrency: 3,
    sequence: { sequencer: Mixed },
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          // First, because a fault shows soonest there. In one group with `db` they got a single worker.
          sequence: { groupOrder: 0 },
          include: ['src/**/*.test.{ts,tsx}', 'tests/architecture/**/*.test.ts'],
          exclude: ['**/*.db.test.ts', '**/*.dom.test.tsx', '**/node_modules/**'],
          // A process reads what it imports once for all of its files: half of the time goes. What a test changes outside of
          // itself (timers, globals, the environment) it puts back.
          isolate: false,
          testTimeout: hung,
          hookTimeout: hung,
          expect,
        },
      },
      {
        test: {
          name: 'dom',
          environment: 'happy-dom',
          // A link that a test follows is not fetched: nothing in a test reaches outside of this machine.
          environmentOptions: {
            happyDOM: { settings: { navigation: { disableMainFrameNavigation: true } } },
          },
          sequence: { groupOrder: 0 },
          include: ['src/web/**/*.dom.test.tsx'],
          exclude: ['**/node_modules/**'],
          isolate: false,
          testTimeout: hung,
          hookTimeout: hung,
          expect,
        },
      },
      {
        test: {
          name: 'db',
          environment: 'node',
          sequence: { groupOrder: 1 },
          // Each file waits for its database and, in a world, for processes: with one more than above no core is ever idle.
          maxWorkers: availableParallelism() + 2,
          include: [
            'src/**/*.db.test.ts',
            'tests/faults/**/*.test.ts',
            'tests/rounds/**/*.test.ts',
            'tests/simulation/**/*.test.ts',
            'tests/start/**/*.test.ts',
            'tests/api/**/*.test.ts',
            'tests/acme/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...leftToOthers(filesInTurn)],
          globalSetup: ['tests/support/cluster.ts'],
          // Each file has a database, a portal and a sandbox of its own; only the modules are shared, as above.
          isolate: false,
          testTimeout: hung,
          hookTimeout: hung,
          expect,
        },
      },
    ],
  },
});
