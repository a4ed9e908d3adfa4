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
import { openAuthority } from './trust/authority.ts';
import { type TrustLife, trustRound } from './trust/life.ts';
import { trustPage } from './trust/pages.ts';
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
  /** Where the certificate authority looks names up, e.g. `127.0.0.1:4306`; asked each time. */
  dnsServer?: () => string | null;
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
  const authority = await openAuthority(sql, store.now());
  const world: World = {
    sql,
    now: () => store.now(),
    random: createRandom(options.seed ?? Date.now()),
    knobs: () => knobs.read(),
    username: options.username,
    authorityChain: () => authority.chainPem,
    mail: (message) => {
      options.mail?.send(message).catch((error: unknown) => {
        console.error('registrar stand-in could not send mail', error);
      });
    },
  };
  const wire = createWire(world, options);
  const server = createServer((request, response) => {
    if (trustPage(world, authority, request, response)) return;
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
  const trust: TrustLife = { authority, dnsServer: options.dnsServer ?? (() => null), pagesUrl: () => url };
  const rounds = repeat(() => trustRound(world, trust));
  return {
    name: 'registrar',
    url,
    control: registrarControl(world, knobs, trust),
    view: () => registrarView(world),
    async close() {
      clearInterval(ticking);
      await rounds.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** One round after another, each a moment after the one before has ended. */
function repeat(round: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= round()
      .catch((error: unknown) => console.error('certificate authority failed', error))
      .finally(() => {
        running = null;
      });
  }, SWEEP_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
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
