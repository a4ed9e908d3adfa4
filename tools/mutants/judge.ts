import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProvidedContext } from 'vitest';
import { createVitest, type TestModule, type TestProject } from 'vitest/node';
import { setup } from '../../tests/support/cluster.ts';
import { presentTrial, setTrial, type Trial } from './planted.ts';

export interface Verdict {
  kind: 'noticed' | 'survived' | 'no test ran' | 'too slow';
  seconds: number;
  /** The title of the test that noticed it; of those that did not. */
  by: string;
  /** Titles of all tests of the files. */
  tests: string[];
}

/** Runs its test files as often as it likes: what stays the same is read once. */
export interface TestRun {
  /**
   * What lasts longer than `limitMs` is too slow; without a limit it may last as long as it likes. With `only`, a pattern of
   * titles, each of these tests has to notice the bug.
   */
  try(bug: Trial['bug'], options?: { limitMs?: number; only?: string | undefined }): Promise<Verdict>;
  close(): Promise<void>;
}

export interface Judge {
  /** `bail`: the first failure says enough. */
  open(tests: readonly string[], bail: boolean): Promise<TestRun>;
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
  const dom = (tests: readonly string[]) => tests.every((test) => test.endsWith('.dom.test.tsx'));
  return { open: (tests, bail) => openRun(tests, { provided, bail, dom: dom(tests) }), close };
}

const hook = pathToFileURL(join(import.meta.dirname, 'planted-program.mjs')).href;

/** Programs that a test starts have the bug, too: Node reads it in place of the file. */
function plantInPrograms(bug: Trial['bug']): void {
  const path = join(tmpdir(), `planted-${process.pid}.json`);
  const flag = `--import=${hook}`;
  const others = (process.env.NODE_OPTIONS ?? '').replace(flag, '').trim();
  process.env.NODE_OPTIONS = bug ? `${others} ${flag}`.trim() : others;
  process.env.PLANTED_BUG = path;
  if (bug) writeFileSync(path, JSON.stringify({ url: pathToFileURL(bug.file).href, text: bug.text }));
  else rmSync(path, { force: true });
}

async function openRun(tests: readonly string[], of: Omit<Trial, 'bug'>): Promise<TestRun> {
  setTrial({ ...of, bug: null });
  const vitest = await createVitest({ root, config, watch: false, reporters: [{}] });
  const files = await vitest.globTestSpecifications(tests.map((test) => join(root, test)));
  return {
    async try(bug, { limitMs = 600_000, only } = {}) {
      if (only === undefined) vitest.resetGlobalTestNamePattern();
      else vitest.setGlobalTestNamePattern(new RegExp(only));
      plantInPrograms(bug);
      // The bug before this one goes, and this one comes.
      for (const changed of [presentTrial().bug, bug]) if (changed) vitest.invalidateFile(changed.file);
      setTrial({ ...of, bug });
      const begun = performance.now();
      const limit = setTimeout(() => void vitest.cancelCurrentRun('keyboard-input'), limitMs);
      try {
        const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files);
        const ms = performance.now() - begun;
        return {
          ...verdictOf(testModules, unhandledErrors, { isLate: ms > limitMs, all: only !== undefined }),
          tests: testModules.flatMap((module) =>
            [...module.children.allTests()].map(({ fullName }) => fullName),
          ),
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
  { isLate, all }: { isLate: boolean; all: boolean },
): Pick<Verdict, 'kind' | 'by'> {
  const blind = modules.flatMap((module) => [...module.children.allTests('passed')]);
  const [unmoved] = blind;
  if (all && unmoved) return { kind: 'survived', by: unmoved.fullName };
  // A program that does not start turns everything red, and says nothing of these tests.
  const [failed] = modules.flatMap((module) => [...module.children.allTests('failed')]);
  if (all) return failed ? { kind: 'noticed', by: failed.fullName } : { kind: 'no test ran', by: '' };
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
