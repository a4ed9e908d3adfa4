import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { throwAwayFolder } from '../../support/throw-away.ts';

/** The setting that makes keys for operators. */
const operatorToken = 'operator-token-of-the-browser-tests';

/** A key for an operator of this name. */
export async function newOperator(name: string): Promise<string> {
  const reply = await fetch(`${process.env.E2E_URL}/api/operator/operators`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const { data } = (await reply.json()) as { data?: { key: string } };
  if (!data) throw new Error(`no key for ${name}: ${reply.status}`);
  return data.key;
}

/** Longest a first start may take here: it creates a cluster and builds the web app. */
const readyWithinMs = 600_000;

/** Starts the product once for all browser tests, as a person would, on a data folder of its own. */
export default async function startPortal(): Promise<() => Promise<void>> {
  const given = process.env.E2E_URL;
  if (given) return async () => undefined;
  const dataDir = await throwAwayFolder('e2e');
  const port = await freePort();
  const child = spawn(process.execPath, ['src/start.ts'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      RATE_LIMITS: 'off',
      // The tests that are about a payment account ask for it (`requirePaymentAccount`); others need none.
      PAYMENT_ACCOUNT_REQUIRED: '0',
      OPERATOR_TOKEN: operatorToken,
      // A vanished answer must be given up within a test's patience.
      REGISTRAR_WRITE_TIMEOUT_MS: '4000',
      ORDER_RELEASE_AFTER_MS: '6000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    process.env.E2E_URL = await whenReady(child, () => output);
    process.env.E2E_PANEL = await panelOf(dataDir);
    process.env.E2E_DATA = dataDir;
  } catch (error) {
    await end(child);
    throw error;
  }
  return async () => {
    await end(child);
    if (!process.env.E2E_KEEP) await rm(dataDir, { recursive: true, force: true });
  };
}

async function whenReady(child: ChildProcess, output: () => string): Promise<string> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline) {
    const match = /ready after .*: (http\S+)/.exec(output());
    if (match?.[1]) return match[1];
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the portal did not start:\n${output()}`);
}

/** Where the sandbox's control plane listens: the start command keeps its ports in a file. */
async function panelOf(dataDir: string): Promise<string> {
  const ports = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as { panel: number };
  return `http://127.0.0.1:${ports.panel}`;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 40_000);
  await ended;
  clearTimeout(timer);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
