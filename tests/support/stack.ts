import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverProgram } from '../../src/start/programs.ts';
import type { TestCluster } from './cluster.ts';
import { compileCache } from './compile-cache.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/**
 * The product as processes: sandbox and server apart, so that one can be killed while the other lives. For tests of
 * crashes and of the real adapters over the wire.
 */
export interface Stack extends AsyncDisposable {
  database: TestDatabase;
  /** By which a portal, as a process or in the test's own, finds this database and this sandbox. */
  settings: Record<string, string>;
  /** Base address of the portal's server; only while it runs. */
  url: string;
  /** Starts the server, optionally with more settings (`FAILPOINT`). Resolves when it answers. */
  startServer(env?: Record<string, string>): Promise<void>;
  /** SIGKILL, as a crash would. */
  killServer(): Promise<void>;
  /** Resolves when the server has died by itself, with its exit code; null: a signal ended it. */
  serverDied(): Promise<number | null>;
  /** Whether the process that was started last still runs. */
  serverLives(): boolean;
  /** Whether it has stopped (SIGSTOP) by itself or by a signal. */
  serverStopped(): Promise<boolean>;
  /** SIGSTOP and SIGCONT of the server. */
  signal(signal: NodeJS.Signals): void;
  /** Another process of the portal on the same database and sandbox, at an address of its own. */
  startBeside(env?: Record<string, string>): Promise<Beside>;
  /** The same, at hand before it answers: it may stop or end on the way. */
  launchBeside(env?: Record<string, string>): Promise<{ beside: Beside; answers: Promise<void> }>;
  /** The sandbox's control plane. */
  control<T = unknown>(part: string, route: string, body?: unknown): Promise<T>;
  /** A call to the portal as the person with this token. */
  call<T = unknown>(
    token: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: T }>;
  log(): string;
}

export interface Beside {
  url: string;
  call: Stack['call'];
  /** Resolves when it has stopped (SIGSTOP) by itself. */
  stopped(): Promise<void>;
  isStopped(): Promise<boolean>;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
  lives(): boolean;
}

const root = join(import.meta.dirname, '../..');
/** A bug is planted into one source (tools/mutants/judge.ts); otherwise tests run what is shipped. */
const serverScript = () => (process.env.PLANTED_BUG ? 'src/server/main.ts' : serverProgram);

export interface StackOptions {
  /** How much of the servers' log is kept, from its end. */
  logChars?: number;
  /** Outside of a run of tests. */
  cluster?: TestCluster;
  /** One of its own, in place of a clone of the template. */
  database?: TestDatabase;
}

export async function startStack({
  logChars = 20_000,
  cluster,
  database: given,
}: StackOptions = {}): Promise<Stack> {
  const database = given ?? (await createTestDatabase(cluster));
  const dir = await mkdtemp(join(tmpdir(), 'nameward-stack-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const outside = await startOutside(dir, url);
  const settings = {
    DATABASE_URL: database.urls.tenants,
    DATABASE_SYSTEM_URL: database.urls.system,
    DATABASE_CONNECTIONS: '10',
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: dir,
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    ...outside.settings,
  };
  let server: Running | null = null;
  const others: Running[] = [];
  let log = '';

  async function launchBeside(env: Record<string, string> = {}) {
    const own = `http://127.0.0.1:${await freePort()}`;
    const running = node(serverScript(), { ...settings, ...env, PORT: new URL(own).port });
    others.push(running);
    for (const output of [running.child.stdout, running.child.stderr]) {
      output?.on('data', (chunk: Buffer) => (log = (log + chunk).slice(-logChars)));
    }
    const serves = (env.ROLES ?? 'web').includes('web');
    const answers = serves ? answering(`${own}/readyz`, running) : Promise.resolve();
    const beside: Beside = {
      url: own,
      call: (...given) => call(own, ...given),
      stopped: () => whenStopped(running),
      isStopped: () => isStopped(running),
      signal: (signal) => void running.child.kill(signal),
      kill: () => stop(running, 'SIGKILL'),
      lives: () => lives(running),
    };
    return { beside, answers };
  }

  return {
    database,
    settings,
    url,
    async startServer(env = {}) {
      server = node(serverScript(), {
        ...settings,
        ...env,
      });
      for (const output of [server.child.stdout, server.child.stderr]) {
        output?.on('data', (chunk: Buffer) => (log = (log + chunk).slice(-logChars)));
      }
      await answering(`${url}/readyz`, server);
    },
    async startBeside(env = {}) {
      const { beside, answers } = await launchBeside(env);
      await answers;
      return beside;
    },
    launchBeside,
    killServer: () => stop(server, 'SIGKILL'),
    async serverDied() {
      await server?.ended;
      return server?.child.exitCode ?? null;
    },
    serverLives: () => server !== null && lives(server),
    serverStopped: async () => server !== null && isStopped(server),
    signal: (signal) => void server?.child.kill(signal),
    control: outside.control,
    call: (...given) => call(url, ...given),
    log: () => log + outside.output(),
    async [Symbol.asyncDispose]() {
      for (const running of [server, ...others]) await stop(running, 'SIGKILL');
      await outside.stop();
      await database.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The sandbox as a process: everything outside of the portal, with the settings by which a portal finds it. */
export interface Outside {
  settings: Record<string, string>;
  control: Stack['control'];
  output(): string;
  stop(): Promise<void>;
}

export async function startOutside(dir: string, portalUrl: string): Promise<Outside> {
  const sandbox = node('src/sandbox/main.ts', {
    SANDBOX_DIR: dir,
    PORTAL_URL: portalUrl,
    ...Object.fromEntries(
      ['REGISTRAR', 'PAYMENTS', 'IDENTITY', 'PANEL', 'SMTP', 'DNS', 'INTERNET', 'RDAP'].map((part) => [
        `SANDBOX_PORTS_${part}`,
        '0',
      ]),
    ),
  });
  const addresses = await readyLine(sandbox);
  return {
    settings: settingsOf(addresses),
    control: (part, route, body = {}) => post(`${addresses.panel}/control/${part}/${route}`, body),
    output: () => sandbox.output(),
    stop: () => stop(sandbox, 'SIGKILL'),
  };
}

async function stop(process: Running | null, signal: NodeJS.Signals): Promise<void> {
  if (!process || process.child.exitCode !== null || process.child.signalCode !== null) return;
  process.child.kill(signal);
  await process.ended;
}

/** A call to the portal at this address. */
export async function call(
  url: string,
  ...[token, method, path, body, headers = {}]: Parameters<Stack['call']>
): Promise<{ status: number; body: never }> {
  const reply = await fetch(`${url}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as never };
}

const lives = ({ child }: Running) => child.exitCode === null && child.signalCode === null;

/** The system says of a process that a signal has stopped it (`T`, proc_pid_stat(5)). */
async function isStopped({ child }: Running): Promise<boolean> {
  return /\) T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => ''));
}

async function whenStopped(running: Running): Promise<void> {
  for (let waitedMs = 0; waitedMs < 180_000 && lives(running); waitedMs += 20) {
    if (await isStopped(running)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the process did not stop\n${running.output()}`);
}

/** The sandbox's addresses as the server's settings. */
function settingsOf(addresses: Record<string, string>): Record<string, string> {
  return {
    REGISTRAR_URL: addresses.registrar ?? '',
    STRIPE_API_BASE: addresses.payments ?? '',
    OIDC_ISSUER: addresses.identity ?? '',
    SMTP_URL: addresses.smtp ?? '',
    DNS_SERVERS: (addresses.dns ?? '').replace(/^\w+:\/\//, ''),
    RDAP_BOOTSTRAP_URL: `${addresses.rdap ?? ''}/dns.json`,
    PROBE_PROXY: addresses.internet ?? '',
    PROBE_AUTHORITIES: addresses.authority ?? '',
    DNS_ZONE_SERVERS: (addresses.dns ?? '').replace(/^\w+:\/\//, ''),
  };
}

interface Running {
  child: ChildProcess;
  ended: Promise<void>;
  output: () => string;
}

/** Whatever ends this process ends what it has started. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function node(script: string, env: Record<string, string>): Running {
  const child = spawn(process.execPath, [join(root, script)], {
    cwd: root,
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env, NODE_ENV: 'test', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk).slice(-50_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return {
    child,
    output: () => output,
    ended: new Promise((resolve) => child.once('exit', () => resolve())),
  };
}

async function readyLine(running: Running): Promise<Record<string, string>> {
  for (let waitedMs = 0; waitedMs < 600_000; waitedMs += 30) {
    const line = running
      .output()
      .split('\n')
      .find((text) => text.startsWith('{"ready":true'));
    if (line) return JSON.parse(line) as Record<string, string>;
    if (running.child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`the sandbox did not start:\n${running.output()}`);
}

async function answering(address: string, running: Running): Promise<void> {
  for (let waitedMs = 0; waitedMs < 600_000; waitedMs += 30) {
    const ok = await fetch(address).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ok) return;
    if (running.child.exitCode !== null || running.child.signalCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`the server did not start:\n${running.output()}`);
}

async function post<T>(address: string, body: unknown): Promise<T> {
  const reply = await fetch(address, {
    method: 'POST',
    // A kept connection may be closed by the other side in the moment in which it is used again.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${address}: ${reply.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/**
 * A port to listen at. Not one that the system hands out by itself: while a process that was killed is down, nobody's
 * outgoing connection may take its place.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
