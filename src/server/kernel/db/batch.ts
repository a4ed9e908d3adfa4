import pg from 'pg';
import { takeRows } from './row-messages.ts';
import { type Field, type RowShape, shapeOf } from './rows.ts';

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

interface Connection {
  /** Every message of the protocol goes out by it. */
  _send(bytes: Buffer): boolean;
  describe(what: object): void;
  execute(what: object): void;
  sendCopyFail(why: string): void;
  /** Names of which the driver knows that the database knows them, and those whose answer is under way. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

/** The driver's way to send a statement: `Parse` unless the connection has prepared it, `Bind`, and what `this` makes of the rest. */
interface DriverQuery {
  prepare(connection: Connection): void;
  hasBeenParsed(connection: Connection): boolean;
}
const driverQuery = pg.Query.prototype as unknown as DriverQuery;

/** One of a batch: what the driver's `prepare` asks of a query, and its answer. */
class Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name: string | undefined;
  readonly types = undefined;
  readonly portal = '';
  readonly rows = 0;
  readonly binary = false;
  readonly prepare = driverQuery.prepare;
  readonly hasBeenParsed = driverQuery.hasBeenParsed;
  /** Its values cannot be sent. */
  unsendable: Error | null = null;
  /** How its rows are read, where that is known. */
  shape: RowShape | null = null;
  /** A row of it could not be read. */
  fault: unknown = null;
  readonly result: { command: string; rowCount: number | null; rows: unknown[] } = {
    command: '',
    rowCount: null,
    rows: [],
  };

  constructor({ text, values, name }: Statement) {
    this.text = text;
    this.values = values;
    this.name = name || undefined;
  }

  _getRows(connection: Connection): void {
    connection.execute({});
  }

  handleError(error: Error): void {
    this.unsendable = error;
  }

  take(bytes: Buffer, at: number): void {
    if (this.fault) return;
    try {
      if (!this.shape) throw new Error('rows came that the database had not described');
      this.result.rows.push(this.shape.read(bytes, at));
    } catch (error) {
      this.fault = error;
    }
  }
}

/** What is known of a connection, and how its messages are put together. */
class Line {
  /** What rows of its prepared statements look like, so that it is not asked for each time; null: they have none. */
  readonly shapes = new Map<string, RowShape | null>();
  /** One write for all: each message by itself costs more than its statement. */
  #messages: Buffer[] = [];
  #isKnown = false;
  readonly #connection: Connection;
  readonly #collecting: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#collecting = Object.create(connection, {
      _send: { value: (bytes: Buffer) => this.#messages.push(bytes) > 0 },
      describe: {
        value: (what: object) => {
          if (!this.#isKnown) connection.describe.call(this.#collecting, what);
        },
      },
      // The driver ends a statement that cannot be sent with a Sync of its own.
      sync: { value: () => undefined },
    });
  }

  add(asked: Asked): void {
    const known = asked.name === undefined ? undefined : this.shapes.get(asked.name);
    this.#isKnown = known !== undefined;
    asked.shape = known ?? null;
    asked.prepare(this.#collecting);
  }

  send(): void {
    const messages = this.#messages;
    this.#messages = [];
    messages.push(sync);
    this.#connection._send(Buffer.concat(messages));
  }

  /** The driver had a statement prepared whose values it could not send, and closed it again. */
  forget(name: string): void {
    delete this.#connection.parsedStatements[name];
    delete this.#connection.submittedNamedStatements[name];
    this.shapes.delete(name);
  }
}

const lines = new WeakMap<Connection, Line>();

function lineOf(connection: Connection): Line {
  const known = lines.get(connection) ?? new Line(connection);
  lines.set(connection, known);
  return known;
}

/** Sends them when what was asked on this connection before has been answered. */
export function sendTogether(client: pg.ClientBase, statements: readonly Sent[]): void {
  client.query(new Batch(statements) as unknown as pg.Submittable);
}

/** The same for those who wait for all of them, or for the error of the one that failed. */
export function answersOf(client: pg.ClientBase, statements: readonly Statement[]): Promise<Done[]> {
  const waiting: Sent[] = [];
  const answers = statements.map(
    (statement) =>
      new Promise<Done>((resolve, reject) => {
        waiting.push({ ...statement, done: (error, result) => (result ? resolve(result) : reject(error)) });
      }),
  );
  sendTogether(client, waiting);
  return Promise.all(answers);
}

/** The message `Sync`: its letter, and its length. */
const sync = Buffer.from([0x53, 0, 0, 0, 4]);

class Batch {
  readonly #statements: readonly Sent[];
  readonly #asked: Asked[];
  /** Whose answer comes next. */
  #at = 0;
  #hasFailed = false;
  #unsent: string | undefined;
  #connection: Connection | null = null;
  #line: Line | null = null;

  constructor(statements: readonly Sent[]) {
    this.#statements = statements;
    this.#asked = statements.map((statement) => new Asked(statement));
  }

  /** By these the driver notes what a connection has prepared. */
  get name(): string | undefined {
    return this.#present?.name;
  }

  get text(): string | undefined {
    return this.#present?.text;
  }

  get #present(): Asked | undefined {
    return this.#asked[this.#at];
  }

  submit(connection: Connection): null {
    const line = lineOf(connection);
    this.#connection = connection;
    this.#line = line;
    for (const asked of this.#asked) {
      line.add(asked);
      // Nothing behind it may be sent, above all no COMMIT.
      if (asked.unsendable) {
        this.#unsent = asked.name;
        this.#fail(asked.unsendable);
        break;
      }
    }
    takeRows(connection, (bytes, at) => this.#takeRow(bytes, at));
    line.send();
    return null;
  }

  #takeRow(bytes: Buffer, at: number): boolean {
    this.#present?.take(bytes, at);
    return true;
  }

  handleRowDescription = ({ fields }: { fields: Field[] }): void => {
    const present = this.#present;
    if (present) present.shape = shapeOf(fields);
  };

  handleCommandComplete = ({ text }: { text: string }): void => {
    const present = this.#present;
    if (!present) return;
    // `SELECT 51`, `INSERT 0 1`, `BEGIN`
    const words = text.split(' ');
    present.result.command = words[0] ?? '';
    present.result.rowCount = words.length > 1 ? Number(words.at(-1)) : null;
    if (present.name !== undefined) this.#line?.shapes.set(present.name, present.shape);
    this.#at += 1;
  };

  handleEmptyQuery = (): void => {
    this.#at += 1;
  };

  handlePortalSuspended = (): void => this.#fail(new Error('a statement of a batch has no limit of rows'));
  handleCopyInResponse = (connection: Connection): void =>
    connection.sendCopyFail('a statement of a batch copies nothing');
  handleCopyData = (): void => undefined;

  /** The statement whose turn it is has failed, or the connection. */
  handleError = (error: unknown): void => {
    for (const { name } of this.#asked.slice(this.#at)) {
      if (name && this.#connection) delete this.#connection.submittedNamedStatements[name];
    }
    if (this.#connection) takeRows(this.#connection, null);
    this.#fail(error as Error);
  };

  handleReadyForQuery = (): void => {
    if (this.#connection) takeRows(this.#connection, null);
    if (this.#hasFailed) {
      if (this.#unsent !== undefined) this.#line?.forget(this.#unsent);
      return;
    }
    for (const [index, { fault, result }] of this.#asked.entries()) {
      const error = fault === null ? null : (fault as Error);
      this.#statements[index]?.done(error, error ? null : (result as Done));
    }
  };

  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    for (const statement of this.#statements) statement.done(error, null);
  }
}
