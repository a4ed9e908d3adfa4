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
import { type Done, type Sent, sendTogether } from './batch.ts';
import { outlivedByItsTable, preparedName } from './prepared.ts';
import type { Database } from './schema.ts';
import { hasOnePlan } from './shaped.ts';
import { asked, type Place } from './transaction.ts';

/**
 * Statements of one organisation at a single round trip. What is sent up to the next Sync is one transaction, and settings
 * made `local` end with it: so the organisation travels in front of the statement, and row-level security holds as in any
 * transaction.
 */
const organisation = "set_config('app.organisation', $1, true)";
/** What would change something is refused (25006). */
const toRead = `SELECT set_config('transaction_read_only', 'on', true), ${organisation}`;
/** For lists: their plans are kept from the first time on, and not weighed each time. */
const toList = `${toRead}, set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * An executor whose statements see this organisation's rows and no others, and change nothing. Those that are asked for at
 * the same time travel together; then the failure of one is that of all.
 */
export function readerOf(
  place: Place,
  organisationId: string,
  plugins: readonly KyselyPlugin[],
): Kysely<Database> {
  const dialect = new OwnTransactions(new Reader(place, organisationId));
  return new Kysely<Database>({ dialect, plugins: [...plugins] });
}

class OwnTransactions implements Dialect {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  createAdapter = () => new PostgresAdapter();
  createQueryCompiler = () => new PostgresQueryCompiler();
  createIntrospector = (db: Kysely<unknown>) => new PostgresIntrospector(db);
  createDriver = (): Driver => ({
    init: async () => undefined,
    acquireConnection: async () => this.#connection,
    releaseConnection: async () => undefined,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    // The pool belongs to the code that opened it.
    destroy: async () => undefined,
  });
}

async function refuse(): Promise<void> {
  throw new Error('here every statement is a transaction of its own');
}

class Reader implements DatabaseConnection {
  readonly #place: Place;
  readonly #organisationId: string;
  #waiting: Sent[] = [];

  constructor(place: Place, organisationId: string) {
    this.#place = place;
    this.#organisationId = organisationId;
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
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) process.nextTick(() => void this.#go());
      this.#waiting.push({
        ...{ text, values, name: nameIn(this.#place, text) },
        done: (error, result) => (result ? resolve(result) : reject(error)),
      });
    });
  }

  async #go(): Promise<void> {
    const statements = this.#waiting.splice(0);
    const { replicas } = this.#place;
    if (replicas && (await replicas.serve(this.#organisationId, statements))) return;
    const setUp = statements.every(({ text }) => hasOnePlan(text)) ? toList : toRead;
    await sendAs(this.#place, setUp, this.#organisationId, statements);
  }

  streamQuery(): never {
    throw new Error('a reader does not stream');
  }
}

const nameIn = ({ preparedStatements }: Place, text: string) =>
  preparedStatements ? preparedName(text) : undefined;

/**
 * Never rejects: those who wait for a statement hear of it. The connection goes back when the last answer is there, and nothing here
 * waits for it: something that did kept the rows of each answer alive until the next full collection, two thirds of what it cost.
 */
async function sendAs(
  place: Place,
  setUp: string,
  organisationId: string,
  statements: readonly Sent[],
): Promise<void> {
  try {
    const client = await place.pool.connect();
    let open = statements.length;
    const counted = statements.map(({ text, values, name, done }): Sent => {
      const answered: Sent['done'] = (error, result) => {
        open -= 1;
        if (open === 0) client.release();
        done(error, result);
      };
      return { text, values, name, done: answered };
    });
    const first = {
      text: setUp,
      values: [organisationId],
      name: nameIn(place, setUp),
      done: () => undefined,
    };
    sendTogether(client, [first, ...counted]);
  } catch (error) {
    for (const { done } of statements) done(error as Error, null);
  }
}
