import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type QueryResult,
  type RawBuilder,
  type Selectable,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { type Sent, type Statement, sendTogether } from './batch.ts';
import { DatabaseSilent, endsConnection } from './connection-loss.ts';
import { lastingName } from './prepared.ts';
import { readerOf } from './reading.ts';
import { notePrimary } from './reading-request.ts';
import { RowClient } from './row-messages.ts';
import type { Database } from './schema.ts';
import { lineOf, type Place, runTransaction } from './transaction.ts';
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
  /** Each connection parses a statement once, and the policies are written into it once. false behind a pooler that does not keep prepared statements. */
  preparedStatements?: boolean;
  /** The server ends a statement by itself, after 30 seconds; a connection that is silent for longer than this is dead. */
  silenceMs?: number;
  /** Longest to wait for a free connection, or for a new one; ten seconds when absent. */
  connectMs?: number;
  /** A standby that is read: being one is what it is for. */
  isReplica?: boolean;
  /** Of the kernel itself: what is asked there is nothing that a request reads or writes. */
  isOwn?: boolean;
  /** What of `inReading` they may answer. */
  replicas?: Place['replicas'];
}

// bigint and numeric come as text from the driver. Cents stay far below 2^53; beyond it we would rather fail.
pg.types.setTypeParser(pg.types.builtins.INT8, safeInteger);

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer too large: ${text}`);
  return value;
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
    connectionTimeoutMillis: options.connectMs ?? connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    // Nothing else at the start of a connection: a pooler takes no other parameters.
    application_name: 'nameward',
    Client: options.isReplica ? RowClient : PrimaryClient,
  });
  if (!options.isReplica && !options.isOwn) noteConnects(pool);
  // An idle connection that breaks is replaced by the pool, and one in use fails its query; without listeners either
  // would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    endWhenTold(client);
    const onQuery = endWhenSilent(client, options.silenceMs ?? usualSilenceMs);
    aroundQueries(client, (query, text, ...rest) => {
      onQuery();
      return query(text, ...rest);
    });
  });
  return pool;
}

/** Code that takes a connection to the primary asks it something. */
function noteConnects(pool: pg.Pool): void {
  const plain = pool.connect.bind(pool) as (...given: readonly unknown[]) => unknown;
  const value = (...given: readonly unknown[]) => {
    notePrimary();
    return plain(...given);
  };
  Object.defineProperty(pool, 'connect', { value, configurable: true, writable: true });
}

type Query = (text: unknown, ...rest: readonly unknown[]) => unknown;

function aroundQueries(
  client: pg.ClientBase,
  around: (query: Query, ...asked: Parameters<Query>) => unknown,
) {
  const plain = client.query.bind(client) as Query;
  const value: Query = (...asked) => around(plain, ...asked);
  Object.defineProperty(client, 'query', { value, configurable: true });
}

/** What the query builder asks outside of transactions travels as their statements do, and is prepared as they are. */
function sendAsBatches(client: pg.ClientBase, preparedStatements: boolean): void {
  aroundQueries(client, (query, text, values, ...rest) => {
    // Without values it may be several statements.
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) {
      return query(text, values, ...rest);
    }
    const name = preparedStatements ? lastingName(text) : undefined;
    return new Promise((resolve, reject) => {
      const done: Sent['done'] = (error, result) => (result ? resolve(result) : reject(error));
      sendTogether(client, [{ text, values, name, done }]);
    });
  });
}

/**
 * Leaves a server that is a standby, as `target_session_attrs=read-write` does: PostgreSQL says it at the start of a connection. A
 * pooler does not pass it on, and there a statement that writes fails (`standbyCode`).
 */
class PrimaryClient extends RowClient {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Socket } };
    connection.on('parameterStatus', (said: { parameterName: string; parameterValue: string }) => {
      if (said.parameterName === 'in_hot_standby' && said.parameterValue === 'on')
        connection.stream.destroy();
    });
  }
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

/**
 * Who waits for an answer hears that the connection has been ended before the end itself arrives. Given back in between, the
 * connection would go to the next in line (pg 8.23, pg-pool 3.14).
 */
function endWhenTold(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: EventEmitter };
  connection.prependListener('errorMessage', (error: pg.DatabaseError) => {
    if (endsConnection(error)) void (client as pg.Client).end();
  });
}

/** Opens a pool. Close it with `db.destroy()`. */
export function createDatabase(options: DatabaseOptions): Db {
  const pool = createPool(options);
  const { preparedStatements = true, replicas } = options;
  pool.on('connect', (client) => sendAsBatches(client, preparedStatements));
  return new Kysely<Database>({ dialect: new PooledDialect({ pool, preparedStatements, replicas }) });
}

/** PostgreSQL, and the pool can be had again from whatever is derived of the database. */
class PooledDialect extends PostgresDialect {
  readonly #place: Place;

  constructor(place: Place) {
    super({ pool: place.pool });
    this.#place = place;
  }

  override createAdapter = () => new PooledAdapter(this.#place);
}

class PooledAdapter extends PostgresAdapter {
  readonly place: Place;

  constructor(place: Place) {
    super();
    this.place = place;
  }
}

const begin: Statement = { text: 'BEGIN', values: [] };
const setOrganisation = "SELECT set_config('app.organisation', $1, true)";
const withoutTheDisk = `${setOrganisation}, set_config('synchronous_commit', 'off', true)`;

/**
 * Runs `work` in a transaction that sees the organisation's rows and no others (row-level security). No outside
 * call may happen inside; the HTTP client refuses it. `db` must be a pool of `createDatabase`.
 */
export function inTransaction<T>(
  db: Db,
  scope: { organisationId: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return transactionOf(db, [begin, { text: setOrganisation, values: [scope.organisationId] }], work);
}

/** A transaction across tenants, for jobs and the operator. `db` must be a pool of the system role. */
export function systemTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transactionOf(db, [begin], work);
}

function transactionOf<T>(db: Db, first: readonly Statement[], work: (tx: Tx) => Promise<T>): Promise<T> {
  const { place, plugins } = placeOf(db);
  return markTransaction(() => runTransaction(place, plugins, first, (tx) => work(tx as Tx)));
}

/**
 * Has a statement travel with the next one of its transaction, or with the commit, instead of waiting for it. For what
 * yields nothing that the caller needs, neither rows nor their number nor an error of its own: should it fail, whatever it
 * travels with fails with its error, and the transaction is rolled back.
 */
export async function later(tx: Tx, query: { compile(tx: Tx): CompiledQuery }): Promise<void> {
  const line = lineOf(tx);
  if (line) line.defer(query.compile(tx));
  else await tx.executeQuery(query.compile(tx));
}

/**
 * Asks at once, before anything else that runs: statements that are asked for in one go travel together in the order of the
 * calls. For those that take locks, whose order must be the same everywhere.
 */
export function ask<R>(tx: Tx, query: { compile(tx: Tx): CompiledQuery<R> }): Promise<QueryResult<R>> {
  const compiled = query.compile(tx);
  return lineOf(tx)?.executeQuery<R>(compiled) ?? tx.executeQuery(compiled);
}

/**
 * Does what `work` asks for in one go, in a single round trip: a transaction that sees and changes the organisation's rows and no
 * others, done for good when the first answer is there. What is asked for after that is refused.
 *
 * @param how `durable: false` does not wait for the disk: for what a crash of the database may take back, as long as it takes back
 *   whatever was committed after it as well
 */
export function inOneGo<T>(
  db: Db,
  scope: { organisationId: string },
  work: (tx: Tx) => Promise<T>,
  { durable }: { durable: boolean } = { durable: true },
): Promise<T> {
  const { place, plugins } = placeOf(db);
  const first = { text: durable ? setOrganisation : withoutTheDisk, values: [scope.organisationId] };
  return markTransaction(() => runTransaction(place, plugins, [first], (tx) => work(tx as Tx), 'one go'));
}

/**
 * Runs `work` where it sees the organisation's rows and no others, and can change nothing (SQLSTATE 25006). Each
 * statement is a transaction of its own and a single round trip; those that are asked for at the same time share one. In an
 * operation that says so (`reads: 'replica'`), a standby that has what the caller has seen may answer. `db` must be a pool of `createDatabase`. No outside call may happen inside, as in `inTransaction`.
 */
export function inReading<T>(
  db: Db,
  scope: { organisationId: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { place, plugins } = placeOf(db);
  const reader = readerOf(place, scope.organisationId, plugins);
  return markTransaction(() => work(reader as Tx));
}

function placeOf(db: Db) {
  const { adapter, plugins } = db.getExecutor();
  if (!(adapter instanceof PooledAdapter)) throw new Error('this is no pool of ours');
  return { place: adapter.place, plugins };
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
