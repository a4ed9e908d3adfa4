import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startEmbedded } from '../src/server/kernel/db/embedded.ts';
import { migrate } from '../src/server/kernel/db/migrate.ts';
import { serverProgram } from '../src/start/programs.ts';
import { whenTold } from '../tests/support/when-told.ts';

/** What the measurements stand on: a durable PostgreSQL and the sandbox, both thrown away afterwards. */
export interface Stand {
  /** Owner's login. */
  databaseUrl: string;
  /** Of the portal's two logins. */
  urls: { tenants: string; system: string };
  /** Settings by which a portal finds this database and this sandbox. */
  settings: Record<string, string>;
  /** The sandbox's control plane. */
  control<T>(part: string, route: string, body: unknown): Promise<T>;
}

export interface RunningProgram extends AsyncDisposable {
  pid: number;
  /** All that it has written so far. */
  output(): string;
  exited: Promise<void>;
  hasExited(): boolean;
}

export const root = join(import.meta.dirname, '..');
/** A machine that does much else starts slowly; a program that ends is noticed at once. */
const comesUpWithinMs = 300_000;
const pollMs = 20;
/** A portal logs each of its answers, as it does anywhere. */
const keptOutput = 100_000;

/** What a signal takes down too: whoever stops a run keeps no portal, database or folder of it. */
const standing = new AsyncDisposableStack();
whenTold(async () => {
  // What is under way fails now, and must not end the process before the rest has ended.
  process.on('uncaughtException', () => undefined);
  await standing.disposeAsync().finally(() => process.exit(1));
});

/** Calls `work` with a stand and takes the stand down again, whatever happens. */
export async function withStand<T>(work: (stand: Stand) => Promise<T>): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.adopt(await temporaryFolder(), remove);
  // Durable, as in production: an order that costs no write to the disk is no order.
  const postgres = await startEmbedded({ dataDir: join(dir, 'postgres'), port: 0, durable: true });
  for (const down of [stack, standing]) down.defer(() => postgres.stop());
  await migrate(postgres.url, join(root, 'migrations'));
  const parts = ['REGISTRAR', 'PAYMENTS', 'IDENTITY', 'PANEL', 'SMTP', 'DNS', 'INTERNET', 'RDAP'];
  const sandbox = stack.use(
    runNode(['src/sandbox/main.ts'], {
      SANDBOX_DIR: join(dir, 'sandbox'),
      ...Object.fromEntries(parts.map((part) => [`SANDBOX_PORTS_${part}`, '0'])),
    }),
  );
  const addresses = await readyLine(sandbox);
  return await work({
    databaseUrl: postgres.url,
    urls: postgres.urls,
    settings: {
      ...{ DATABASE_URL: postgres.urls.tenants, DATABASE_SYSTEM_URL: postgres.urls.system },
      ...{ DATA_DIR: dir, ...settingsOf(addresses) },
    },
    control: (part, route, body) => post(`${addresses.panel}/control/${part}/${route}`, body),
  });
}

/** As root the database server runs as another user, who must be able to enter. */
export async function temporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'nameward-bench-'));
  await chmod(dir, 0o755);
  return standing.adopt(dir, remove);
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true });

/** A portal's server of its own process, as it runs anywhere, answering. */
export async function startPortal(
  settings: Record<string, string>,
): Promise<RunningProgram & { url: string }> {
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const program = runNode([serverProgram], {
    // The edge limits requests a minute; a load generator is one very busy person.
    RATE_LIMITS: 'off',
    ...settings,
    PORT: String(port),
    PUBLIC_URL: url,
  });
  await answering(`${url}/readyz`, program);
  return { ...program, url };
}

/** Runs a TypeScript program of this project on this Node. */
export function runNode(args: readonly string[], env: NodeJS.ProcessEnv): RunningProgram {
  if (standing.disposed) throw new Error('the run was stopped');
  const child = spawn(process.execPath, [...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-keptOutput);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  return standing.use({
    pid: child.pid ?? 0,
    output: () => output,
    exited,
    hasExited,
    [Symbol.asyncDispose]: () => end(child, exited),
  });
}

async function end(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await exited;
  clearTimeout(timer);
}

/** Resolves when the address answers well; throws when the program ends before that. */
export async function answering(address: string, program: RunningProgram): Promise<void> {
  const deadline = Date.now() + comesUpWithinMs;
  while (!program.hasExited() && Date.now() < deadline) {
    const reply = await fetch(address).catch(() => null);
    await reply?.body?.cancel();
    if (reply?.ok) return;
    await pause();
  }
  throw new Error(`${address} does not answer:\n${program.output()}`);
}

export async function readyLine(program: RunningProgram): Promise<Record<string, string>> {
  const deadline = Date.now() + comesUpWithinMs;
  while (!program.hasExited() && Date.now() < deadline) {
    const line = program
      .output()
      .split('\n')
      .find((text) => text.startsWith('{"ready":true') && text.endsWith('}'));
    if (line) return JSON.parse(line) as Record<string, string>;
    await pause();
  }
  throw new Error(`a program did not come up:\n${program.output()}`);
}

export function pause(ms = pollMs): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

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

async function post<T>(address: string, body: unknown): Promise<T> {
  const reply = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${address}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
}
