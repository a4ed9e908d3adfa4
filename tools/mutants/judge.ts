import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProvidedContext } from 'vitest';
import { createVitest, type TestModule, type TestProject } from 'vitest/node';
import { setup } from '../../tests/support/cluster.ts';
import { setTrial, type Trial } from './planted.ts';

/** A bug that is planted on purpose, and the test that has to notice it. */
export interface Plant {
  /** Folder or file of the code; the text has to be found there exactly once, wherever it was moved to. */
  in: string;
  from: string;
  to: string;
  /** The test file that turns red. */
  test: string;
}

export interface Verdict {
  kind: 'noticed' | 'survived' | 'no test ran' | 'too slow';
  seconds: number;
  /** The title of the test that noticed it. */
  by: string;
}

export interface Judge {
  /** What lasts longer than `limitMs` is too slow; without a limit it may last as long as it likes. */
  try(test: string, bug: Trial['bug'], limitMs?: number): Promise<Verdict>;
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
  return {
    async try(test, bug, limitMs = 600_000) {
      setTrial({ bug, provided });
      const vitest = await createVitest({ root, config, watch: false, reporters: [{}] });
      const begun = performance.now();
      const limit = setTimeout(() => void vitest.cancelCurrentRun('keyboard-input'), limitMs);
      try {
        const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
          await vitest.globTestSpecifications([join(root, test)]),
        );
        const seconds = Math.round((performance.now() - begun) / 100) / 10;
        const by = testModules.map(firstFailure).find((failure) => failure !== null);
        if (by !== undefined) return { kind: 'noticed', seconds, by: by ?? '' };
        if (unhandledErrors.length > 0) return { kind: 'noticed', seconds, by: 'an error nobody caught' };
        if (seconds * 1_000 >= limitMs) return { kind: 'too slow', seconds, by: '' };
        const ran = testModules.some((module) => [...module.children.allTests('passed')].length > 0);
        return { kind: ran ? 'survived' : 'no test ran', seconds, by: '' };
      } finally {
        clearTimeout(limit);
        await vitest.close();
      }
    },
    close,
  };
}

function firstFailure(module: TestModule): string | null {
  const [failed] = module.children.allTests('failed');
  if (failed) return failed.fullName;
  const suites = [...module.children.allSuites()];
  const broken = module.errors().length > 0 || suites.some((suite) => suite.errors().length > 0);
  return broken ? 'before any test' : null;
}

/** The one file in which a plant's text is found, with the bug in it. Throws where it is not found, or twice. */
export function bugOf(plant: Plant): NonNullable<Trial['bug']> {
  const found = filesIn(plant.in)
    .map((file) => ({ file, parts: readFileSync(file, 'utf8').split(plant.from) }))
    .filter(({ parts }) => parts.length > 1);
  const [one] = found;
  if (!one || found.length > 1 || one.parts.length > 2) {
    const times = found.reduce((sum, { parts }) => sum + parts.length - 1, 0);
    throw new Error(`found ${times} times in ${plant.in} instead of once: ${plant.from}`);
  }
  return { file: one.file, text: one.parts.join(plant.to) };
}

function filesIn(place: string): string[] {
  if (/\.tsx?$/.test(place)) return [join(root, place)];
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(root, place, name));
}
