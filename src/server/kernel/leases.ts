import { AppError } from '#contracts/errors.ts';
import { pause } from './clock.ts';
import { ask, type Db, inOneGo, inReading, later, sql, type Tx } from './db/database.ts';
import { failpoint } from './failpoint.ts';
import { createFence, type Fence } from './fence.ts';
import { startPassage } from './passage.ts';

interface Tenant {
  organisationId: string;
}

/** Held by one work at a time. A process that was paused may have lost it: what it writes goes by the fence. */
export interface Lease {
  /**
   * For outside writes that begin from now on: it falls with the lease, and when their time is up. What `intent` writes is committed
   * with the first question that finds the lease in force, before anything is sent; otherwise none of it is. It waits for no answer of
   * the database (`later`).
   */
  fence(intent?: (tx: Tx) => Promise<void>): Fence;
  /** Whether nobody has taken it. Ask after an answer: without it nothing is known of what others wrote meanwhile. */
  held(): Promise<boolean>;
  /** The transaction that writes down the answer fails without it (`isLeaseLost`). Ask last. */
  requireIn(tx: Tx): Promise<void>;
  /** Gives it back with this transaction, which is the last thing that is done under it. */
  endWith(tx: Tx): Promise<void>;
}

export interface Leases {
  /** Runs `work` as the only one on this thing of the organisation's, here and in every other process. */
  run<T>(scope: Tenant, thing: string, work: (lease: Lease) => Promise<T>): Promise<T>;
  /** The same for work that begins with reading the database: `read` travels with the taking of the lease, and is done under it. */
  runWith<T, R>(
    scope: Tenant,
    thing: string,
    read: (tx: Tx) => Promise<R>,
    work: (lease: Lease, seen: R) => Promise<T>,
  ): Promise<T>;
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

  async function leased<T, R>(
    scope: Tenant,
    thing: string,
    inTime: () => boolean,
    read: (tx: Tx) => Promise<R>,
    work: (lease: Lease, seen: R) => Promise<T>,
  ): Promise<{ result: T; released: Promise<unknown> }> {
    const holder = deps.newId(Date.now());
    let taken = await take(scope, thing, holder, read);
    for (let lookMs = firstLookMs; !taken; taken = await take(scope, thing, holder, read)) {
      if (!inTime()) throw tooLong();
      await pause(lookMs * (0.5 + Math.random()));
      lookMs = Math.min(slowestLookMs, lookMs * 2);
    }
    const { seen } = taken;
    const { lease, endsByItself } = leaseOf(db, { scope, thing, holder }, writeMs);
    const renewing = setInterval(() => {
      // When the database cannot be reached the lease runs out, and its fence falls.
      renew(scope, thing, holder).catch(() => undefined);
    }, leaseMs / 4);
    try {
      const result = await work(lease, await seen());
      return { result, released: endsByItself() ? stopRenewing() : done() };
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

  /**
   * null: somebody else has it. The disk is not waited for: a crash that forgets a lease forgets whatever was committed after it too, and
   * its holder finds it lost before anything is sent.
   */
  async function take<R>(
    scope: Tenant,
    thing: string,
    holder: string,
    read: (tx: Tx) => Promise<R>,
  ): Promise<{ seen: () => Promise<R> } | null> {
    const statement = sql`INSERT INTO zone_leases AS l (organisation_id, address, holder, expires_at)
      VALUES (${scope.organisationId}, ${thing}, ${holder}, clock_timestamp() + ${leaseMs} * interval '1 millisecond')
      ON CONFLICT (organisation_id, address) DO UPDATE
        SET holder = excluded.holder, expires_at = excluded.expires_at WHERE l.expires_at < clock_timestamp()
      RETURNING holder`;
    const takeAndRead = (tx: Tx) => Promise.allSettled([ask(tx, statement), read(tx)]);
    const [taken, seen] = await inOneGo(db, scope, takeAndRead, { durable: false });
    if (taken.status === 'rejected') throw taken.reason;
    if (taken.value.rows.length === 0) return null;
    return {
      async seen() {
        if (seen.status === 'rejected') throw seen.reason;
        return seen.value;
      },
    };
  }

  async function renew(scope: Tenant, thing: string, holder: string): Promise<boolean> {
    const renewed = await inOneGo(db, scope, (tx) =>
      sql`UPDATE zone_leases SET expires_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
        WHERE organisation_id = ${scope.organisationId} AND address = ${thing} AND holder = ${holder}
          AND expires_at > clock_timestamp()
        RETURNING holder`.execute(tx),
    );
    return renewed.rows.length > 0;
  }

  function release(scope: Tenant, thing: string, holder: string) {
    return inOneGo(db, scope, (tx) => releasing(tx, scope, thing, holder).execute());
  }

  async function runWith<T, R>(
    scope: Tenant,
    thing: string,
    read: (tx: Tx) => Promise<R>,
    work: (lease: Lease, seen: R) => Promise<T>,
  ): Promise<T> {
    const waited = startPassage();
    const inTime = () => waited() <= waitMs;
    const key = `${scope.organisationId} ${thing}`;
    const before = tails.get(key) ?? Promise.resolve();
    const mine = before.then(() => {
      if (!inTime()) throw tooLong();
      return leased(scope, thing, inTime, read, work);
    });
    // The next one here waits until the row is free, the caller does not.
    const tail = mine.then(({ released }) => released).catch(() => undefined);
    tails.set(key, tail);
    void tail.then(() => tails.get(key) === tail && tails.delete(key));
    return (await mine).result;
  }

  return { run: (scope, thing, work) => runWith(scope, thing, async () => undefined, work), runWith };
}

interface Holding {
  scope: Tenant;
  thing: string;
  holder: string;
}

/** One that was taken. `endsByItself`: whether somebody ends it with a transaction of theirs. */
function leaseOf(
  db: Db,
  { scope, thing, holder }: Holding,
  writeMs: number,
): { lease: Lease; endsByItself: () => boolean } {
  let endsByItself = false;
  const leftMs = () => inReading(db, scope, (tx) => leftIn(tx, scope, thing, holder));
  const required = sql<{
    left: number;
  }>`SELECT require_lease(${scope.organisationId}, ${thing}, ${holder}) AS left`;
  const lease: Lease = {
    fence(intent) {
      let isWritten = !intent;
      const write = async () => {
        const { rows } = await inOneGo(db, scope, async (tx) => {
          await intent?.(tx);
          return required.execute(tx);
        });
        isWritten = true;
        failpoint('lease.intent');
        return rows[0]?.left ?? 0;
      };
      const orLost = (error: unknown) => {
        if (isLeaseLost(error)) return 0;
        throw error;
      };
      return createFence({
        limitMs: writeMs,
        leftMs: () => (isWritten ? leftMs() : write().catch(orLost)),
      });
    },
    async held() {
      const asked = startPassage();
      return (await leftMs()) > asked();
    },
    requireIn: (tx) => later(tx, required),
    async endWith(tx) {
      endsByItself = true;
      await later(tx, releasing(tx, scope, thing, holder));
    },
  };
  return { lease, endsByItself: () => endsByItself };
}

/** Whether a transaction was taken back because its lease was lost. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NW002';
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
