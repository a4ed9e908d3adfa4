import pg from 'pg';
import { ensureLogins, type LoginPasswords } from './logins.ts';

/** A server of ours that has been started, and may not answer yet. */
export interface ServerComingUp {
  /** Of the owner's login, to the portal's database, which may not be there yet. */
  url: string;
  /** Of the portal's two logins. */
  passwords: LoginPasswords;
}

const readyWithinMs = 60_000;

/** Waits until the server answers, and makes the database and the portal's two logins: data folders of earlier versions get them here. */
export async function makeReady(
  { url, passwords }: ServerComingUp,
  isAlive: () => boolean = () => true,
): Promise<void> {
  const { pathname } = new URL(url);
  const anyDatabase = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const client = await connected(anyDatabase, isAlive);
  try {
    const name = pathname.slice(1);
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
    await ensureLogins(client, passwords, { replace: true });
  } finally {
    await client.end();
  }
}

async function connected(url: string, isAlive: () => boolean): Promise<pg.Client> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isAlive()) throw new Error('PostgreSQL did not start', { cause: error });
      if (Date.now() > deadline) throw new Error('PostgreSQL is not ready after a minute', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
