import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import { type Done, type Sent, type Statement, sendTogether } from './batch.ts';
import { lastingName, outlivedByItsTable } from './prepared.ts';
import type { Database } from './schema.ts';

/** Connections, and whether statements prepared on one may be found there later. */
export interface Place {
  readonly pool: pg.Pool;
  readonly preparedStatements: boolean;
  /** Servers that may answer readings in its stead: whether they have. */
  readonly replicas?:
    | { serve(organisationId: string, statements: readonly Sent[]): Promise<boolean> }
    | undefined;
}

/** The transaction behind an executor; undefined where each statement is one of its own. */
export function lineOf(tx: Kysely<Database>): Line | undefined {
  const { adapter } = tx.getExecutor();
  return adapter instanceof LineAdapter ? adapter.line : undefined;
}

/**
 * Runs `work` in a transaction. `first` travels with its first statement, and what is deferred with the next one; statements
 * that are asked for at the same time travel together. Without a statement there is no transaction at all. In one go they all travel
 * together, and are a transaction because of that: a second time is refused.
 */
export async function runTransaction<T>(
  place: Place,
  plugins: readonly KyselyPlugin[],
  first: readonly Statement[],
  work: (tx: Kysely<Database>) => Promise<T>,
  kind: 'transaction' | 'one go' = 'transaction',
): Promise<T> {
  const client = await place.pool.connect();
  const line = new Line(client, place.preparedStatements, first, kind === 'one go');
  let isBroken = false;
  try {
    const result = await work(
      new Kysely<Database>({ dialect: new LineDialect(line), plugins: [...plugins] }),
    );
    await line.commit();
    return result;
  } catch (error) {
    await line.rollBack().catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** One transaction on one connection. */
export class Line implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #preparedStatements: boolean;
  readonly #first: readonly Statement[];
  readonly #isOneGo: boolean;
  /** What goes out with the next statement. */
  #waiting: Sent[] = [];
  #isBegun = false;
  #isEnded = false;
  #isGoing = false;
  /** What goes out when what is under way is answered, go by go. */
  #behind: Sent[][] = [];
  #isAnswering = false;
  /** To the last statement of one go. */
  readonly #answer = Promise.withResolvers<void>();

  constructor(
    client: pg.PoolClient,
    preparedStatements: boolean,
    first: readonly Statement[],
    isOneGo: boolean,
  ) {
    this.#client = client;
    this.#preparedStatements = preparedStatements;
    this.#first = first;
    this.#isOneGo = isOneGo;
    this.#answer.promise.catch(() => undefined);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#requireOpen();
    const { sql: text, parameters: values } = query;
    try {
      return resultOf(await this.#send(text, values));
    } catch (error) {
      outlivedByItsTable(error, text);
      throw asked(error);
    }
  }

  /** It travels with the next statement, or with the commit, and its failure is theirs. */
  defer({ sql: text, parameters: values }: CompiledQuery): void {
    this.#requireOpen();
    this.#waiting.push({ ...this.#named(text, values), done: () => undefined });
  }

  async commit(): Promise<void> {
    if (this.#isOneGo) {
      if (this.#waiting.length > 0) this.#goSoon();
      if (this.#isBegun || this.#isGoing) await this.#answer.promise;
    } else if (this.#isBegun || this.#waiting.length > 0) {
      const { command } = await this.#send('COMMIT', []);
      // PostgreSQL takes everything back when a statement failed whose error was caught.
      if (command !== 'COMMIT')
        throw new Error('the transaction was taken back: a statement in it had failed');
    }
    this.#isEnded = true;
  }

  async rollBack(): Promise<void> {
    this.#isEnded = true;
    const error = new Error('the transaction was rolled back');
    for (const statement of this.#waiting.splice(0)) statement.done(error, null);
    if (!this.#isBegun) return;
    // What went in one go is done or not: nothing is left open. Until the answer is there the connection is nobody else's.
    if (this.#isOneGo) await this.#answer.promise.catch(() => undefined);
    else await this.#send('ROLLBACK', []);
  }

  streamQuery(): never {
    throw new Error('a transaction does not stream');
  }

  /** What was forgotten in one transaction must not end up in somebody else's. */
  #requireOpen(): void {
    if (this.#isEnded) throw new Error('the transaction has ended');
    // The first ones are committed, whatever becomes of the next.
    if (this.#isOneGo && this.#isBegun) throw new Error('in one go only: more of them need a transaction');
  }

  #send(text: string, values: readonly unknown[]): Promise<Done> {
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, result: Done | null) =>
        result ? resolve(result) : reject(error ?? new Error('no result'));
      this.#waiting.push({ ...this.#named(text, values), done });
      this.#goSoon();
    });
  }

  #goSoon(): void {
    if (this.#isGoing) return;
    this.#isGoing = true;
    // When all that runs now has run: what is asked for side by side goes together.
    process.nextTick(() => this.#go());
  }

  #go(): void {
    this.#isGoing = false;
    const statements = this.#waiting.splice(0);
    if (statements.length === 0) return;
    if (!this.#isBegun) {
      const quiet = { done: () => undefined };
      statements.unshift(
        ...this.#first.map(({ text, values }) => ({ ...this.#named(text, values), ...quiet })),
      );
    }
    this.#isBegun = true;
    if (this.#isOneGo) statements.push(...statements.splice(-1).map((last) => this.#heard(last)));
    this.#behind.push(statements);
    this.#sendNext();
  }

  /** The next go as soon as the one before is answered: the driver will keep no queue of its own in its next version. */
  #sendNext(): void {
    if (this.#isAnswering) return;
    const [next, ...behind] = this.#behind;
    const last = next?.at(-1);
    if (!next || !last) return;
    this.#behind = behind;
    this.#isAnswering = true;
    const done: Sent['done'] = (error, result) => {
      last.done(error, result);
      this.#isAnswering = false;
      this.#sendNext();
    };
    sendTogether(this.#client, [...next.slice(0, -1), { ...last, done }]);
  }

  /** By the end of one go too: the work may have waited for something else. */
  #heard(last: Sent): Sent {
    const done: Sent['done'] = (error, result) => {
      last.done(error, result);
      if (error) this.#answer.reject(error);
      else this.#answer.resolve();
    };
    return { ...last, done };
  }

  #named(text: string, values: readonly unknown[]): Statement {
    const name = this.#preparedStatements ? lastingName(text) : undefined;
    return { text, values, name };
  }
}

export function resultOf<R>({ command, rowCount, rows }: Done): QueryResult<R> {
  const changes = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command);
  return { rows: rows ?? [], ...(changes ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
}

/** The error was made where the reply came in, which tells nobody anything. */
export function asked(error: unknown): unknown {
  if (error instanceof Error) error.stack = `${error.stack}\n${new Error('asked').stack}`;
  return error;
}

class LineAdapter extends PostgresAdapter {
  readonly line: Line;

  constructor(line: Line) {
    super();
    this.line = line;
  }
}

class LineDialect implements Dialect {
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  createAdapter = () => new LineAdapter(this.#line);
  createQueryCompiler = () => new PostgresQueryCompiler();
  createIntrospector = (db: Kysely<unknown>) => new PostgresIntrospector(db);
  createDriver = (): Driver => ({
    init: async () => undefined,
    acquireConnection: async () => this.#line,
    releaseConnection: async () => undefined,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    // The pool belongs to the code that opened it.
    destroy: async () => undefined,
  });
}

async function refuse(): Promise<void> {
  throw new Error('there is a transaction already');
}
