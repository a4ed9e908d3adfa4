import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenOptions, SandboxPart } from '../part.ts';
import type { SandboxStore } from '../store.ts';
import { registrarControl } from './control.ts';
import { type KnobsInput, openKnobs } from './knobs.ts';
import { sweep } from './life.ts';
import { createRandom } from './random.ts';
import { openSql } from './sql.ts';
import { makeTables } from './state/schema.ts';
import { seedState } from './state/seed.ts';
import { registrarView } from './view.ts';
import { createWire } from './wire.ts';
import type { Mail, World } from './world.ts';

export interface RegistrarOptions extends ListenOptions {
  store: SandboxStore;
  username: string;
  key: string;
  /** Makes ids and the order of keys repeatable. */
  seed?: number;
  /** The hosts of the registrar's DNS service, and its default nameservers. */
  dns?: { servers: string[] };
  /** Takes the mails that the registrar sends to registrants when it is asked to. */
  mail?: { send(message: Mail): Promise<void> };
  /** Start values; the control plane's `knobs` changes them. */
  knobs?: KnobsInput;
}

const SWEEP_MS = 250;

/** Starts the stand-in of the registrar: OpenSRS XCP over HTTP, with its state in the store. */
export async function startRegistrar(options: RegistrarOptions): Promise<SandboxPart> {
  const { store } = options;
  makeTables(store.db);
  const sql = openSql(store.db);
  seedState(sql, store.now());
  const knobs = openKnobs(sql, {
    ...(options.dns ? { nameservers: options.dns.servers } : {}),
    ...options.knobs,
  });
  const world: World = {
    sql,
    now: () => store.now(),
    random: createRandom(options.seed ?? Date.now()),
    knobs: () => knobs.read(),
    username: options.username,
    mail: (message) => {
      options.mail?.send(message).catch((error: unknown) => {
        console.error('registrar stand-in could not send mail', error);
      });
    },
  };
  const wire = createWire(world, options);
  const server = createServer((request, response) => {
    wire.handle(request, response).catch((error: unknown) => {
      if (!request.destroyed) console.error('registrar stand-in failed', error);
      request.socket.destroy();
    });
  });
  server.keepAliveTimeout = 75_000;
  server.on('connection', wire.opened);
  const url = await listen(server, options);
  const ticking = setInterval(() => {
    try {
      sweep(world);
    } catch (error) {
      console.error('registrar stand-in failed', error);
    }
  }, SWEEP_MS);
  ticking.unref();
  return {
    name: 'registrar',
    url,
    control: registrarControl(world, knobs),
    view: () => registrarView(world),
    async close() {
      clearInterval(ticking);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function listen(server: Server, { host, port }: ListenOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}
