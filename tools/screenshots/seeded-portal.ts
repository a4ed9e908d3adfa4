import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSeeded } from '../seed/past.ts';
import { findPortal, type Portal } from '../seed/portal.ts';

const root = join(import.meta.dirname, '../..');

export interface SeededPortal extends Portal {
  /** A new key for an operator. */
  operatorKey(): Promise<string>;
  stop(): Promise<void>;
}

/** A name of an operator is given once. */
const operatorName = () => `Screenshots ${randomUUID().slice(0, 8)}`;

/** The portal that runs on the data folder, or one of its own; with the seed's data in either case. */
export async function seededPortal(): Promise<SeededPortal> {
  const running = runningPortal();
  const stop = running ? async () => undefined : await startOwn();
  try {
    const portal = running ?? findPortal();
    if ((await isSeeded(portal)) !== 'done') seed();
    return { ...portal, operatorKey: () => operatorKey(portal), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function runningPortal(): Portal | null {
  try {
    return findPortal();
  } catch {
    return null;
  }
}

async function startOwn(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nameward-screenshots-'));
  process.env.DATA_DIR = dataDir;
  const child = spawn(process.execPath, ['src/start.ts'], {
    cwd: root,
    env: { ...process.env, RATE_LIMITS: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((ready, fail) => {
    child.stdout.on('data', (text: Buffer) => text.toString().includes('ready after') && ready());
    child.once('exit', () => fail(new Error('The portal did not start.')));
  });
  return async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
}

function seed(): void {
  console.log('filling the portal with the seed’s data …');
  const { status } = spawnSync(process.execPath, ['tools/seed.ts'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The seed failed.');
}

async function operatorKey({ url, operatorToken }: Portal): Promise<string> {
  const reply = await fetch(`${url}/api/operator/operators`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: operatorName() }),
  });
  const { data } = (await reply.json()) as { data?: { key: string } };
  if (!data) throw new Error(`No key for an operator: ${reply.status}`);
  return data.key;
}
