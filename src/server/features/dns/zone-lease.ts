import { AppError } from '#contracts/errors.ts';
import { pause } from '#kernel/clock.ts';
import { type Db, inTransaction, sql } from '#kernel/db/database.ts';

interface Tenant {
  organisationId: string;
}

export interface ZoneLeases {
  /**
   * Runs `work` as the only writer of this zone, here and in every other process. `stillMine` says whether the lease
   * was kept all along: ask it before what cannot be taken back.
   */
  run<T>(scope: Tenant, address: string, work: (stillMine: () => Promise<boolean>) => Promise<T>): Promise<T>;
}

export interface LeaseTimes {
  /** A process that died is waited for this long; one that lives says so well before. */
  leaseMs: number;
  /** Longest that a writer waits for its turn. */
  waitMs: number;
}

const defaults: LeaseTimes = { leaseMs: 15_000, waitMs: 25_000 };
const firstLookMs = 10;
const slowestLookMs = 200;

/**
 * A row and not a lock of the database's: the registrar is called in between, and neither a transaction nor a
 * connection may be held for as long as it likes. Time is the database's, so that clocks of processes do not matter.
 */
export function createZoneLeases(deps: {
  db: Db;
  newId: (nowMs: number) => string;
  times?: LeaseTimes;
}): ZoneLeases {
  const { db } = deps;
  const { leaseMs, waitMs } = deps.times ?? defaults;
  /** Writers of one process queue up here, in the order they came, and only the first looks at the row. */
  const tails = new Map<string, Promise<unknown>>();

  async function leased<T>(
    scope: Tenant,
    address: string,
    deadlineMs: number,
    work: (stillMine: () => Promise<boolean>) => Promise<T>,
  ): Promise<{ result: T; released: Promise<unknown> }> {
    const holder = deps.newId(Date.now());
    let lookedAtMs = performance.now();
    for (let lookMs = firstLookMs; !(await take(scope, address, holder)); ) {
      if (Date.now() > deadlineMs) throw tooLong();
      await pause(lookMs * (0.5 + Math.random()));
      lookMs = Math.min(slowestLookMs, lookMs * 2);
      lookedAtMs = performance.now();
    }
    // Taken a moment ago it cannot have run out: the database need not be asked.
    const stillMine = async () =>
      performance.now() - lookedAtMs < leaseMs / 3 || (await renew(scope, address, holder));
    const renewing = setInterval(() => {
      // When the database cannot be reached the lease runs out, and `stillMine` says so.
      renew(scope, address, holder).catch(() => undefined);
    }, leaseMs / 4);
    try {
      return { result: await work(stillMine), released: done() };
    } catch (error) {
      await done();
      throw error;
    }

    function done(): Promise<unknown> {
      clearInterval(renewing);
      return release(scope, address, holder).catch(() => undefined);
    }
  }

  async function take(scope: Tenant, address: string, holder: string): Promise<boolean> {
    const taken = await inTransaction(db, scope, (tx) =>
      sql`INSERT INTO zone_leases AS l (organisation_id, address, holder, expires_at)
        VALUES (${scope.organisationId}, ${address}, ${holder}, now() + ${leaseMs} * interval '1 millisecond')
        ON CONFLICT (organisation_id, address) DO UPDATE
          SET holder = excluded.holder, expires_at = excluded.expires_at WHERE l.expires_at < now()
        RETURNING holder`.execute(tx),
    );
    return taken.rows.length > 0;
  }

  async function renew(scope: Tenant, address: string, holder: string): Promise<boolean> {
    const renewed = await inTransaction(db, scope, (tx) =>
      sql`UPDATE zone_leases SET expires_at = now() + ${leaseMs} * interval '1 millisecond'
        WHERE organisation_id = ${scope.organisationId} AND address = ${address} AND holder = ${holder}
          AND expires_at > now()
        RETURNING holder`.execute(tx),
    );
    return renewed.rows.length > 0;
  }

  function release(scope: Tenant, address: string, holder: string) {
    return inTransaction(db, scope, (tx) =>
      tx
        .deleteFrom('zone_leases')
        .where('organisation_id', '=', scope.organisationId)
        .where('address', '=', address)
        .where('holder', '=', holder)
        .execute(),
    );
  }

  return {
    async run(scope, address, work) {
      const deadlineMs = Date.now() + waitMs;
      const key = `${scope.organisationId} ${address}`;
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(() => {
        if (Date.now() > deadlineMs) throw tooLong();
        return leased(scope, address, deadlineMs, work);
      });
      // The next one here waits until the row is free, the caller does not.
      const tail = mine.then(({ released }) => released).catch(() => undefined);
      tails.set(key, tail);
      void tail.then(() => tails.get(key) === tail && tails.delete(key));
      return (await mine).result;
    },
  };
}

function tooLong(): AppError {
  return new AppError('in_progress', {
    message: 'Another change to this zone is under way. Please try again in a moment.',
    retryAfterSeconds: 2,
  });
}
