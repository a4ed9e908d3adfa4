import { createDatabase, type Db } from '../../src/server/kernel/db/database.ts';
import { startRelay, through } from './relay.ts';

/** What was asked of the database. */
export interface Asked {
  /** How often somebody waited for the database: it says that it is ready again. */
  trips: number;
  /** The statements, as far as their text was sent: one that a connection has prepared is named. */
  statements: string[];
  /** The statements of each transaction of a tenant that was begun and committed, and only read. */
  onlyRead: string[][];
}

const nothing = (): Asked => ({ trips: 0, statements: [], onlyRead: [] });

/** Everything else changes something, or holds a lock until the end. Of the functions, `enqueue_job` writes. */
const reads =
  /^\s*(?:SELECT|WITH)\b(?!.*\b(?:FOR (?:NO KEY )?UPDATE|FOR (?:KEY )?SHARE|INSERT|UPDATE|DELETE|pg_advisory\w*|enqueue_job)\b)/is;
const setsOrganisation = /^SELECT set_config\('app\.organisation'/;

/** The logins of a portal, with every message between them and the database counted on the wire. */
export interface CountedDatabase extends AsyncDisposable {
  db: Db;
  systemDb: Db;
  /** What `work` asks, by whichever connection, to the end of what it leaves behind. Nothing else may be under way. */
  count(work: () => Promise<unknown>): Promise<Asked>;
}

/** Turns of the event loop without a question, after which nothing comes any more. */
const quietTurns = 50;

export async function countDatabase(urls: { tenants: string; system: string }): Promise<CountedDatabase> {
  let asked = nothing();
  /** Connections that wait for an answer, or are in a transaction. */
  const busy = new Set<object>();
  const relay = await startRelay(urls.tenants, () => {
    const connection = {};
    const names = new Map<string, string>();
    // The greeting has no letter in front; its answer ends with the first "ready".
    let greeted = false;
    let isOpen = false;
    /** Of the transaction that is open. */
    let begun: string[] = [];
    const told = (statement: string) => {
      asked.statements.push(statement);
      if (statement === 'BEGIN') begun = [];
      else if (statement !== 'COMMIT') begun.push(statement);
      else if (begun.some((each) => setsOrganisation.test(each)) && begun.every((each) => reads.test(each))) {
        asked.onlyRead.push(begun.filter((each) => !setsOrganisation.test(each)));
      }
    };
    const toDatabase = messagesOf((letter, body) => {
      const [first = '', second = ''] = body.toString('utf8').split('\0');
      if (letter === 'Q') told(first);
      if (letter === 'P') names.set(first, second);
      if (letter === 'B') told(names.get(second) ?? second);
    });
    const fromDatabase = messagesOf((letter, body) => {
      if (letter !== 'Z') return;
      if (body.toString('latin1') === 'I') busy.delete(connection);
      if (isOpen) asked.trips += 1;
      isOpen = true;
    });
    return {
      toDatabase(bytes) {
        busy.add(connection);
        if (greeted) return toDatabase(bytes);
        greeted = true;
        toDatabase(bytes.subarray(bytes.readInt32BE(0)));
      },
      fromDatabase,
      ended: () => void busy.delete(connection),
    };
  });
  const pool = (url: string) => createDatabase({ url: through(relay, url), maxConnections: 4 });
  const [db, systemDb] = [pool(urls.tenants), pool(urls.system)];
  return {
    ...{ db, systemDb },
    async count(work) {
      asked = nothing();
      await work();
      // Some things are tidied up after the answer.
      for (let quiet = 0; quiet < quietTurns; quiet += 1) {
        if (busy.size > 0) quiet = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
      const found = asked;
      asked = nothing();
      return found;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([db.destroy(), systemDb.destroy()]);
      await relay[Symbol.asyncDispose]();
    },
  };
}

/** Takes a stream of the database's protocol apart: a letter, the length of what follows, and that. */
function messagesOf(onMessage: (letter: string, body: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5) {
      const end = 1 + rest.readInt32BE(1);
      if (rest.length < end) return;
      onMessage(rest.toString('latin1', 0, 1), rest.subarray(5, end));
      rest = rest.subarray(end);
    }
  };
}
