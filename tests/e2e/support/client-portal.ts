import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverProgram } from '../../../src/start/programs.ts';
import { freePort } from './portal.ts';
import { control } from './sandbox.ts';

const readyWithinMs = 600_000;

export interface ClientPortal {
  url: string;
  stop(): Promise<void>;
}

/**
 * The customers' own portal beside the one that all tests use: another process on the same database, as an MSP would run
 * it. `organisationId`: whose it is before anyone signs in.
 */
export async function startClientPortal(organisationId: string): Promise<ClientPortal> {
  const instance = JSON.parse(await readFile(join(process.env.E2E_DATA ?? '', 'instance.json'), 'utf8')) as {
    settings: Record<string, string>;
  };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const main = process.env.E2E_URL ?? '';
  await control('identity', 'clients', [client('nameward', main), client('customers', url)]);
  const child = spawn(process.execPath, [serverProgram], {
    cwd: join(import.meta.dirname, '../../..'),
    env: {
      ...process.env,
      ...instance.settings,
      // Sources are stripped and compiled already.
      NODE_COMPILE_CACHE: join(process.env.E2E_DATA ?? '', 'compile-cache'),
      ...{ PORT: String(port), PUBLIC_URL: url, ROLES: 'web', RATE_LIMITS: 'off', LOG_LEVEL: 'silent' },
      ...{ APP_TYPE: 'client', CLIENT_ORGANISATION: organisationId, OIDC_CLIENT_ID: 'customers' },
    },
    stdio: 'ignore',
  });
  await ready(url, child);
  return { url, stop: () => end(child) };
}

const paths = ['/auth/callback', '/auth/silent-callback.html'];

function client(client_id: string, origin: string) {
  return {
    client_id,
    redirect_uris: paths.map((path) => `${origin}${path}`),
    post_logout_redirect_uris: [`${origin}/`],
    origins: [origin],
  };
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const reply = await fetch(`${url}/readyz`).catch(() => null);
    if (reply?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await end(child);
  throw new Error('the customers’ portal did not start');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
