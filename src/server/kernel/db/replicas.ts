import { type Position, positionText, readPosition } from '#contracts/values/position.ts';
import { pause } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Sent } from './batch.ts';
import { isConnectionLoss } from './connection-loss.ts';
import { UnsafeDatabase } from './login-check.ts';
import { outlivedByItsTable } from './prepared.ts';
import { createPrimaryPosition } from './primary-position.ts';
import { duringRequest, presentRequest, type ReadingRequest } from './reading-request.ts';
import { isEnough, neededOf, type ReplicaFault } from './replica.rules.ts';
import { createReplica, type Reading, type Replica } from './replica.ts';
import { watchReplicas } from './replica-watch.ts';

/** Who answered a reading, or why it was not a replica. */
export type Outcome = 'replica' | ReplicaFault | 'behind' | 'failed';

/**
 * Standbys of the database that answer lists, exports, the audit log and reports. Whatever is wrong with one, the primary is
 * asked, and nobody but the log and the figures learns of it (docs/decisions/0270).
 */
export interface Replicas {
  /**
   * Runs a request. `shown` is the position that its caller was given last; `positionNow` says which one its reply has: nothing
   * that it shows or has written is later. null: it cannot be had.
   */
  during<T>(
    request: { mayRead: boolean; shown: string | null },
    work: (positionNow: () => Promise<string | null>) => Promise<T>,
  ): Promise<T>;
  /** Answers the statements of the present request; false: the primary is to be asked. Never rejects. */
  serve(organisationId: string, statements: readonly Sent[]): Promise<boolean>;
  figures(): {
    served: ReadonlyMap<Outcome, number>;
    servers: { name: string; fault: ReplicaFault | null; lagMs: number | null }[];
  };
  /** The first look, and one each second. Throws when a login may do too much. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ReplicasOptions {
  urls: readonly string[];
  /** Of the primary, by the login of tenants' work. */
  primaryUrl: string;
  maxConnections: number;
  preparedStatements: boolean;
  mostLagMs: number;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** A standby that is a few milliseconds behind is waited for so long; asking the primary costs as much. */
const patienceMs = 25;
const betweenLooksMs = 3;
/** One that lags by this will not have caught up within the patience. */
const hopelessLagMs = 1_000;
/** Organizations whose changes were not there yet when they were looked for. */
const mostAwaited = 10_000;

export function createReplicas(options: ReplicasOptions): Replicas {
  const { mostLagMs, logger, preparedStatements, maxConnections } = options;
  const primary = createPrimaryPosition(options.primaryUrl);
  const servers = options.urls.map((url) => createReplica({ url, maxConnections, preparedStatements }));
  const watch = watchReplicas({ primary, servers, mostLagMs, logger });
  const served = new Map<Outcome, number>();
  const awaited = new Map<string, Position>();
  let turn = 0;

  async function reaches(server: Replica, lsn: number): Promise<boolean> {
    const has = () => (server.seen()?.lsn ?? -1) >= lsn;
    const until = performance.now() + patienceMs;
    while (!has()) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) return false;
      await Promise.race([server.look(), pause(leftMs)]);
      if (has()) return true;
      if ((watch.lagMs(server) ?? Number.POSITIVE_INFINITY) > hopelessLagMs) return false;
      await pause(betweenLooksMs);
    }
    return true;
  }

  async function answer(
    request: ReadingRequest,
    organisationId: string,
    statements: readonly Sent[],
  ): Promise<Outcome> {
    const good = servers.filter((server) => watch.fault(server) === null);
    if (good.length === 0) return servers.map(watch.fault).find((each) => each !== null) ?? 'away';
    const now = await primary.neededNow(organisationId);
    const needed = neededOf(request.shown, now);
    const expected = awaited.get(organisationId);
    const least = Math.max(needed.lsn, expected?.timeline === now.timeline ? expected.lsn : 0);
    turn = (turn + 1) % good.length;
    for (const server of [...good.slice(turn), ...good.slice(0, turn)]) {
      if (!(await reaches(server, least))) continue;
      const reading = await readOf(server, organisationId, statements);
      if (!reading) return 'failed';
      if (isEnough(reading.found, needed)) {
        awaited.delete(organisationId);
        deliver(request, reading, statements, now.timeline);
        return 'replica';
      }
      // The next ones of the organization need not try before it has this.
      if (awaited.size >= mostAwaited) awaited.clear();
      awaited.set(organisationId, now);
    }
    return 'behind';
  }

  /** null: whatever was wrong, the primary will know, or say the same. */
  async function readOf(server: Replica, organisationId: string, statements: readonly Sent[]) {
    try {
      return await server.read(organisationId, statements);
    } catch (error) {
      for (const { text } of statements) outlivedByItsTable(error, text);
      logger.warn({ replica: server.name, reason: String(error) }, 'a replica failed; the primary is asked');
      if (isConnectionLoss(error)) void server.look();
      return null;
    }
  }

  async function serve(organisationId: string, statements: readonly Sent[]): Promise<boolean> {
    const request = presentRequest();
    if (!request?.mayRead) return false;
    const outcome = await answer(request, organisationId, statements).catch((): Outcome => 'failed');
    served.set(outcome, (served.get(outcome) ?? 0) + 1);
    return outcome === 'replica';
  }

  async function positionAfter({ askedPrimary, read }: ReadingRequest): Promise<string | null> {
    try {
      return positionText(read && !askedPrimary ? read : await primary.now());
    } catch {
      return null;
    }
  }

  return {
    during({ mayRead, shown }, work) {
      const request: ReadingRequest = {
        ...{ mayRead, shown: readPosition(shown) },
        ...{ askedPrimary: false, read: null },
      };
      return duringRequest(request, () => work(() => positionAfter(request)));
    },
    serve,
    figures: () => ({
      served,
      servers: servers.map((server) => ({
        ...{ name: server.name, fault: watch.fault(server), lagMs: watch.lagMs(server) },
      })),
    }),
    async start() {
      await watch.start();
      const faults = servers.flatMap((server) => server.faults());
      if (faults.length > 0) throw new UnsafeDatabase(faults);
    },
    async stop() {
      await watch.stop();
      await Promise.all([primary.end(), ...servers.map((server) => server.end())]);
    },
  };
}

function deliver(
  request: ReadingRequest,
  { answers, lsn }: Reading,
  statements: readonly Sent[],
  timeline: string,
): void {
  request.read = { timeline, lsn: Math.max(lsn, request.read?.lsn ?? 0) };
  for (const [at, { done }] of statements.entries()) done(null, answers[at] ?? null);
}
