/** What the command line cannot do as it was typed. Nothing was done. */
export class Misused extends Error {
  readonly exitCode = 2;
  /** Whether the usage helps. */
  readonly showsUsage: boolean;

  constructor(message: string, showsUsage = true) {
    super(message);
    this.showsUsage = showsUsage;
  }
}

/** A word that is none of the known ones, with the nearest of them. */
export function unknown(what: string, typed: string, known: readonly string[]): Misused {
  const near = nearest(typed, known);
  const hint = near === null ? '' : ` Did you mean "${near}"?`;
  return new Misused(`There is no ${what} "${typed}".${hint}`);
}

/** The known word that takes the fewest changes, if they are fewer than half of its letters. */
export function nearest(typed: string, known: readonly string[]): string | null {
  const [best] = known
    .map((word) => ({ word, changes: changesBetween(typed.toLowerCase(), word) }))
    .filter(({ word, changes }) => changes * 2 < word.length)
    .sort((a, b) => a.changes - b.changes);
  return best?.word ?? null;
}

/** Letters to add, to take away or to put in place of others (Levenshtein's distance). */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
