import { parseArgs } from 'node:util';
import { runPlants } from './mutants/plant-runs.ts';
import { runRules } from './mutants/rules.ts';
import { runSample } from './mutants/sample.ts';

/**
 * `npm run mutants [part of a file's name]`: plants bugs and says which of them no test notices. `--since main`: in the
 * rules that were changed since; `--sql`: those of the table, on a throw-away PostgreSQL; `--sample 100`: so many anywhere
 * where money or names are at stake.
 */
const { values, positionals } = parseArgs({
  options: {
    sql: { type: 'boolean', default: false },
    since: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string' },
  },
  allowPositionals: true,
});
const since = values.since ?? null;
const faults = await run();
process.exitCode = faults === 0 ? 0 : 1;

async function run(): Promise<number> {
  if (values.sample !== undefined) {
    const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
    return runSample({ count: Number(values.sample), seed, words: positionals });
  }
  return values.sql ? runPlants({ words: positionals, since }) : runRules({ files: positionals, since });
}
