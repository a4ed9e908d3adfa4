import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from './server/kernel/db/embedded.ts';
import { withProcessSettings } from './server/process-settings.ts';
import { followIssuer } from './start/accounts.ts';
import { answers, type SupervisedChild, superviseChild } from './start/child-process.ts';
import { bringUpDatabase } from './start/database.ts';
import {
  type Instance,
  isRunning,
  markOf,
  type ProcessMark,
  takeInstanceLock,
} from './start/instance-lock.ts';
import { choosePorts, type Ports } from './start/ports.ts';
import { prepare } from './start/preparation.ts';
import { serverProgram } from './start/programs.ts';
import { startSandbox } from './start/sandbox.ts';
import { ownSecrets, sandboxSettings, wantsSandbox } from './start/settings.ts';

/**
 * `npm start`: brings up what the configuration does not name (PostgreSQL, the sandbox), builds what has changed, starts
 * the portal and prints its address. `--dev` runs both sides from their sources and restarts the portal on a change.
 */

const root = join(import.meta.dirname, '..');
const dev = process.argv.includes('--dev');
const serverGraceMs = 30_000;
const beganAt = Date.now();

/** What has been brought up, in order; it is stopped in the reverse order. */
const stops: (() => Promise<void> | void)[] = [];
let stopping: Promise<void> | null = null;
/** The database while it comes up: what is half there is taken down, too. All others end by themselves when this process has ended. */
let databaseUp: Promise<unknown> | null = null;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stopAll().then(() => process.exit(0)));
}
try {
  await start();
} catch (error) {
  if (!stopping) {
    console.error(`\nNameward cannot start. ${error instanceof Error ? error.message : error}`);
    await stopAll();
    process.exit(1);
  }
}

async function start(): Promise<void> {
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
  const dataDir = resolve(root, process.env.DATA_DIR ?? 'data');
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  const lock = takeInstanceLock(dataDir);
  stops.push(() => lock.release());
  if (lock.left) await clearAway(lock.left);
  const children: ProcessMark[] = [];
  const onSpawn = (pid: number) => {
    children.push(markOf(pid));
    lock.describe({ children });
  };

  const ports = await choosePorts(dataDir);
  const portalPort = await choosePortalPort(ports);
  const publicUrl = process.env.PUBLIC_URL ?? `http://127.0.0.1:${dev ? ports.web : portalPort}`;
  const common = { root, dataDir, onProgress: progress, onSpawn, isNeeded: () => stopping === null };
  // Independent of each other; whichever has come up is stopped again should another fail.
  const comingUp = keep(bringUpDatabase({ ...common, port: ports.postgres }));
  databaseUp = comingUp;
  const [database, sandbox] = await allOrThrow([
    comingUp,
    wantsSandbox(process.env) ? keep(startSandbox({ ...common, ports, publicUrl })) : null,
    dev ? null : prepare({ task: 'build', root }, common),
  ]);
  const issuer = process.env.OIDC_ISSUER ? undefined : sandbox?.addresses.identity;
  if (issuer) await followIssuer(dataDir, database.urls.system, issuer);
  const settings: Record<string, string> = {
    ...(process.env.DATABASE_URL ? {} : ownSecrets(dataDir)),
    ...(sandbox ? sandboxSettings(sandbox.addresses) : {}),
    ...{ DATABASE_URL: database.urls.tenants, DATABASE_SYSTEM_URL: database.urls.system },
    ...{ DATA_DIR: dataDir, PORT: String(portalPort), PUBLIC_URL: publicUrl },
  };
  // The owner's login is for tools that the operator starts, and not for the portal.
  const { migration } = database.urls;
  lock.describe({ settings: migration ? { ...settings, DATABASE_MIGRATION_URL: migration } : settings });

  progress('starting the portal');
  await keep(startPortal(dataDir, settings, onSpawn));
  if (dev) await keep(startVite(dataDir, ports, portalPort, onSpawn));
  lock.describe({ url: publicUrl });
  console.log(`\nNameward is ready after ${((Date.now() - beganAt) / 1000).toFixed(1)} s: ${publicUrl}\n`);
  if (settings.OPERATOR_TOKEN || process.env.OPERATOR_TOKEN) {
    console.log('The operator’s side is there at /operator. Make a key for yourself first:');
    console.log('  npm run operator -- operators add "Your Name"\n');
  }
}

/** The usual port may be taken; one that somebody has named must be free. */
async function choosePortalPort(ports: Ports): Promise<number> {
  if (!process.env.PORT) return ports.portal;
  const named = Number(process.env.PORT);
  if ((await freePort(named)) !== named) throw new Error(`Port ${named} (PORT) is taken by another program.`);
  return named;
}

function startPortal(
  dataDir: string,
  settings: Record<string, string>,
  onSpawn: (pid: number) => void,
): Promise<SupervisedChild> {
  const host = process.env.HOST ?? '127.0.0.1';
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return superviseChild({
    name: 'portal',
    args: [
      ...(dev ? ['--watch', '--watch-preserve-output'] : []),
      join(root, dev ? 'src/server/main.ts' : serverProgram),
    ],
    cwd: root,
    // What the environment names goes before what was found here; only DATA_DIR becomes absolute.
    env: {
      ...withProcessSettings({ ...settings, ...process.env, DATA_DIR: dataDir }),
      DATABASE_MIGRATION_URL: '',
    },
    logFile: process.env.LOGS === 'console' ? null : join(dataDir, 'logs', 'portal.log'),
    whenReady: answers(`http://${reachable}:${settings.PORT}/readyz`),
    graceMs: serverGraceMs,
    onProgress: progress,
    onSpawn,
  });
}

function startVite(
  dataDir: string,
  ports: Ports,
  portalPort: number,
  onSpawn: (pid: number) => void,
): Promise<SupervisedChild> {
  const program = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  return superviseChild({
    name: 'development server',
    cwd: root,
    args: [program, '--host', '127.0.0.1', '--port', String(ports.web), '--strictPort'],
    env: { ...process.env, PORTAL_PORT: String(portalPort) },
    logFile: join(dataDir, 'logs', 'vite.log'),
    whenReady: answers(`http://127.0.0.1:${ports.web}/`),
    graceMs: 2_000,
    onProgress: progress,
    onSpawn,
  });
}

/** Children of a start that was killed with -9 end by themselves within seconds; a stuck one is not waited for. */
async function clearAway(left: Instance): Promise<void> {
  const running = () => left.children.filter(isRunning);
  if (running().length > 0) progress('waiting for what an earlier start has left to end');
  const deadline = Date.now() + 12_000;
  for (const { pid } of running()) process.kill(pid, 'SIGTERM');
  while (running().length > 0 && Date.now() < deadline) await new Promise((done) => setTimeout(done, 50));
  for (const { pid } of running()) process.kill(pid, 'SIGKILL');
}

async function keep<T extends { stop(): Promise<void> }>(coming: Promise<T>): Promise<T> {
  const came = await coming;
  stops.push(() => came.stop());
  // Ctrl-C while it was coming up.
  if (stopping !== null) await came.stop();
  return came;
}

/** Like Promise.all, but settles only when all have, so that nothing comes up after a failure was dealt with. */
async function allOrThrow<T extends readonly unknown[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work) as Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>;
}

function stopAll(): Promise<void> {
  stopping ??= (async () => {
    if (databaseUp) progress('stopping');
    await databaseUp?.catch(() => undefined);
    for (const stop of stops.reverse()) {
      try {
        await stop();
      } catch (error) {
        console.error(error);
      }
    }
  })();
  return stopping;
}

function progress(text: string): void {
  if (stopping && text !== 'stopping') return;
  console.log(`  ${text} …`);
}
