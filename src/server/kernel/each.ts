import { isConnectionLoss } from './db/connection-loss.ts';

/** So many failures are told in words; of the others their number is. */
const mostInWords = 5;

/**
 * Does `work` for one thing after the other, where none needs another: one that fails keeps none waiting, which may be another
 * organization's. What failed is thrown at the end, so that a job that failed in part counts as failed and comes again. An outage is that
 * of all and ends it at once.
 */
export async function each<T>(
  things: Iterable<T>,
  work: (thing: T) => Promise<unknown>,
  isOutage: (error: unknown) => boolean = isConnectionLoss,
): Promise<void> {
  const failures: unknown[] = [];
  let count = 0;
  for (const thing of things) {
    count += 1;
    try {
      await work(thing);
    } catch (error) {
      if (isOutage(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, inWords(failures, count));
}

function inWords(failures: readonly unknown[], count: number): string {
  const words = failures
    .slice(0, mostInWords)
    .map((error) => (error instanceof Error ? error.message : String(error)));
  return `${failures.length} of ${count} failed: ${words.join('; ')}`;
}
