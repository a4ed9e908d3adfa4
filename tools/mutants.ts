import { parseArgs } from 'node:util';
import { runPlants } from './mutants/plant-runs.ts';
import { runRules } from './mutants/rules.ts';

/**
 * `npm run mutants [part of a file's name]`: plants bugs and says which of them no test notices. `--since main`: in the
 * rules that were changed since; `--sql`: those of the table, on a throw-away PostgreSQL.
 */
const { values, positionals } = parseArgs({
  options: { sql: { type: 'boolean', default: false }, since: { type: 'string' } },
  allowPositionals: true,
});
const since = values.since ?? null;
const faults = values.sql
  ? await runPlants({ words: positionals, since })
  : runRules({ files: positionals, since });
process.exitCode = faults === 0 ? 0 : 1;
