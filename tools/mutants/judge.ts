import { join } from 'node:path';
import type { ProvidedContext } from 'vitest';
import { createVitest, type TestModule, type TestProject } from 'vitest/node';
import { setup } from '../../tests/support/cluster.ts';
import { presentTrial, setTrial, type Trial } from './planted.ts';

export interface Verdict {
  kind: 'noticed' | 'survived' | 'no test ran' | 'too slow';
  seconds: number;
  /** The title of the test that noticed it. */
  by: string;
}

/** Runs one test file as often as it likes: what stays the same is read once. */
export interface TestRun {
  /** What lasts longer than `limitMs` is too slow; without a limit it may last as long as it likes. */
  try(bug: Trial['bug'], limitMs?: number): Promise<Verdict>;
  close(): Promise<void>;
}

export interface Judge {
  open(test: string): Promise<TestRun>;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');
const config = join(import.meta.dirname, 'planted.config.ts');

/** Tries test files on code in which a bug may be planted, all on one throw-away PostgreSQL. */
export async function openJudge(): Promise<Judge> {
  const provided: Partial<ProvidedContext> = {};
  const provide = <T extends keyof ProvidedContext>(key: T, value: ProvidedContext[T]) => {
    provided[key] = value;
  };
  const close = await setup({ provide } as unknown as TestProject);
  return { open: (test) => openRun(test, provided), close };
}

async function openRun(test: string, provided: Partial<ProvidedContext>): Promise<TestRun> {
  setTrial({ bug: null, provided });
  const vitest = await createVitest({ root, config, watch: false, reporters: [{}] });
  const files = await vitest.globTestSpecifications([join(root, test)]);
  return {
    async try(bug, limitMs = 600_000) {
      // The bug before this one goes, and this one comes.
      for (const changed of [presentTrial().bug, bug]) if (changed) vitest.invalidateFile(changed.file);
      setTrial({ bug, provided });
      const begun = performance.now();
      const limit = setTimeout(() => void vitest.cancelCurrentRun('keyboard-input'), limitMs);
      try {
        const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files);
        const ms = performance.now() - begun;
        return {
          ...verdictOf(testModules, unhandledErrors, ms > limitMs),
          seconds: Math.round(ms / 100) / 10,
        };
      } finally {
        clearTimeout(limit);
      }
    },
    close: () => vitest.close(),
  };
}

function verdictOf(
  modules: readonly TestModule[],
  uncaught: readonly unknown[],
  isLate: boolean,
): Pick<Verdict, 'kind' | 'by'> {
  const by = modules.map(firstFailure).find((failure) => failure !== null);
  if (by !== undefined) return { kind: 'noticed', by: by ?? '' };
  if (uncaught.length > 0) return { kind: 'noticed', by: 'an error nobody caught' };
  if (isLate) return { kind: 'too slow', by: '' };
  const ran = modules.some((module) => [...module.children.allTests('passed')].length > 0);
  return { kind: ran ? 'survived' : 'no test ran', by: '' };
}

function firstFailure(module: TestModule): string | null {
  const [failed] = module.children.allTests('failed');
  if (failed) return failed.fullName;
  const suites = [...module.children.allSuites()];
  const broken = module.errors().length > 0 || suites.some((suite) => suite.errors().length > 0);
  return broken ? 'before any test' : null;
}
