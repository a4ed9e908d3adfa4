import { AppError } from '#contracts/errors.ts';
import { type LimitName, limits } from '#contracts/values/limits.ts';
import type { Tx } from './db/database.ts';
import { lockByName } from './db/locks.ts';

/**
 * Refuses what would be more than the table of limits allows. A concurrent request that adds one of the same kind waits
 * until this transaction has ended, so that the limit is exact.
 *
 * @param of what is counted belongs to: an organisation, a customer
 * @param count how many there are, asked when it is this transaction's turn
 */
export async function requireRoom(
  tx: Tx,
  name: LimitName,
  of: string,
  count: () => Promise<number>,
  adding = 1,
): Promise<void> {
  await lockByName(tx, `room ${name} ${of}`);
  requireWithin(name, Number(await count()) + adding);
}

/** The same for a count that has what is added in it. It is exact where those who add one take turns until their commit. */
export function requireWithin(name: LimitName, count: number): void {
  if (Number(count) > limits[name].most)
    throw new AppError('unprocessable', { message: limits[name].message });
}
