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
  const { most, message } = limits[name];
  if (Number(await count()) + adding > most) throw new AppError('unprocessable', { message });
}

/** More than are ever added at once, one by one: with more room than this nobody needs to wait for the others. */
const crowd = 1_000;

/**
 * The same for a count that has what is added in it, and for what is added often: those who add one take turns only for the last
 * places, where the count is asked again.
 */
export async function requireWithin(
  tx: Tx,
  name: LimitName,
  of: string,
  count: () => Promise<number>,
): Promise<void> {
  const { most, message } = limits[name];
  let present = Number(await count());
  if (present + crowd > most) {
    await lockByName(tx, `room ${name} ${of}`);
    present = Number(await count());
  }
  if (present > most) throw new AppError('unprocessable', { message });
}
