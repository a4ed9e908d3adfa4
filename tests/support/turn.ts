/**
 * What takes longest takes turns in `npm test`: of the files that bring up the product as it is shipped a twelfth, by the hash of the
 * commit, and of a long matrix in one of them (every place where a process may die, each client with each set of names) half of the
 * cases. `npm test -- --whole` runs all, and so does a file that is run by itself (decisions 292 to 294).
 */
const shares = 12;
const halves = 2;
/** After so many everything has been run. */
export const turns = shares * halves;

/** The cases of this run, in their order; never none. `turn`: its number, '' for all. */
export function inTurn<T>(cases: readonly T[], turn = process.env.TEST_TURN ?? ''): T[] {
  const number = numberOf(turn);
  if (number === null) return [...cases];
  const half = Math.floor(number / shares) % halves;
  const taken = cases.filter((_, index) => index % halves === half);
  return taken.length > 0 ? taken : [...cases];
}

/** The files that this run leaves to others. */
export function leftToOthers(files: readonly string[], turn = process.env.TEST_TURN ?? ''): string[] {
  const number = numberOf(turn);
  return number === null ? [] : files.filter((_, index) => shareOf(index) !== number % shares);
}

/** Dealt there and back, so that the share with the longest file has the shortest ones too. */
function shareOf(index: number): number {
  const place = index % shares;
  return Math.floor(index / shares) % 2 === 0 ? place : shares - 1 - place;
}

/** The turn of a commit, by its hash. */
export function turnOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 8), 16) % turns;
}

function numberOf(turn: string): number | null {
  return /^\d+$/.test(turn) ? Number(turn) : null;
}

/**
 * A start of an installation, a whole life, a process killed at each of its places. By their time, so that shares are of one size. What keeps organizations apart (`matrix`) and all files of the features are run each time.
 */
export const filesInTurn = [
  'tests/start/start.test.ts',
  'tests/faults/changes-kill.test.ts',
  'tests/acme/clients.test.ts',
  'tests/faults/recovery.test.ts',
  'tests/api/health.test.ts',
  'tests/start/backup.test.ts',
  'tests/faults/stop-money.test.ts',
  'tests/api/audited.test.ts',
  'tests/rounds/rounds.test.ts',
  'tests/api/moves.test.ts',
  'tests/faults/money-kill.test.ts',
  'tests/faults/stop.test.ts',
  'tests/api/own.test.ts',
  'tests/faults/acme-registrar.test.ts',
  'tests/faults/connections.test.ts',
  'tests/faults/zones.test.ts',
  'tests/faults/acme-kill.test.ts',
  'tests/simulation/lives.test.ts',
  'tests/faults/kill.test.ts',
  'tests/faults/import-kill.test.ts',
  'tests/api/reach.test.ts',
  'tests/faults/moves-kill.test.ts',
  'tests/faults/purchase.test.ts',
  'tests/faults/certificates.test.ts',
  'tests/faults/restore.test.ts',
  'tests/api/correction.test.ts',
  'tests/faults/last-resort.test.ts',
  'tests/faults/simulation.test.ts',
  'tests/api/outbound.test.ts',
  'tests/acme/conformance.test.ts',
  'tests/faults/schedule.test.ts',
  'tests/api/limits.test.ts',
  'tests/api/attention.test.ts',
  'tests/api/fuzz-addresses.test.ts',
  'tests/acme/fuzz.test.ts',
  'tests/api/fuzz.test.ts',
  'tests/acme/year.test.ts',
  'tests/api/audit.test.ts',
  'tests/api/keys.test.ts',
  'tests/api/replicas.test.ts',
  'tests/api/pooler.test.ts',
  'tests/api/watched.test.ts',
  'tests/faults/told-to-end.test.ts',
];
