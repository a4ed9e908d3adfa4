import { globSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, pickFrom } from '../../tests/simulation/random.ts';
import { type Judge, openJudge, type Verdict } from './judge.ts';
import { type Nearest, nearestTests } from './nearest.ts';
import { type SmallBug, smallBugsIn } from './small-bugs.ts';

/** Where a bug costs money, a name or somebody's work. */
const rooms = [
  'src/server/ledger/*.ts',
  'src/server/features/{orders,billing,direct-billing,renewals,certificates,dns,customers,users}/**/*.ts',
  'src/web/features/{orders,billing,direct-billing,renewals,certificates,dns,customers,users,domains}/**/*.{ts,tsx}',
];
/** Contracts and rules have the whole of their mutants tried (`rules.ts`). */
const elsewhere = /\.test\.tsx?$|\.rules\.ts$/;
const limitMs = 60_000;
const root = join(import.meta.dirname, '../..');

/**
 * Plants small bugs by chance, one at a time, and gives the nearest tests a minute for each:
 * `npm run mutants -- --sample 100 [--seed N] [part of a file's name]`. The same seed plants the same bugs in the same code.
 * Returns how many nobody noticed.
 */
export async function runSample(wanted: {
  count: number;
  seed: number;
  words: readonly string[];
}): Promise<number> {
  const files = globSync(rooms, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !elsewhere.test(file) && wanted.words.every((word) => file.includes(word)))
    .sort();
  const bugs = chosen(files.flatMap(smallBugsIn), wanted);
  const nearest = nearestTests();
  const judge = await openJudge();
  let unnoticed = 0;
  try {
    for (const bug of bugs) {
      const verdict = await verdictOn(judge, bug, nearest(bug.file));
      if (verdict.kind !== 'noticed') unnoticed += 1;
      console.log(lineOf(bug, verdict));
    }
  } finally {
    await judge.close();
  }
  console.log(`${bugs.length - unnoticed} of ${bugs.length} noticed (seed ${wanted.seed})`);
  return unnoticed;
}

type Said = Pick<Verdict, 'kind' | 'seconds' | 'by'>;

/** The first that notices it; else what the last of them said. */
async function verdictOn(judge: Judge, bug: SmallBug, { unit, dom, db }: Nearest): Promise<Said> {
  let said: Said = { kind: 'no test ran', seconds: 0, by: '' };
  for (const tests of [unit, dom, db]) {
    if (tests.length === 0) continue;
    const run = await judge.open(tests, true);
    try {
      said = await run.try({ file: join(root, bug.file), text: bug.text }, { limitMs });
    } finally {
      await run.close();
    }
    if (said.kind === 'noticed') break;
  }
  return said;
}

/** Each with the same chance. */
function chosen(bugs: readonly SmallBug[], { count, seed }: { count: number; seed: number }): SmallBug[] {
  const random = createRandom(seed);
  const left = [...bugs];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const one = pickFrom(left, random);
    left.splice(left.indexOf(one), 1);
    return one;
  });
}

function lineOf(bug: SmallBug, { kind, seconds, by }: Said): string {
  const short = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 70);
  const what = `${bug.file}:${bug.line} ${bug.kind}: ${short(bug.from)} -> ${short(bug.to)}`;
  return `${kind.padEnd(11)} ${seconds.toFixed(1).padStart(5)} s  ${what}${by && `  <- ${by}`}`;
}
