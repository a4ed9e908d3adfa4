import pg from 'pg';
import { median, type Result } from './result.ts';
import { openShop, parallelItems } from './shop.ts';
import { slowRegistrar } from './slow-registrar.ts';
import type { Stand } from './stand.ts';

const latencyMs = 300;
/** Names of one purchase, and how often it is made: the longer it takes, the less one of them differs from the next. */
const sizes = [
  { items: 1, repeats: 7 },
  { items: 10, repeats: 7 },
  { items: 50, repeats: 3 },
  { items: 200, repeats: 3 },
];
/** Before they are measured: by then the engine has compiled what a purchase runs, and each connection has its statements. */
const warmUps = 60;
const allowedFactor = 1.15;
const bareCommitsMeasured = 300;

const rateSeconds = 3;
/** Ten times what the nearest open shop did with as many: 6.6 a second, on two cores (README.md). */
const few = { buyers: 4, target: 66 };
const buyers = 20;

/**
 * Purchases at a registrar that takes 300 ms, against the ideal makespan and what as many bare commits take on this machine, one after
 * the other.
 */
export async function measurePurchases(stand: Stand): Promise<Result[]> {
  await using database = await connected(stand.databaseUrl);
  const commitMs = await bareCommitMs(database);
  const registrar = slowRegistrar(0);
  await using shop = openShop(stand.urls, registrar.port);
  const scope = await shop.open();
  for (let count = 0; count < warmUps; count += 1) await shop.buy(scope, parallelItems);
  registrar.takes(latencyMs);
  const results: Result[] = [];
  for (const { items, repeats } of sizes) {
    const idealMs = Math.ceil(items / parallelItems) * latencyMs;
    await forgetJobs(stand.databaseUrl);
    const tookMs: number[] = [];
    const transactionsBefore = await transactionsOf(database);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const before = registrar.registered();
      const beganAt = performance.now();
      await shop.buy(scope, items);
      tookMs.push(performance.now() - beganAt);
      if (registrar.registered() - before !== items) throw new Error('registered is not what was ordered');
    }
    const commits = Math.round(((await transactionsOf(database)) - transactionsBefore) / repeats);
    const limitMs = idealMs * allowedFactor + commits * commitMs;
    const middleMs = median(tookMs);
    results.push({
      name: `purchase of ${items} at ${latencyMs} ms, ideal ${idealMs} ms`,
      measured: `${middleMs.toFixed(0)} ms (${commits} commits of ${commitMs.toFixed(2)} ms)`,
      target: `≤ ${limitMs.toFixed(0)} ms`,
      passed: middleMs <= limitMs,
      figures: { idealMs, limitMs, middleMs, worstMs: Math.max(...tookMs), commits, commitMs },
    });
  }
  await shop.requireSoundLedger();
  await forgetJobs(stand.databaseUrl);
  return results;
}

/** Orders of one name a second when the registrar takes no time, beside what the disk allows. */
export async function measureOrderRate(stand: Stand): Promise<Result[]> {
  const registrar = slowRegistrar(0);
  await using shop = openShop(stand.urls, registrar.port);
  const scopes = await Promise.all(Array.from({ length: buyers }, () => shop.open()));
  await Promise.all(scopes.map((scope) => shop.buy(scope, 1)));
  const [ofFew, ofMany] = [
    await perSecond(scopes.slice(0, few.buyers).map((scope) => () => shop.buy(scope, 1))),
    await perSecond(scopes.map((scope) => () => shop.buy(scope, 1))),
  ];
  await shop.requireSoundLedger();
  await forgetJobs(stand.databaseUrl);
  const commitsPerSecond = await bareCommits(stand.databaseUrl);
  const nameOf = (count: number) => `orders with an instant registrar, ${count} buyers`;
  return [
    {
      name: nameOf(few.buyers),
      measured: `${ofFew.toFixed(0)} per s`,
      target: `≥ ${few.target} per s`,
      passed: ofFew >= few.target,
      figures: { ordersPerSecond: ofFew },
    },
    {
      name: nameOf(buyers),
      measured: `${ofMany.toFixed(0)} per s (${commitsPerSecond.toFixed(0)} bare commits)`,
      ...{ target: '', passed: null, figures: { ordersPerSecond: ofMany, commitsPerSecond } },
    },
  ];
}

async function connected(databaseUrl: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** How many transactions have written so far. */
async function transactionsOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS number');
  return Number(rows[0].number);
}

/** What one transaction of one row takes, on a connection that makes one after the other. */
async function bareCommitMs(database: pg.Client): Promise<number> {
  const tookMs: number[] = [];
  await database.query('CREATE TABLE bench_commits (id bigint GENERATED ALWAYS AS IDENTITY, text text)');
  for (let count = 0; count < bareCommitsMeasured; count += 1) {
    const beganAt = performance.now();
    await database.query("INSERT INTO bench_commits (text) VALUES ('one row')");
    tookMs.push(performance.now() - beganAt);
  }
  await database.query('DROP TABLE bench_commits');
  return median(tookMs);
}

/** Here nobody works off what an order leaves to jobs: the next measurement's portal shall not find a thousand at once. */
async function forgetJobs(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT graphile_worker.complete_jobs(ARRAY(SELECT id FROM graphile_worker.jobs))');
  } finally {
    await client.end();
  }
}

/** How many transactions of one row this database takes from as many connections. */
async function bareCommits(databaseUrl: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: buyers });
  try {
    await pool.query('CREATE TABLE bench_commits (id bigint GENERATED ALWAYS AS IDENTITY, text text)');
    const commit = async () => {
      await pool.query("INSERT INTO bench_commits (text) VALUES ('one row')");
    };
    const rate = await perSecond(Array.from({ length: buyers }, () => commit));
    await pool.query('DROP TABLE bench_commits');
    return rate;
  } finally {
    await pool.end();
  }
}

/** Each worker again and again, all at once. */
async function perSecond(workers: readonly (() => Promise<void>)[]): Promise<number> {
  const beganAt = performance.now();
  const endsAt = beganAt + rateSeconds * 1_000;
  let done = 0;
  await Promise.all(
    workers.map(async (work) => {
      while (performance.now() < endsAt) {
        await work();
        done += 1;
      }
    }),
  );
  return (done * 1_000) / (performance.now() - beganAt);
}
