import { AppError, type ErrorCode } from '#contracts/errors.ts';
import type { LineProblem } from '#contracts/operations/orders.ts';
import type { Line } from './lines.ts';

/** What each line of an order came to, and what is wrong with the others. */
export interface Collected<T> {
  good: T[];
  problems: { code: ErrorCode; problem: LineProblem }[];
}

/**
 * Does the work for every line, side by side: a person who has to mend three lines reads of all three at once, and the
 * database is asked about all of them at once.
 */
export async function collect<L extends Line, T>(
  lines: readonly L[],
  work: (line: L) => Promise<T>,
): Promise<Collected<T>> {
  const collected: Collected<T> = { good: [], problems: [] };
  const ends = await Promise.allSettled(lines.map((line) => work(line)));
  for (const [index, end] of ends.entries()) {
    if (end.status === 'fulfilled') collected.good.push(end.value);
    else collected.problems.push(problemOf(lines[index], end.reason));
  }
  return collected;
}

function problemOf(line: Line | undefined, error: unknown): Collected<unknown>['problems'][number] {
  if (!line || !(error instanceof AppError)) throw error;
  const { kind, address } = line;
  const renewed = (error.data as { renewed?: boolean } | undefined)?.renewed === true;
  return { code: error.code, problem: { kind, address, message: error.message, renewed } };
}

/** Refuses the order with every line that cannot be bought, so that the cart can name each at its row. */
export function refuseProblems(problems: Collected<unknown>['problems']): void {
  const [first] = problems;
  if (!first) return;
  const items = problems.map(({ problem }) => problem);
  const sameCode = problems.every(({ code }) => code === first.code);
  throw new AppError(sameCode ? first.code : 'unprocessable', {
    message:
      items.length === 1
        ? first.problem.message
        : `${items.length} items cannot be bought in their current form.`,
    details: items.map(({ kind, address, message }) => ({ path: `${kind} ${address}`, message })),
    data: { items },
  });
}
