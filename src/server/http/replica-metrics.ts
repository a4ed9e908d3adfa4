import { Gauge, type Registry } from 'prom-client';
import type { Replicas } from '#kernel/db/replicas.ts';

/** How the standbys are, and who answered what may be read there: for alarms, and to see what they are worth. */
export function measureReplicas(registry: Registry, replicas: Pick<Replicas, 'figures'>): void {
  new Gauge({
    name: 'nameward_replica_readings',
    help: 'Readings that a replica may answer, since the start, by who did (replica) or why the primary did',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      for (const [outcome, count] of replicas.figures().served) this.set({ outcome }, count);
    },
  });
  new Gauge({
    name: 'nameward_replica_serves',
    help: '1 while a replica answers, 0 while something is wrong with it',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      for (const { name, fault } of replicas.figures().servers)
        this.set({ replica: name }, fault === null ? 1 : 0);
    },
  });
  new Gauge({
    name: 'nameward_replica_lag_seconds',
    help: 'By how much a replica lags; NaN while it does not answer',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      for (const { name, lagMs } of replicas.figures().servers)
        this.set({ replica: name }, lagMs === null ? Number.NaN : lagMs / 1_000);
    },
  });
}
