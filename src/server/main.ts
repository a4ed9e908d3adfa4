import { pause } from '#kernel/clock.ts';
import { readConfig } from '#kernel/config.ts';
import { isConnectionLoss, throughOutages } from '#kernel/db/connection-loss.ts';
import { createDatabase, sql } from '#kernel/db/database.ts';
import { checkDatabase } from '#kernel/db/login-check.ts';
import { createGate } from '#kernel/db/place.ts';
import { createReplicas } from '#kernel/db/replicas.ts';
import { createLogger } from '#kernel/logger.ts';
import { keepMemoryLow } from '#kernel/memory-at-rest.ts';
import { createFeatures } from './compose.ts';
import { createAdapters } from './compose-adapters.ts';
import { appOptions } from './compose-http.ts';
import { createApp } from './http/app.ts';

/** The process: what is composed, started by its roles and stopped in order. */

const config = readConfig(process.env);
const logger = createLogger({ level: config.logLevel });
/** How long requests under way may take to finish when the process is asked to stop. */
const stopWithinMs = 25_000;
/** One look at an index: cheap enough to be prompt. */
const sweepEveryMs = 5_000;
const lookForHoldMs = 200;
/** Once it has answered, an outage ends this start, and the supervisor's next one waits again. */
const databaseAnswersWithinMs = 60_000;

const { preparedStatements } = config.database;
/** Only what people ask is read of a standby; jobs never are. */
const replicas =
  config.database.read.length > 0 && config.roles.includes('web')
    ? createReplicas({
        ...{ urls: config.database.read, primaryUrl: config.database.tenants, preparedStatements, logger },
        ...{ maxConnections: config.database.connections, mostLagMs: config.database.readLagMs },
      })
    : undefined;
const db = createDatabase({
  url: config.database.tenants,
  maxConnections: config.database.connections,
  preparedStatements,
  ...(replicas ? { replicas } : {}),
});
const systemDb = createDatabase({ url: config.database.system, maxConnections: 6, preparedStatements });
/** A connection of its own: a portal whose connections are all busy is not one without a database. */
const readyDb = createDatabase({
  ...{ url: config.database.tenants, maxConnections: 1, preparedStatements },
  silenceMs: 1_500,
});
/** Connections of their own, too: which database this is, is asked before everything that leaves. */
const gateDb = createDatabase({
  ...{ url: config.database.system, maxConnections: 2, preparedStatements },
  silenceMs: 5_000,
});
const gate = createGate(gateDb, config.database);
const adapters = createAdapters(config, logger, gate.mayAct);
const ground = { config, db, systemDb, logger, gate };
const features = createFeatures(ground, adapters);
const stops: (() => Promise<unknown>)[] = [];

// Mistakes that nobody foresaw: what the process knows cannot be trusted any more, and all that counts is in the database.
const endBy = (what: string) => (error: unknown) => {
  // A client whose connection broke has lost its answer. Nothing else is wrong.
  if (isConnectionLoss(error))
    return logger.error({ err: error }, 'nobody waited for a connection that broke');
  logger.fatal({ err: error }, what);
  process.exit(1);
};
process.on('unhandledRejection', endBy('unhandled rejection'));
process.on('uncaughtException', endBy('uncaught exception'));

// PostgreSQL may still be recovering, or start after us.
await throughOutages(() => sql`SELECT 1`.execute(systemDb), { logger, what: 'start' });
await checkDatabase(config.database, {
  preparedStatements,
  runsJobs: config.roles.includes('worker'),
  waitMs: databaseAnswersWithinMs,
});
// Whether this is the database that was noted decides whether anything may be sent at all.
await throughOutages(() => features.recovery.look(), { logger, what: 'start' });
const ending = new AbortController();
const watching = features.recovery.watch(ending.signal);
const working = config.roles.includes('worker') ? workThroughRecoveries() : Promise.resolve();
stops.push(async () => {
  ending.abort();
  await Promise.all([watching, working]);
});
if (replicas) await replicas.start();
if (config.roles.includes('web')) await startWeb();
void keepMemoryLow(ending.signal);

let isStopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  // It comes twice when a process group is stopped, because npm passes it on: the second must not cut off what the first waits for.
  process.on(signal, () => {
    if (isStopping) return;
    isStopping = true;
    void stop(signal);
  });
}

/** Jobs run while nothing is compared. When a comparison begins, those under way end, and it is taken on before they go on. */
async function workThroughRecoveries(): Promise<void> {
  while (!ending.signal.aborted) {
    await features.recovery.complete(ending.signal);
    if (ending.signal.aborted) return;
    const stopWorker = await startWorker();
    while (!ending.signal.aborted && !gate.isHeld()) await pause(lookForHoldMs, ending.signal);
    await stopWorker();
  }
}

/** Returns what stops it. */
async function startWorker(): Promise<() => Promise<void>> {
  const { orders, imports, attention } = features;
  // A process that only answers requests does without the library of the jobs.
  const [{ startRunner }, { atStart, schedule }, { jobsOf }] = await Promise.all([
    import('./jobs/runner.ts'),
    import('./jobs/tasks.ts'),
    import('./worker-jobs.ts'),
  ]);
  const runner = await startRunner({
    databaseUrl: config.database.direct ?? config.database.system,
    // One organization alone gets half of them (docs/decisions/0267).
    concurrency: 2 * config.orders.parallelItems,
    schedule: [...schedule, ...features.operator.schedule],
    atStart,
    logger,
    tasks: jobsOf(ground, adapters, features),
    // The supervisor starts it again, and a health check sees that it does not come up.
    onEnd: () => process.exit(1),
  });
  const logged = (error: unknown) => logger.error({ err: error }, 'sweep failed');
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  // What a crash left behind is taken up within seconds; the minute's job is the net under this one. One after the other:
  // a database that does not answer must not collect sweeps.
  const sweep = async () => {
    await Promise.all([
      orders.engine.sweep().catch(logged),
      imports.sweep().catch(logged),
      attention.settle().catch(logged),
    ]);
    if (!isStopped) timer = setTimeout(sweep, sweepEveryMs);
  };
  void sweep();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await runner.stop();
  };
}

async function startWeb(): Promise<void> {
  const app = await createApp({
    ...appOptions(ground, adapters, features),
    ...(replicas ? { replicas } : {}),
    ping,
  });
  await app.listen({ host: config.host, port: config.port });
  logger.info({ address: config.publicUrl }, 'portal is listening');
  stops.push(() => app.close());
}

async function ping(): Promise<void> {
  await sql`SELECT 1`.execute(readyDb);
}

/** Takes no new work, finishes what runs, then closes. */
async function stop(signal: string): Promise<void> {
  logger.info({ signal }, 'stopping');
  const timer = setTimeout(() => process.exit(1), stopWithinMs);
  for (const end of stops.reverse())
    await end().catch((error: unknown) => logger.error({ err: error }, 'stop'));
  await Promise.all([...[db, systemDb, readyDb, gateDb].map((pool) => pool.destroy()), replicas?.stop()]);
  clearTimeout(timer);
  process.exit(0);
}
