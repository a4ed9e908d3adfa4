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
import pg from 'pg';
import type { Database } from './schema.ts';

/**
 * Reads of one organisation at a single round trip each. A transaction that reads once costs four (begin, the
 * organisation, the statement, commit), which is more than most statements take. PostgreSQL runs what is sent up to
 * the next Sync in one transaction of its own (protocol 55.2.3), and settings made `local` end with it: so the
 * organisation travels in front of the statement, and row-level security holds as in any transaction.
 */
const setUp = {
  name: 'nameward_reading',
  // A statement that would change something is refused (25006): every statement here stands alone.
  text: "SELECT set_config('transaction_read_only', 'on', true), set_config('app.organisation', $1, true)",
};

/** What we need of the driver's own query, whose types tell only how it is made. */
interface DriverQuery extends Record<Handled, (...message: unknown[]) => void> {
  readonly name: string | undefined;
  readonly text: string;
  submit(connection: Connection): Error | null;
  callback: (error: Error | null, result: QueryResult<never>) => void;
}
type Handled =
  | 'handleRowDescription'
  | 'handleDataRow'
  | 'handleCommandComplete'
  | 'handleEmptyQuery'
  | 'handlePortalSuspended'
  | 'handleCopyInResponse'
  | 'handleCopyData'
  | 'handleError'
  | 'handleReadyForQuery';

type Submitted = pg.Submittable &
  Record<Handled, unknown> & { readonly name: string | undefined; text: string };

interface Connection {
  stream: { cork(): void; uncork(): void };
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: unknown[] }): void;
  execute(portal: object): void;
}

/** Connections that know the statement which names the organisation. */
const prepared = new WeakSet<Connection>();

/** Texts that connections prepare by name: parsed, and the policies written into them, once instead of each time. */
const names = new Map<string, string>();
/** There are some dozens of reading statements; should one be of endless shapes, it does not fill the database's memory. */
const mostNames = 300;
/** SQLSTATE of "cached plan must not change result type". */
const featureNotSupported = '0A000';

function nameOf(text: string): string | undefined {
  if (!names.has(text) && names.size < mostNames) names.set(text, `nameward_reading_${names.size + 1}`);
  return names.get(text);
}

/** Connections, and whether statements prepared on one may be found there later. */
interface Place {
  readonly pool: pg.Pool;
  readonly preparedStatements: boolean;
}

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

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#send(sql, parameters, this.#preparedStatements ? nameOf(sql) : undefined);
    } catch (error) {
      // A newer version has changed a table under us; what was prepared before is of no use any more.
      if (!(error instanceof Error) || !('code' in error) || error.code !== featureNotSupported) throw error;
      return this.#send(sql, parameters, undefined);
    }
  }

  #send<R>(text: string, parameters: readonly unknown[], name: string | undefined): Promise<QueryResult<R>> {
    const calledFrom = new Error();
    return new Promise((resolve, reject) => {
      const config = { text, values: [...parameters], queryMode: 'extended', ...(name ? { name } : {}) };
      const query = new pg.Query(config) as unknown as DriverQuery;
      query.callback = (error, result) => {
        if (!error) return resolve(result);
        // The error was made where the reply came in, which tells nobody anything.
        error.stack = `${error.stack}\n${calledFrom.stack}`;
        return reject(error);
      };
      this.#client.query(behindSetUp(query, this.#organisationId, this.#preparedStatements));
    });
  }

  streamQuery(): never {
    throw new Error('a reader does not stream');
  }
}

/** The driver's query with the organisation sent in front of it, in one piece with it and without a Sync between. */
function behindSetUp(query: DriverQuery, organisationId: string, isPrepared: boolean): Submitted {
  const { text } = setUp;
  const name = isPrepared ? setUp.name : '';
  let isSetUp = false;
  const onceSetUp =
    (handler: Handled) =>
    (...message: unknown[]) => {
      if (isSetUp) query[handler](...message);
    };
  const handing =
    (handler: Handled) =>
    (...message: unknown[]) =>
      query[handler](...message);
  return {
    // By these the driver notes what a connection has prepared; up to here it has prepared something else.
    get name() {
      return isSetUp ? query.name : undefined;
    },
    text: query.text,
    submit(untyped) {
      const connection = untyped as unknown as Connection;
      connection.stream.cork();
      try {
        if (!isPrepared || !prepared.has(connection)) connection.parse({ name, text });
        if (isPrepared) prepared.add(connection);
        connection.bind({ statement: name, values: [organisationId] });
        connection.execute({});
        return query.submit(connection);
      } finally {
        connection.stream.uncork();
      }
    },
    handleDataRow: onceSetUp('handleDataRow'),
    handleCommandComplete: (...message: unknown[]) => {
      if (isSetUp) query.handleCommandComplete(...message);
      isSetUp = true;
    },
    handleRowDescription: handing('handleRowDescription'),
    handleEmptyQuery: handing('handleEmptyQuery'),
    handlePortalSuspended: handing('handlePortalSuspended'),
    handleCopyInResponse: handing('handleCopyInResponse'),
    handleCopyData: handing('handleCopyData'),
    handleError: handing('handleError'),
    handleReadyForQuery: handing('handleReadyForQuery'),
  };
}
