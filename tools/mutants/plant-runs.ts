import { bugOf, openJudge } from './judge.ts';
import { plants } from './plants.ts';

/** Plants each bug of the table and runs its test: `npm run mutants -- --sql [part of a plant's text, file or test]`. */
export async function runPlants(words: readonly string[]): Promise<number> {
  const chosen = plants.filter((plant) =>
    words.every((word) => `${plant.in} ${plant.from} ${plant.to} ${plant.test}`.includes(word)),
  );
  const bugs = chosen.map((plant) => ({ plant, bug: bugOf(plant) }));
  const judge = await openJudge();
  let faults = 0;
  let slowest = 0;
  try {
    for (const [test, group] of Map.groupBy(bugs, ({ plant }) => plant.test)) {
      const sound = await judge.try(test, null);
      if (sound.kind !== 'survived') {
        faults += group.length;
        console.log(
          `${test}: ${sound.kind} without any bug (${sound.by}); its ${group.length} plants say nothing`,
        );
        continue;
      }
      // A busy machine is slow with and without a bug.
      const limitMs = Math.max(60_000, sound.seconds * 3_000);
      for (const { plant, bug } of group) {
        const { kind, seconds, by } = await judge.try(test, bug, limitMs);
        slowest = Math.max(slowest, seconds);
        if (kind !== 'noticed') faults += 1;
        const line = plant.from.trim().replace(/\s+/g, ' ').slice(0, 90);
        console.log(
          `${kind.padEnd(9)} ${seconds.toFixed(1).padStart(5)} s  ${plant.in}: ${line}${by && `  <- ${by}`}`,
        );
      }
    }
  } finally {
    await judge.close();
  }
  console.log(
    `${chosen.length - faults} of ${chosen.length} planted bugs noticed, the slowest after ${slowest} s`,
  );
  return faults;
}
