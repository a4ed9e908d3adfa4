import type { Socket } from 'node:net';
import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type RawBuilder,
  type Selectable,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { DatabaseSilent } from './connection-loss.ts';
import { readerOf } from './reading.ts';
import type { Database } from './schema.ts';
import { markTransaction } from './transaction-context.ts';

export type { CompiledQuery, RawBuilder, Selectable };
export { sql };
/** A pool of connections. Outside a transaction of a tenant it sees no tenant's rows. */
export type Db = Kysely<Database>;
export type Tx = Transaction<Database>;

export interface DatabaseOptions {
  /** Its login decides what the pool sees (logins.ts). Time limits of statements are kept with the login, too. */
  url: string;
  maxConnections: number;
  /** false behind a pooler that does not keep prepared statements. */
  preparedStatements?: boolean;
  /** The server ends a statement by itself, after 30 seconds; a connection that is silent for longer than this is dead. */
  silenceMs?: number;
}

// bigint and numeric come as text from the driver. Cents stay far below 2^53; beyond it we would rather fail.
pg.types.setTypeParser(pg.types.builtins.INT8, safeInteger);

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer too large: ${text}`);
  return value;
}

/** Texts that each connection prepares once, with their names there. */
const prepared = new Map<string, string>();

/**
 * Has each connection prepare this query once, by name: PostgreSQL then neither parses nor plans it again. For the few
 * queries that every request sends, always with the same text.
 */
export function prepareOnce<R>(query: CompiledQuery<R>): CompiledQuery<R> {
  if (!prepared.has(query.sql)) prepared.set(query.sql, `nameward_${prepared.size + 1}`);
  return query;
}

/** The query builder hands over text and values; the driver takes a name as well. */
function queryByName(client: pg.ClientBase, mayPrepare: boolean, onQuery: () => void): void {
  const plain = client.query.bind(client) as (...parts: readonly unknown[]) => unknown;
  const named = (text: unknown, values: unknown, ...rest: readonly unknown[]) => {
    onQuery();
    const name = mayPrepare && typeof text === 'string' ? prepared.get(text) : undefined;
    return name === undefined ? plain(text, values, ...rest) : plain({ name, text, values }, ...rest);
  };
  Object.defineProperty(client, 'query', { value: named });
}

/** Longest to wait for a free connection, or for a new one. */
const connectTimeoutMs = 10_000;
/** A connection whose other end has gone without a word is noticed by the operating system. */
const keepAliveMs = 10_000;
const usualSilenceMs = 35_000;

/** Opens a pool whose connections end, and are replaced, when they break or fall silent. Close it with `pool.end()`. */
export function createPool(options: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    // Nothing else at the start of a connection: a pooler takes no other parameters.
    application_name: 'nameward',
  });
  // An idle connection that breaks is replaced by the pool, and one in use fails its query; without listeners either
  // would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const onQuery = endWhenSilent(client, options.silenceMs ?? usualSilenceMs);
    queryByName(client, options.preparedStatements ?? true, onQuery);
  });
  return pool;
}

/**
 * Ends the connection when a query waits and nothing comes: a frozen database, or a network that swallows packets. The
 * driver's own `query_timeout` would give the connection back to the pool with the query still on it. Returns what to
 * call with each query.
 */
function endWhenSilent(client: pg.ClientBase, limitMs: number): () => void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  let waits = false;
  // Nothing is left to be answered.
  client.on('drain', () => {
    waits = false;
  });
  stream.setTimeout(limitMs, () => {
    if (waits) stream.destroy(new DatabaseSilent('The database did not answer in time.'));
  });
  return () => {
    waits = true;
  };
}

/** Opens a pool. Close it with `db.destroy()`. */
export function createDatabase(options: DatabaseOptions): Db {
  return new Kysely<Database>({
    dialect: new PooledDialect(createPool(options), options.preparedStatements ?? true),
  });
}

/** PostgreSQL, and the pool can be had again from whatever is derived of the database. */
class PooledDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #preparedStatements: boolean;

  constructor(pool: pg.Pool, preparedStatements: boolean) {
    super({ pool });
    this.#pool = pool;
    this.#preparedStatements = preparedStatements;
  }

  override createAdapter = () => new PooledAdapter(this.#pool, this.#preparedStatements);
}

class PooledAdapter extends PostgresAdapter {
  readonly pool: pg.Pool;
  readonly preparedStatements: boolean;

  constructor(pool: pg.Pool, preparedStatements: boolean) {
    super();
    this.pool = pool;
    this.preparedStatements = preparedStatements;
  }
}

/**
 * Runs `work` in a transaction that sees the organisation's rows and no others (row-level security). No outside
 * call may happen inside; the HTTP client refuses it.
 */
export function inTransaction<T>(
  db: Db,
  scope: { organisationId: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return markTransaction(() =>
    db.transaction().execute(async (tx) => {
      await sql`SELECT set_config('app.organisation', ${scope.organisationId}, true)`.execute(tx);
      return work(tx);
    }),
  );
}

/**
 * Runs `work` where it sees the organisation's rows and no others, and can change nothing (SQLSTATE 25006). Each
 * statement is a transaction of its own and a single round trip: for reading, of which most is one statement. `db` must
 * be a pool of `createDatabase`. No outside call may happen inside, as in `inTransaction`.
 */
export function inReading<T>(
  db: Db,
  scope: { organisationId: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { adapter, plugins } = db.getExecutor();
  if (!(adapter instanceof PooledAdapter)) throw new Error('this is no pool of ours');
  const reader = readerOf(adapter, scope.organisationId, plugins);
  return markTransaction(() => work(reader as Tx));
}

/** A transaction across tenants, for jobs and the operator. `db` must be a pool of the system role. */
export function systemTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return markTransaction(() => db.transaction().execute(work));
}

/** Whether the database refused a duplicate (SQLSTATE 23505), of one index when named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === '23505' &&
    (constraint === undefined || ('constraint' in error && error.constraint === constraint))
  );
}
