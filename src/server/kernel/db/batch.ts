import pg from 'pg';

/**
 * Statements that travel to the database in one piece, and are answered in one: a single Sync stands at their end (protocol
 * 55.2.3). PostgreSQL does them in order; after one that fails it does none of the rest, whatever they are. Outside of a
 * transaction they are one. So `BEGIN` and the organisation need no round trip of their own in front of the first statement,
 * and a `COMMIT` behind the last one is only done when all others were.
 */
export interface Statement {
  text: string;
  values: readonly unknown[];
  /** By which the connection prepares it once; without one it is parsed and planned each time. */
  name?: string | undefined;
}

/** What the driver says of a statement that was done. */
export interface Done {
  command: string;
  rowCount: number | null;
  rows: never[];
}

/** A statement, and who waits for it. When one of a batch fails, everybody hears of its error: nothing of it counts. */
export interface Sent extends Statement {
  done(error: Error | null, result: Done | null): void;
}

/** What we need of the driver's own query, whose types tell only how it is made. */
interface DriverQuery extends Record<Handled, (...message: unknown[]) => void> {
  readonly name: string | undefined;
  readonly text: string;
  submit(connection: Connection): Error | null;
  callback: (error: Error | null, result: Done) => void;
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

interface Connection {
  sync(): void;
  /** Every message of the protocol goes out by it. */
  _send(bytes: Buffer): boolean;
  /** Names of which the driver knows that the database knows them, and those whose answer is under way. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

/** Sends them when what was asked on this connection before has been answered. */
export function sendTogether(client: pg.ClientBase, statements: readonly Sent[]): void {
  client.query(new Batch(statements) as unknown as pg.Submittable);
}

const uncorked = { cork: () => undefined, uncork: () => undefined };
/** The message `Sync`: its letter, and its length. */
const sync = Buffer.from([0x53, 0, 0, 0, 4]);

class Batch implements Record<Handled, unknown> {
  readonly #statements: readonly Sent[];
  readonly #queries: DriverQuery[];
  /** Whose answer comes next. */
  #at = 0;
  #hasFailed = false;
  #unsent: string | undefined;
  #connection: Connection | null = null;

  constructor(statements: readonly Sent[]) {
    this.#statements = statements;
    this.#queries = statements.map(({ text, values, name }, index) => {
      const config = { text, values: [...values], queryMode: 'extended', ...(name ? { name } : {}) };
      const query = new pg.Query(config) as unknown as DriverQuery;
      query.callback = (error, result) => this.#answered(index, error, result);
      return query;
    });
  }

  /** By these the driver notes what a connection has prepared. */
  get name(): string | undefined {
    return this.#present?.name;
  }

  get text(): string | undefined {
    return this.#present?.text;
  }

  get #present(): DriverQuery | undefined {
    return this.#queries[this.#at];
  }

  submit(connection: Connection): null {
    this.#connection = connection;
    // One write for all of them: each message by itself costs more than its statement.
    const messages: Buffer[] = [];
    const collecting = Object.create(connection, {
      stream: { value: uncorked },
      _send: { value: (bytes: Buffer) => messages.push(bytes) > 0 },
      // The driver ends each statement with a Sync of its own.
      sync: { value: () => undefined },
    }) as Connection;
    for (const query of this.#queries) {
      const refused = query.submit(collecting);
      if (refused) this.#fail(refused);
      // Values that cannot be sent: nothing behind them may be, above all no COMMIT.
      if (this.#hasFailed) break;
    }
    messages.push(sync);
    connection._send(Buffer.concat(messages));
    return null;
  }

  handleRowDescription = (...message: unknown[]) => this.#present?.handleRowDescription(...message);
  handleDataRow = (...message: unknown[]) => this.#present?.handleDataRow(...message);
  handlePortalSuspended = (...message: unknown[]) => this.#present?.handlePortalSuspended(...message);
  handleCopyInResponse = (...message: unknown[]) => this.#present?.handleCopyInResponse(...message);
  handleCopyData = (...message: unknown[]) => this.#present?.handleCopyData(...message);

  handleCommandComplete = (...message: unknown[]): void => {
    this.#present?.handleCommandComplete(...message);
    this.#at += 1;
  };

  handleEmptyQuery = (...message: unknown[]): void => {
    this.#present?.handleEmptyQuery(...message);
    this.#at += 1;
  };

  /** The statement whose turn it is has failed, or the connection. */
  handleError = (error: unknown): void => {
    for (const { name } of this.#queries.slice(this.#at)) {
      if (name && this.#connection) delete this.#connection.submittedNamedStatements[name];
    }
    this.#fail(error as Error);
  };

  handleReadyForQuery = (...message: unknown[]): void => {
    if (this.#hasFailed) this.#forget();
    else for (const query of this.#queries) query.handleReadyForQuery(...message);
  };

  /** The driver calls it with an error when it cannot send a value, or cannot read a row of what was done. */
  #answered(index: number, error: Error | null, result: Done): void {
    if (this.#at > index) {
      this.#statements[index]?.done(error, error ? null : result);
    } else {
      this.#unsent = this.#queries[index]?.name;
      this.#fail(error ?? new Error('answered before its turn'));
    }
  }

  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    for (const statement of this.#statements) statement.done(error, null);
  }

  /** The driver had the statement prepared whose values it could not send, and closed it again. */
  #forget(): void {
    if (this.#unsent === undefined || !this.#connection) return;
    delete this.#connection.parsedStatements[this.#unsent];
    delete this.#connection.submittedNamedStatements[this.#unsent];
  }
}
