import { AppError } from '#contracts/errors.ts';
import type { OperatorAct, OperatorKey } from '#contracts/operations/operators.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, isUniqueViolation, systemTransaction } from '#kernel/db/database.ts';
import { newSecret, sha256 } from '#kernel/ids.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Operator } from '#kernel/operator.ts';
import { requireRoom } from '#kernel/room.ts';
import {
  concludeAct,
  countOperators,
  endOperator,
  findOperator,
  insertAct,
  insertOperator,
  listActs,
  listOperators,
} from './operators.repo.ts';

export interface OperatorsDeps {
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  newId: (nowMs: number) => string;
}

/** By this a key found in a file or a log is known for what it is. */
export const operatorKeyPrefix = 'nwo_';
const mostActs = 500;

/** Named operators: a key for each person, and a log of every act, with its operator and its outcome. */
export function createOperators({ systemDb, clock, logger, newId }: OperatorsDeps) {
  async function list(): Promise<OperatorKey[]> {
    return (await systemTransaction(systemDb, listOperators)).map((row) => ({
      id: row.id,
      name: row.name,
      madeAt: row.made_at.toISOString(),
      lastUsedAt: row.last_used_at?.toISOString() ?? null,
      endedAt: row.ended_at?.toISOString() ?? null,
    }));
  }

  /** The key is in this answer and nowhere else. */
  async function make(name: string): Promise<{ id: string; name: string; key: string }> {
    const now = clock.now();
    const id = newId(now.getTime());
    const key = `${operatorKeyPrefix}${newSecret()}`;
    try {
      await systemTransaction(systemDb, async (tx) => {
        await requireRoom(tx, 'operatorKeys', 'the portal', () => countOperators(tx));
        await insertOperator(tx, { id, name, keyHash: sha256(key), now });
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const message = `${name} already has a key. Please end it first.`;
      throw new AppError('already_exists', { message, details: [{ path: 'name', message }] });
    }
    return { id, name, key };
  }

  async function end(id: string): Promise<{ name: string }> {
    const name = await systemTransaction(systemDb, (tx) => endOperator(tx, id, clock.now()));
    if (name === undefined) throw new AppError('not_found');
    return { name };
  }

  /** Whose key it is, asked on each request; null: nobody's, or it has ended. */
  function load(key: string): Promise<{ id: string; name: string } | null> {
    return findOperator(systemDb, sha256(key), clock.now());
  }

  /** Does what an operator asked for, with a row of it before and its end after. Without the row nothing is done. */
  async function record<T>(
    operator: Operator,
    what: { operation: string; input: unknown },
    act: () => Promise<T>,
  ): Promise<T> {
    const at = clock.now();
    const id = newId(at.getTime());
    const { id: operatorId, name, ip: address } = operator;
    await insertAct(systemDb, { id, at, operatorId, operator: name, address }, what);
    const conclude = async (outcome: string) => {
      logger.info({ operator: name, address, operation: what.operation, outcome }, 'act of an operator');
      await concludeAct(systemDb, id, outcome, clock.now());
    };
    let result: T;
    try {
      result = await act();
    } catch (error) {
      await conclude(error instanceof AppError ? error.code : 'internal');
      throw error;
    }
    // It is done, whether that can be written down or not; its row then stays without an end.
    await conclude('done').catch((error: unknown) =>
      logger.error({ err: error, act: id }, 'the end of an act was not written down'),
    );
    return result;
  }

  async function acts(): Promise<OperatorAct[]> {
    return (await listActs(systemDb, mostActs)).map((row) => ({
      id: row.id,
      at: row.at.toISOString(),
      operator: row.operator,
      address: row.address,
      operation: row.operation,
      input: row.input,
      outcome: row.outcome,
    }));
  }

  return { list, make, end, load, record, acts };
}
