import { setMaxListeners } from 'node:events';
import type pg from 'pg';
import type { Logger } from '../logger.ts';
import { isConnectionLoss, throughOutages } from './connection-loss.ts';
import { createPool } from './database.ts';

export interface SteadyPool {
  pool: pg.Pool;
  /** No outage is waited for any more. */
  giveUp(): void;
  /** When what is being written down has been. */
  close(): Promise<void>;
}

/**
 * The pool of the job library. The library does not wait for the statement that writes down how a job ended, so a
 * connection lost just then is a rejection that nobody handles; and when the statement that reads the names of its tasks
 * fails once, it never takes a job again (graphile-worker 0.18.0, checked 2026-11-22). Whatever it asks here is therefore
 * asked again, on another connection, until the database answers. Its statements bear a repeat: jobs are completed and
 * failed by their ids, and jobs that were taken by a statement whose answer was lost are given back (jobs/lost-jobs.ts).
 */
export function createSteadyPool(options: {
  databaseUrl: string;
  maxConnections: number;
  logger: Logger;
}): SteadyPool {
  const pool = createPool({ url: options.databaseUrl, maxConnections: options.maxConnections });
  const ending = new AbortController();
  // Each statement that waits listens for the end.
  setMaxListeners(0, ending.signal);
  const waiting = { logger: options.logger, what: 'jobs', signal: ending.signal };
  const inUse = new Set<Promise<void>>();
  const plain = pool.connect.bind(pool) as Connect;
  // The listener and the schedule ask with a callback; both begin again by themselves.
  const connect: Connect = (callback) => (callback ? plain(callback) : steady());

  async function steady() {
    const { promise, resolve } = Promise.withResolvers<void>();
    inUse.add(promise);
    const end = () => {
      inUse.delete(promise);
      resolve();
    };
    let inTransaction = false;
    let client: pg.PoolClient | null = await throughOutages(() => plain(), waiting).catch(
      (error: unknown) => {
        end();
        throw error;
      },
    );
    const query = (statement: string | pg.QueryConfig, values?: unknown[]) =>
      throughOutages(async () => {
        inTransaction ||= /^\s*begin\b/i.test(typeof statement === 'string' ? statement : statement.text);
        client ??= await plain();
        try {
          return await client.query(statement, values);
        } catch (error) {
          if (!isConnectionLoss(error)) throw error;
          client.release(true);
          client = null;
          // Half of a transaction is not repeated.
          if (inTransaction) throw new Error('a transaction was cut off', { cause: error });
          throw error;
        }
      }, waiting);
    const release = () => {
      client?.release();
      end();
    };
    return { query, release } as unknown as pg.PoolClient;
  }

  return {
    pool: Object.defineProperty(pool, 'connect', { value: connect }),
    giveUp: () => ending.abort(),
    async close() {
      await Promise.all(inUse);
      await pool.end();
    },
  };
}

type Connect = (
  callback?: (error: Error | undefined, client: pg.PoolClient | undefined) => void,
) => Promise<pg.PoolClient>;
