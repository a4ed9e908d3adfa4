import { pino } from 'pino';
import { createFeatures, type Features } from '../../src/server/compose.ts';
import type { Adapters } from '../../src/server/compose-adapters.ts';
import { readConfig } from '../../src/server/kernel/config.ts';
import type { Db } from '../../src/server/kernel/db/database.ts';
import { jobsOf } from '../../src/server/worker-jobs.ts';
import type { Bug } from './bugs.ts';
import type { Outside } from './outside.ts';
import type { SimulatedPayments } from './payments.ts';
import { type Process, type Schedule, Schedule as Scheduling } from './schedule.ts';
import type { Stand } from './stand.ts';
import { Worker } from './worker.ts';

/** One process of the portal: its memory goes with it. */
export interface Portal {
  process: Process;
  features: Features;
  worker: Worker;
}

export interface PortalDeps {
  stand: Stand;
  schedule: Schedule;
  outside: Outside;
  payments: SimulatedPayments;
  bug: Bug;
  onError: (task: string, error: unknown) => void;
}

export async function startPortal(name: string, deps: PortalDeps): Promise<Portal> {
  const { stand, schedule, outside, payments, bug } = deps;
  const process: Process = { name, isDead: false, connections: new Set() };
  stand.statements.know(process);
  const config = readConfig({
    ...{ DATABASE_URL: stand.urls.tenants, DATABASE_SYSTEM_URL: stand.urls.system, REDEMPTION_FEES: '' },
    HEALTH_CHECKS: 'off',
  });
  const registrar = outside.registrarPort();
  const paymentsPort = payments.asPort();
  const adapters = {
    ...missingPorts(outside),
    registrar: bug.registrar?.(registrar) ?? registrar,
    payments: bug.payments?.(paymentsPort) ?? paymentsPort,
    mail: outside.mailPort(),
    uploads: null,
  } as unknown as Adapters;
  const withBug = (db: Db) => (bug.sql ? db.withPlugin(bug.sql) : db);
  const ground = {
    config,
    db: withBug(stand.db),
    systemDb: withBug(stand.systemDb),
    logger: pino({ level: 'silent' }),
  };
  const features = createFeatures(ground, adapters);
  const jobs = jobsOf(ground, adapters, features);
  const tasks = bug.tasks?.(jobs) ?? jobs;
  const worker = new Worker(name, schedule, stand.statements, tasks, deps.onError);
  await Scheduling.start(process, () => worker.free());
  return { process, features, worker };
}

/** Ports that no life needs: asked, they do not answer. */
function missingPorts(outside: Outside): Record<string, unknown> {
  const names = ['identity', 'rdap', 'probe', 'storage', 'resolver', 'zoneSource'];
  return Object.fromEntries(names.map((name) => [name, outside.missing(name)]));
}
