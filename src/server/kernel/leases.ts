import { AppError } from '#contracts/errors.ts';
import { pause } from './clock.ts';
import { type Db, inReading, inStatement, later, sql, type Tx } from './db/database.ts';
import { createFence, type Fence } from './fence.ts';
import { startPassage } from './passage.ts';

interface Tenant {
  organisationId: string;
}

/** Held by one work at a time. A process that was paused may have lost it: what it writes goes by the fence. */
export interface Lease {
  /** For outside writes that begin from now on: it falls with the lease, and when their time is up. */
  fence(): Fence;
  /** Whether nobody has taken it. Ask after an answer: without it nothing is known of what others wrote meanwhile. */
  held(): Promise<boolean>;
  /** The same inside the transaction that writes down the answer. */
  heldIn(tx: Tx): Promise<boolean>;
  /** Gives it back with this transaction, which is the last thing that is done under it. */
  endWith(tx: Tx): Promise<void>;
}

export interface Leases {
  /** Runs `work` as the only one on this thing of the organisation's, here and in every other process. */
  run<T>(scope: Tenant, thing: string, work: (lease: Lease) => Promise<T>): Promise<T>;
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
 * A row (of `zone_leases`, which is older than its other uses) and not a lock of the database's: the registrar is called in between, and neither a transaction nor a
 * connection may be held for as long as it likes. Time is the database's, so that clocks of processes do not matter.
 */
export function createLeases(deps: {
  db: Db;
  newId: (nowMs: number) => string;
  /** Longest from the beginning of an outside write, with its waiting, to its end. */
  writeMs: number;
  times?: Partial<LeaseTimes> | undefined;
}): Leases {
  const { db, writeMs } = deps;
  const { leaseMs, waitMs } = { ...defaults, ...deps.times };
  /** Writers of one process queue up here, in the order they came, and only the first looks at the row. */
  const tails = new Map<string, Promise<unknown>>();

  async function leased<T>(
    scope: Tenant,
    thing: string,
    inTime: () => boolean,
    work: (lease: Lease) => Promise<T>,
  ): Promise<{ result: T; released: Promise<unknown> }> {
    const holder = deps.newId(Date.now());
    for (let lookMs = firstLookMs; !(await take(scope, thing, holder)); ) {
      if (!inTime()) throw tooLong();
      await pause(lookMs * (0.5 + Math.random()));
      lookMs = Math.min(slowestLookMs, lookMs * 2);
    }
    const leftMs = () => inReading(db, scope, (tx) => leftIn(tx, scope, thing, holder));
    const stillHeld = async (ask: () => Promise<number>) => {
      const asked = startPassage();
      return (await ask()) > asked();
    };
    let endsByItself = false;
    const lease: Lease = {
      fence: () => createFence({ limitMs: writeMs, leftMs }),
      held: () => stillHeld(leftMs),
      heldIn: (tx) => stillHeld(() => leftIn(tx, scope, thing, holder)),
      async endWith(tx) {
        endsByItself = true;
        await later(tx, releasing(tx, scope, thing, holder));
      },
    };
    const renewing = setInterval(() => {
      // When the database cannot be reached the lease runs out, and its fence falls.
      renew(scope, thing, holder).catch(() => undefined);
    }, leaseMs / 4);
    try {
      const result = await work(lease);
      return { result, released: endsByItself ? stopRenewing() : done() };
    } catch (error) {
      await done();
      throw error;
    }

    async function stopRenewing(): Promise<void> {
      clearInterval(renewing);
    }

    function done(): Promise<unknown> {
      clearInterval(renewing);
      return release(scope, thing, holder).catch(() => undefined);
    }
  }

  async function take(scope: Tenant, thing: string, holder: string): Promise<boolean> {
    const taken = await inStatement(db, scope, (tx) =>
      sql`INSERT INTO zone_leases AS l (organisation_id, address, holder, expires_at)
        VALUES (${scope.organisationId}, ${thing}, ${holder}, clock_timestamp() + ${leaseMs} * interval '1 millisecond')
        ON CONFLICT (organisation_id, address) DO UPDATE
          SET holder = excluded.holder, expires_at = excluded.expires_at WHERE l.expires_at < clock_timestamp()
        RETURNING holder`.execute(tx),
    );
    return taken.rows.length > 0;
  }

  async function renew(scope: Tenant, thing: string, holder: string): Promise<boolean> {
    const renewed = await inStatement(db, scope, (tx) =>
      sql`UPDATE zone_leases SET expires_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
        WHERE organisation_id = ${scope.organisationId} AND address = ${thing} AND holder = ${holder}
          AND expires_at > clock_timestamp()
        RETURNING holder`.execute(tx),
    );
    return renewed.rows.length > 0;
  }

  function release(scope: Tenant, thing: string, holder: string) {
    return inStatement(db, scope, (tx) => releasing(tx, scope, thing, holder).execute());
  }

  return {
    async run(scope, thing, work) {
      const waited = startPassage();
      const inTime = () => waited() <= waitMs;
      const key = `${scope.organisationId} ${thing}`;
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(() => {
        if (!inTime()) throw tooLong();
        return leased(scope, thing, inTime, work);
      });
      // The next one here waits until the row is free, the caller does not.
      const tail = mine.then(({ released }) => released).catch(() => undefined);
      tails.set(key, tail);
      void tail.then(() => tails.get(key) === tail && tails.delete(key));
      return (await mine).result;
    },
  };
}

/** How long the lease would last without another renewal; 0: somebody has taken it, or may. */
async function leftIn(tx: Tx, scope: Tenant, thing: string, holder: string): Promise<number> {
  const row = await tx
    .selectFrom('zone_leases')
    .select(sql<number>`(extract(epoch from expires_at - clock_timestamp()) * 1000)::float8`.as('left'))
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', thing)
    .where('holder', '=', holder)
    .executeTakeFirst();
  return Math.max(0, row?.left ?? 0);
}

function releasing(tx: Tx, scope: Tenant, thing: string, holder: string) {
  return tx
    .deleteFrom('zone_leases')
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', thing)
    .where('holder', '=', holder);
}

function tooLong(): AppError {
  return new AppError('in_progress', {
    message: 'Another change is being made right now. Please try again in a moment.',
    retryAfterSeconds: 2,
  });
}
