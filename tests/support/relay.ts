import { connect, createServer, type Socket } from 'node:net';

/** A network between the portal and PostgreSQL that can fall silent, and a PostgreSQL that is still recovering. */
export interface Relay extends AsyncDisposable {
  /** The database's address, through here. */
  url: string;
  /** `silent`: connections are taken, and nothing goes either way. `starting`: PostgreSQL's own words for it. */
  become(mode: 'open' | 'silent' | 'starting'): void;
  /** All connections end, as when a switch restarts; new ones are taken. */
  cut(): void;
}

/** The same login by way of a relay. */
export function through(relay: Relay, url: string): string {
  const other = new URL(url);
  other.port = new URL(relay.url).port;
  return other.href;
}

/** `FATAL: the database system is starting up`, as PostgreSQL 18 sends it. */
const startingUp = errorResponse({
  S: 'FATAL',
  V: 'FATAL',
  C: '57P03',
  M: 'the database system is starting up',
});

/** Sees what passes between a portal and the database, of one connection. */
interface Watcher {
  toDatabase(bytes: Buffer): void;
  fromDatabase(bytes: Buffer): void;
  ended(): void;
}

export async function startRelay(databaseUrl: string, watch?: () => Watcher): Promise<Relay> {
  const { hostname, port } = new URL(databaseUrl);
  let mode: Parameters<Relay['become']>[0] = 'open';
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (mode === 'starting') return void near.once('data', () => near.end(startingUp));
    const far = connect(Number(port), hostname);
    far.on('error', () => near.destroy());
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const watcher = watch?.();
    if (watcher) {
      near.on('data', (bytes: Buffer) => watcher.toDatabase(bytes));
      far.on('data', (bytes: Buffer) => watcher.fromDatabase(bytes));
      far.on('close', () => watcher.ended());
    }
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes: Buffer) => to.write(bytes));
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
    if (mode === 'silent') for (const socket of pair) socket.pause();
  });
  const cut = () => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' ? address?.port : 0);
  return {
    url: url.href,
    become(next) {
      mode = next;
      for (const pair of pairs) {
        for (const socket of pair) next === 'silent' ? socket.pause() : socket.resume();
      }
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** PostgreSQL protocol 3, message E: fields, each a letter and a text that ends with a zero. */
function errorResponse(fields: Record<string, string>): Buffer {
  const body = Buffer.from(
    `${Object.entries(fields)
      .map(([letter, text]) => `${letter}${text}\0`)
      .join('')}\0`,
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
