import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bugOf, type Plant } from './bug.ts';
import { changedSince } from './changed.ts';
import { type Judge, openJudge, type Verdict } from './judge.ts';
import type { Trial } from './planted.ts';
import { plants } from './plants.ts';

type Bug = NonNullable<Trial['bug']>;
interface Planted {
  plant: Plant;
  bug: Bug;
  /** The code with the bug and the test that judges it: what was noticed stays noticed while both are the same. */
  key: string;
}

const root = join(import.meta.dirname, '../..');
const noticedFile = join(root, 'data/plants.json');

/** Plants each bug of the table and runs its test: `npm run mutants -- --sql [part of a plant's text, file or test]`. */
export async function runPlants(wanted: { words: readonly string[]; since: string | null }): Promise<number> {
  const chosen = chosenOf(wanted);
  const noticed = new Set<string>(
    existsSync(noticedFile) ? JSON.parse(readFileSync(noticedFile, 'utf8')) : [],
  );
  const left = chosen.filter(({ key }) => !noticed.has(key));
  if (left.length > 0) {
    const judge = await openJudge();
    try {
      for (const [test, group] of Map.groupBy(left, ({ plant }) => plant.test)) {
        await tryAll(judge, test, group, (key) => {
          noticed.add(key);
          mkdirSync(join(root, 'data'), { recursive: true });
          writeFileSync(noticedFile, JSON.stringify([...noticed]));
        });
      }
    } finally {
      await judge.close();
    }
  }
  const faults = chosen.filter(({ key }) => !noticed.has(key)).length;
  const known = chosen.length - left.length;
  console.log(
    `${chosen.length - faults} of ${chosen.length} planted bugs noticed${known > 0 ? `, ${known} of them in an earlier run` : ''}`,
  );
  return faults;
}

function chosenOf({ words, since }: { words: readonly string[]; since: string | null }): Planted[] {
  const changed = since === null ? null : changedSince(since);
  return plants
    .filter((plant) =>
      words.every((word) => `${plant.in} ${plant.from} ${plant.to} ${plant.test}`.includes(word)),
    )
    .map((plant) => {
      const bug = bugOf(plant);
      const hash = createHash('sha256');
      for (const part of [bug.file, bug.text, plant.test, readFileSync(join(root, plant.test), 'utf8')])
        hash.update(`${part.length} ${part}`);
      return { plant, bug, key: hash.digest('hex') };
    })
    .filter(
      ({ plant, bug }) =>
        !changed || changed.has(plant.test) || changed.has(relative(root, bug.file).replaceAll('\\', '/')),
    );
}

/** Those of one test file: says of each what became of it, and keeps what was noticed. */
async function tryAll(
  judge: Judge,
  test: string,
  group: readonly Planted[],
  keep: (key: string) => void,
): Promise<void> {
  const run = await judge.open(
    [test],
    group.every(({ plant }) => plant.only === undefined),
  );
  try {
    const sound = await run.try(null);
    if (sound.kind !== 'survived') {
      console.log(
        `${test}: ${sound.kind} without any bug (${sound.by}); its ${group.length} plants say nothing`,
      );
      return;
    }
    // A busy machine is slow with and without a bug: only what hangs is given up.
    const limitMs = Math.max(300_000, sound.seconds * 5_000);
    for (const title of untriedOf(sound.tests, test)) console.log(`without a bug of its own: ${title}`);
    for (const planted of group) {
      const verdict = await run.try(planted.bug, { limitMs, only: planted.plant.only });
      if (verdict.kind === 'noticed') keep(planted.key);
      console.log(lineOf(planted.plant, verdict));
    }
  } finally {
    await run.close();
  }
}

/** Where each test of a file has its bug: those that have none. */
function untriedOf(tests: readonly string[], file: string): string[] {
  const own = plants.filter((plant) => plant.test === file);
  const patterns = own.flatMap(({ only }) => (only === undefined ? [] : [new RegExp(only)]));
  if (patterns.length < own.length) return [];
  return tests.filter((test) => !patterns.some((pattern) => pattern.test(test)));
}

function lineOf(plant: Plant, { kind, seconds, by }: Verdict): string {
  const text = plant.from.trim().replace(/\s+/g, ' ').slice(0, 90);
  return `${kind.padEnd(9)} ${seconds.toFixed(1).padStart(5)} s  ${plant.in}: ${text}${by && `  <- ${by}`}`;
}
