import { isConnectionLoss } from './db/connection-loss.ts';

/** So many failures are kept; of the others their number is. */
const mostKept = 5;

/**
 * Does `work` for one thing after the other, where none needs another: one that fails keeps none waiting, which may be another
 * organization's. What failed is thrown at the end, so that a job that failed in part counts as failed and comes again. An outage is that
 * of all and ends it at once; `isOutage` is told how many things in a row have failed with this one.
 */
export async function each<T>(
  things: Iterable<T> | AsyncIterable<T>,
  work: (thing: T) => Promise<unknown>,
  isOutage: (error: unknown, inARow: number) => boolean = isConnectionLoss,
): Promise<void> {
  const kept: unknown[] = [];
  let [count, failed, inARow] = [0, 0, 0];
  for await (const thing of things) {
    count += 1;
    try {
      await work(thing);
      inARow = 0;
    } catch (error) {
      inARow += 1;
      if (isOutage(error, inARow)) throw error;
      failed += 1;
      if (kept.length < mostKept) kept.push(error);
    }
  }
  if (failed === 1) throw kept[0];
  if (failed > 1)
    throw new AggregateError(kept, `${failed} of ${count} failed: ${kept.map(inWords).join('; ')}`);
}

const inWords = (error: unknown) => (error instanceof Error ? error.message : String(error));
