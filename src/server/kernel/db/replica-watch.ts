import { pause } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { PrimaryPosition } from './primary-position.ts';
import { faultOf, keptLooks, lagOf, type PrimarySeen, type ReplicaFault } from './replica.rules.ts';
import type { Replica } from './replica.ts';

/** Looks at all servers each second, and tells the log what changes. */
export interface ReplicaWatch {
  /** Why nothing is read of it at the moment. */
  fault(server: Replica): ReplicaFault | null;
  /** null: it does not answer. */
  lagMs(server: Replica): number | null;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const lookEveryMs = 1_000;

export function watchReplicas(options: {
  primary: PrimaryPosition;
  servers: readonly Replica[];
  mostLagMs: number;
  logger: Pick<Logger, 'info' | 'warn'>;
}): ReplicaWatch {
  const { primary, servers, mostLagMs, logger } = options;
  const ending = new AbortController();
  const told = new Map<Replica, ReplicaFault | null>();
  let looks: PrimarySeen[] = [];
  let watching: Promise<void> = Promise.resolve();

  const fault = (server: Replica) => faultOf(server.seen(), looks, { now: performance.now(), mostLagMs });

  async function look(): Promise<void> {
    await Promise.all([
      primary.look().then(
        (seen) => {
          looks = keptLooks(looks, seen, mostLagMs);
        },
        // The requests themselves say it.
        () => undefined,
      ),
      ...servers.map((server) => server.look()),
    ]);
    for (const server of servers) say(server);
  }

  function say(server: Replica): void {
    const now = fault(server);
    if (told.get(server) === now) return;
    told.set(server, now);
    const facts = { replica: server.name, fault: now, login: server.faults() };
    if (now === null) logger.info({ replica: server.name }, 'a replica serves');
    else logger.warn(facts, 'a replica does not serve; the primary is asked');
  }

  async function watch(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(lookEveryMs, ending.signal);
      if (!ending.signal.aborted) await look();
    }
  }

  return {
    fault,
    lagMs(server) {
      const lsn = server.seen()?.lsn ?? null;
      return lsn === null ? null : lagOf(lsn, looks, performance.now());
    },
    async start() {
      await look();
      watching = watch();
    },
    async stop() {
      ending.abort();
      await watching;
    },
  };
}
