import { runPlants } from './mutants/sql.ts';

/** `npm run mutants`: plants bugs and says which of them no test notices. */
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (process.argv.includes('--sql')) process.exitCode = (await runPlants(words)) === 0 ? 0 : 1;
