/**
 * Long matrices take turns: every place where a process may die, each client with each set of names. They take most of the time
 * of all tests. `npm test` runs a third of each matrix, and another third with another commit; `npm test -- --whole` runs
 * all of them, and so does a file that is run by itself (decision 292).
 */
export const shares = 3;

/** The cases of this run, in their order; never none. */
export function inTurn<T>(cases: readonly T[], turn = process.env.TEST_TURN ?? ''): T[] {
  const share = turn ? Number(turn) : Number.NaN;
  if (Number.isNaN(share)) return [...cases];
  const taken = cases.filter((_, index) => index % shares === share % shares);
  return taken.length > 0 ? taken : cases.slice(share % cases.length).slice(0, 1);
}

/** The turn of a commit, by its hash. */
export function turnOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 8), 16) % shares;
}
