import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The running portal and its sandbox, found by what `npm start` has left in the data folder. */
export interface Portal {
  url: string;
  dataDir: string;
  databaseUrl: string;
  /** The setting that makes keys for operators. */
  operatorToken: string;
  /** A call with a token, or as nobody with an empty one; waits where the portal asks for it. Throws on any refusal. */
  call<T>(token: string, method: string, path: string, body?: unknown): Promise<T>;
  control<T = unknown>(part: string, route: string, body?: unknown): Promise<T>;
}

const longestWaitSeconds = 30;
/** Refusals of a portal that has too much to do: asked again, it does it. */
const comesBack = ['rate_limited', 'unavailable', 'upstream_unavailable', 'in_progress'];
const patienceMs = 600_000;

export function findPortal(): Portal {
  const dataDir = resolve(process.env.DATA_DIR ?? 'data');
  const read = <T>(file: string): T => {
    try {
      return JSON.parse(readFileSync(join(dataDir, file), 'utf8')) as T;
    } catch {
      throw new Error(`Nothing runs on ${dataDir}. Start the portal first (npm start), then seed it.`);
    }
  };
  const instance = read<{ url: string | null; settings: Record<string, string> }>('instance.json');
  const { panel } = read<{ panel: number }>('ports.json');
  if (!instance.url) throw new Error('The portal is still starting; please try again in a moment.');
  if (!instance.settings.REGISTRAR_URL?.includes('127.0.0.1')) {
    throw new Error('Seed data is for the sandbox; this portal works with a real registrar.');
  }
  const { url } = instance;
  return {
    url,
    dataDir,
    operatorToken: instance.settings.OPERATOR_TOKEN ?? '',
    databaseUrl: process.env.DATABASE_MIGRATION_URL || (instance.settings.DATABASE_MIGRATION_URL ?? ''),
    call: (token, method, path, body) => call(`${url}/api/${path}`, token, method, body),
    control: (part, route, body = {}) => control(`http://127.0.0.1:${panel}/control/${part}/${route}`, body),
  };
}

interface Refusal {
  code?: string;
  message?: string;
  details?: unknown;
}

async function call<T>(address: string, token: string, method: string, body: unknown): Promise<T> {
  // The same key each time: what is asked for again is not done twice.
  const key = randomUUID();
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const reply = await fetch(address, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        'idempotency-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await reply.json()) as { data: T } & Refusal;
    if (reply.ok) return answer.data;
    if (!comesBack.includes(answer.code ?? '') || Date.now() > deadline)
      throw new Error(
        `${method} ${address}: ${reply.status} ${answer.message} ${JSON.stringify(answer.details ?? [])}`,
      );
    const seconds = Math.min(longestWaitSeconds, Number(reply.headers.get('retry-after') ?? 1) || 1);
    await new Promise((done) => setTimeout(done, seconds * 1000));
  }
}

async function control<T>(address: string, body: unknown): Promise<T> {
  const reply = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${address}: ${reply.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
