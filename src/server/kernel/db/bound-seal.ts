import type { KyselyPlugin } from 'kysely';
import type { Seal } from '../seal.ts';
import type { Db, Tx } from './database.ts';

/**
 * A database with the seal of its portal: whatever is derived of it, transactions and readers too, seals and opens with
 * it. The audit log is written inside the transactions of every feature, none of which needs to know of its keys.
 */
export function withSeal(db: Db, seal: Seal): Db {
  return db.withPlugin(new BoundSeal(seal));
}

/** The seal that this transaction's database is bound to. Without one nothing can be sealed, so nothing is written. */
export function sealOf(tx: Db | Tx): Seal {
  const bound = tx.getExecutor().plugins.findLast((plugin) => plugin instanceof BoundSeal);
  if (!bound) throw new Error('this database was not opened with a seal');
  return bound.seal;
}

/** Whether queries are sent as they are built. A seal travels along as a plugin and changes none. */
export function sendsAsBuilt(tx: Db | Tx): boolean {
  return tx.getExecutor().plugins.every((plugin) => plugin instanceof BoundSeal);
}

/** Travels with the database and changes no query. */
class BoundSeal implements KyselyPlugin {
  readonly seal: Seal;

  constructor(seal: Seal) {
    this.seal = seal;
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node;
  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result;
}
