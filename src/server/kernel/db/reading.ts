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
import { type Done, sendTogether } from './batch.ts';
import { outlivedByItsTable, preparedName } from './prepared.ts';
import type { Database } from './schema.ts';
import { asked, type Place } from './transaction.ts';

/**
 * Reads of one organisation at a single round trip each. What is sent up to the next Sync is one transaction, and settings
 * made `local` end with it: so the organisation travels in front of the statement, and row-level security holds as in any
 * transaction. A statement that would change something is refused (25006): every statement here stands alone.
 */
const setUp =
  "SELECT set_config('transaction_read_only', 'on', true), set_config('app.organisation', $1, true)";

/** An executor whose every statement sees this organisation's rows and no others, and changes nothing. */
export function readerOf(
  place: Place,
  organisationId: string,
  plugins: readonly KyselyPlugin[],
): Kysely<Database> {
  return new Kysely<Database>({
    dialect: new ReadingDialect(place, organisationId),
    plugins: [...plugins],
  });
}

class ReadingDialect implements Dialect {
  readonly #place: Place;
  readonly #organisationId: string;

  constructor(place: Place, organisationId: string) {
    this.#place = place;
    this.#organisationId = organisationId;
  }

  createAdapter = () => new PostgresAdapter();
  createQueryCompiler = () => new PostgresQueryCompiler();
  createIntrospector = (db: Kysely<unknown>) => new PostgresIntrospector(db);
  createDriver = () => new ReadingDriver(this.#place, this.#organisationId);
}

class ReadingDriver implements Driver {
  readonly #place: Place;
  readonly #organisationId: string;

  constructor(place: Place, organisationId: string) {
    this.#place = place;
    this.#organisationId = organisationId;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ReadingConnection> {
    const { pool, preparedStatements } = this.#place;
    return new ReadingConnection(await pool.connect(), this.#organisationId, preparedStatements);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof ReadingConnection) connection.release();
  }

  beginTransaction = refuse;
  commitTransaction = refuse;
  rollbackTransaction = refuse;

  /** The pool belongs to the code that opened it. */
  async destroy(): Promise<void> {}
}

async function refuse(): Promise<void> {
  throw new Error('a reader has no transactions: every statement is one');
}

class ReadingConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #organisationId: string;
  readonly #preparedStatements: boolean;

  constructor(client: pg.PoolClient, organisationId: string, preparedStatements: boolean) {
    this.#client = client;
    this.#organisationId = organisationId;
    this.#preparedStatements = preparedStatements;
  }

  release(): void {
    this.#client.release();
  }

  async executeQuery<R>({ sql: text, parameters: values }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#send(text, values);
    } catch (error) {
      if (!outlivedByItsTable(error, text)) throw asked(error);
      return this.#send(text, values);
    }
  }

  #send(text: string, values: readonly unknown[]): Promise<Done> {
    const nameOf = (of: string) => (this.#preparedStatements ? preparedName(of) : undefined);
    return new Promise((resolve, reject) => {
      sendTogether(this.#client, [
        { text: setUp, values: [this.#organisationId], name: nameOf(setUp), done: () => undefined },
        {
          ...{ text, values, name: nameOf(text) },
          done: (error, result) => (result ? resolve(result) : reject(error)),
        },
      ]);
    });
  }

  streamQuery(): never {
    throw new Error('a reader does not stream');
  }
}
