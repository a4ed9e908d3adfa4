import { systemClock } from '#kernel/clock.ts';
import { readConfig } from '#kernel/config.ts';
import { createDatabase } from '#kernel/db/database.ts';
import { createLogger } from '#kernel/logger.ts';
import { createSeal } from '#kernel/seal.ts';
import { collectStartUpMemory } from '#kernel/start-up-memory.ts';
import { appOptions, createAdapters, createFeatures } from './compose.ts';
import { createApp } from './http/app.ts';
import { startRunner } from './jobs/runner.ts';
import { atStart, createTasks, schedule } from './jobs/tasks.ts';

/** The process: what is composed, started by its roles and stopped in order. */

const config = readConfig(process.env);
const logger = createLogger({ level: config.logLevel });
/** How long requests under way may take to finish when the process is asked to stop. */
const stopWithinMs = 25_000;
/** One look at an index: cheap enough to be prompt. */
const startUpIsOverMs = 5_000;
const sweepEveryMs = 5_000;

const db = createDatabase({
  url: config.databaseUrl,
  role: 'nameward_app',
  maxConnections: config.databaseConnections,
});
const systemDb = createDatabase({ url: config.databaseUrl, role: 'nameward_system', maxConnections: 6 });
const adapters = createAdapters(config, logger);
const ground = { config, db, systemDb, logger };
const features = createFeatures(ground, adapters);
const stops: (() => Promise<unknown>)[] = [];

if (config.roles.includes('worker')) await startWorker();
if (config.roles.includes('web')) await startWeb();

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
// Mistakes that nobody foresaw: what the process knows cannot be trusted any more, and all that counts is in the database.
process.on('unhandledRejection', (reason) => {
  logger.fatal({ err: reason }, 'unhandled rejection');
  process.exit(1);
});
process.on('uncaughtException', (error) => {
  logger.fatal({ err: error }, 'uncaught exception');
  process.exit(1);
});

async function startWorker(): Promise<void> {
  const { orders, billing, users, domains, dns, certificates, renewals, imports } = features;
  const runner = await startRunner({
    databaseUrl: config.databaseUrl,
    concurrency: config.orders.parallelItems,
    schedule: [...schedule, ...features.operator.schedule],
    atStart,
    logger,
    tasks: createTasks({
      ...{
        systemDb,
        orders,
        billing,
        logger,
        mail: adapters.mail,
        seal: createSeal(config.sealKeys),
        managersOf: users.managersOf,
        clock: systemClock,
      },
      operatorEmail: config.operatorEmail,
      more: {
        ...{ ...users.tasks, ...features.audit.tasks, ...domains.tasks, ...dns.tasks, ...renewals.tasks },
        ...{ ...features.directBilling.tasks, ...features.operator.tasks },
        ...{ ...certificates.tasks, ...orders.tasks },
        ...features.privacy.tasks,
        ...features.registrarWatch.tasks,
        ...imports.tasks,
      },
    }),
  });
  stops.push(() => runner.stop());
  const logged = (error: unknown) => logger.error({ err: error }, 'sweep failed');
  const sweep = () => Promise.all([orders.engine.sweep().catch(logged), imports.sweep().catch(logged)]);
  // What a crash left behind is taken up within seconds; the minute's job is the net under this one.
  void sweep();
  const timer = setInterval(sweep, sweepEveryMs);
  stops.push(async () => clearInterval(timer));
}

async function startWeb(): Promise<void> {
  const app = await createApp(appOptions(ground, adapters, features));
  await app.listen({ host: config.host, port: config.port });
  logger.info({ address: config.publicUrl }, 'portal is listening');
  // Not at once: whoever waited for the start asks first.
  setTimeout(collectStartUpMemory, startUpIsOverMs).unref();
  stops.push(() => app.close());
}

/** Takes no new work, finishes what runs, then closes. */
async function stop(signal: string): Promise<void> {
  logger.info({ signal }, 'stopping');
  const timer = setTimeout(() => process.exit(1), stopWithinMs);
  for (const end of stops.reverse())
    await end().catch((error: unknown) => logger.error({ err: error }, 'stop'));
  await Promise.all([db.destroy(), systemDb.destroy()]);
  clearTimeout(timer);
  process.exit(0);
}
