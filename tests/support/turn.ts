/**
 * What takes longest takes turns in `npm test`: of a long matrix (every place where a process may die, each client with each set of
 * names) a sixth of the cases, of the files that bring up the product as it is shipped a sixth of the files. Another sixth
 * comes with another commit; `npm test -- --whole` runs all, and so does a file that is run by itself (decisions 292 to 294).
 */
export const shares = 6;

/** The cases of this run, in their order; never none. `turn`: a share's number, '' for all. */
export function inTurn<T>(cases: readonly T[], turn = process.env.TEST_TURN ?? ''): T[] {
  const share = shareOf(turn);
  if (share === null) return [...cases];
  const taken = cases.filter((_, index) => index % shares === share);
  return taken.length > 0 ? taken : cases.slice(share % cases.length).slice(0, 1);
}

/** The files that this run leaves to others. */
export function leftToOthers(files: readonly string[], turn = process.env.TEST_TURN ?? ''): string[] {
  const share = shareOf(turn);
  return share === null ? [] : files.filter((_, index) => index % shares !== share);
}

/** The turn of a commit, by its hash. */
export function turnOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 8), 16) % shares;
}

function shareOf(turn: string): number | null {
  return /^\d+$/.test(turn) ? Number(turn) % shares : null;
}

/**
 * Long, and not one matrix: a start of an installation, a whole life, every operation for each role. By their time, so that shares are
 * of one size. What keeps organizations apart (`matrix`) and all files of the features are run each time.
 */
export const filesInTurn = [
  'tests/start/start.test.ts',
  'tests/start/backup.test.ts',
  'tests/api/health.test.ts',
  'tests/api/moves.test.ts',
  'tests/rounds/rounds.test.ts',
  'tests/api/audited.test.ts',
  'tests/simulation/lives.test.ts',
  'tests/faults/purchase.test.ts',
  'tests/faults/connections.test.ts',
  'tests/api/reach.test.ts',
  'tests/faults/zones.test.ts',
  'tests/api/own.test.ts',
  'tests/faults/certificates.test.ts',
  'tests/faults/restore.test.ts',
  'tests/api/correction.test.ts',
  'tests/acme/conformance.test.ts',
  'tests/api/outbound.test.ts',
  'tests/faults/simulation.test.ts',
  'tests/api/attention.test.ts',
  'tests/api/limits.test.ts',
  'tests/faults/schedule.test.ts',
  'tests/faults/last-resort.test.ts',
  'tests/api/fuzz-addresses.test.ts',
  'tests/acme/fuzz.test.ts',
  'tests/api/keys.test.ts',
  'tests/acme/year.test.ts',
  'tests/api/audit.test.ts',
  'tests/api/fuzz.test.ts',
  'tests/api/replicas.test.ts',
  'tests/api/pooler.test.ts',
  'tests/api/watched.test.ts',
];
