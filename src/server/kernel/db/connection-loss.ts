import type { DatabaseError } from 'pg';
import { pause } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** What the operating system says of a connection that broke or could not be made. */
const networkCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['EAI_AGAIN', 'ENOTFOUND'],
]);
/** A connection leads to a standby, where nothing can be written: after a failover, or past a balancer that has just started. */
const standbyCode = '25006';
/** What PostgreSQL says of itself: ended by an administrator, crashed, starting, full (class 08: the protocol broke). */
const serverCodes = /^(08\w{3}|57P0[1-5]|53300|25P03)$/;
/** The driver's own complaints have no code (pg 8.23, pg-pool 3.14, checked 2026-11-22). */
const driverWords =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/;

/** The database's connection was lost or could not be had: nothing is wrong with what was asked for. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    networkCodes.has(code) ||
    serverCodes.test(code) ||
    code === standbyCode ||
    driverWords.test(error.message)
  );
}

/** PostgreSQL, or a pooler, ends the connection after it has said this. Servers say the severity in their own language. */
export function endsConnection({
  severity,
  code,
}: Partial<Pick<DatabaseError, 'severity' | 'code'>>): boolean {
  return severity === 'FATAL' || severity === 'PANIC' || serverCodes.test(code ?? '');
}

/** Nothing has come from the database for longer than any statement may take. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent';
  readonly code = 'ETIMEDOUT';
}

export interface Patience {
  logger: Pick<Logger, 'warn' | 'info'>;
  /** What waits, for the log. */
  what: string;
  /** Ends the waiting: the loss is thrown then. */
  signal?: AbortSignal;
  firstPauseMs?: number;
}

const longestPauseMs = 5_000;

/**
 * Does `work` again, after ever longer pauses, as long as the database cannot be reached. For work that bears a repeat;
 * every other failure is thrown.
 */
export async function throughOutages<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  const { logger, what, signal } = patience;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await work();
      if (attempt > 0) logger.info({ what }, 'the database answers again');
      return result;
    } catch (error) {
      if (!isConnectionLoss(error) || signal?.aborted) throw error;
      logger.warn({ what, reason: String(error) }, 'waiting for the database');
    }
    const pauseMs = Math.min(longestPauseMs, (patience.firstPauseMs ?? 100) * 2 ** Math.min(attempt, 10));
    await pause(pauseMs, signal);
  }
}
