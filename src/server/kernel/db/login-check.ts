import { randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  directFaults,
  type LoginFacts,
  loginFaults,
  type PoolingFacts,
  poolingFaults,
} from './login-rules.ts';
import type { Login } from './logins.ts';

/** The database is not used as long as this is not mended; the message says how. */
export class UnsafeDatabase extends Error {
  override readonly name = 'UnsafeDatabase';
  constructor(faults: readonly string[]) {
    super(`The database cannot be used:\n${faults.map((line) => `  ${line}`).join('\n')}`);
  }
}

export interface CheckedUrls {
  tenants: string;
  system: string;
  /** Of the system's login, past every pooler; null: `system` is used for that too. */
  direct: string | null;
}

/** The refusal is about who we are: waiting does not change it. */
const refusals = ['28P01', '28000', '3D000', '42501'];
const pauseMs = 500;

/**
 * Looks at the logins before anything else is done with them: that each is the one it should be, that neither can
 * become another or get around row-level security, and that a pooler in between keeps what we need.
 *
 * @param waitMs so long a database that is still coming up is waited for
 */
export async function checkDatabase(
  urls: CheckedUrls,
  options: { preparedStatements: boolean; runsJobs: boolean; waitMs: number },
): Promise<void> {
  const deadline = Date.now() + options.waitMs;
  const faults: string[] = [];
  const look = async (url: string, login: Login, setting: string, isDirect: boolean) => {
    const [one, other] = [await connect(url, setting, deadline), await connect(url, setting, deadline)];
    try {
      const found = loginFaults(await factsOf(one), login, setting);
      faults.push(...found);
      // What a wrong login says of itself confuses when it is said twice.
      if (found.length > 0) return;
      const pooling = await poolingOf(one, other);
      if (!isDirect) faults.push(...poolingFaults(pooling, setting, options.preparedStatements));
      else if (options.runsJobs) faults.push(...directFaults(pooling, setting));
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  };
  await look(urls.tenants, 'tenants', 'DATABASE_URL', false);
  await look(urls.system, 'system', 'DATABASE_SYSTEM_URL', false);
  const direct = urls.direct === null ? 'DATABASE_SYSTEM_URL' : 'DATABASE_DIRECT_URL';
  if (faults.length === 0) await look(urls.direct ?? urls.system, 'system', direct, true);
  if (faults.length > 0) throw new UnsafeDatabase(faults);
}

async function connect(url: string, setting: string, deadline: number): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (refusals.includes(code) || Date.now() > deadline) {
        const why = error instanceof Error ? error.message || code : String(error);
        throw new UnsafeDatabase([`${setting} (${placeOf(url)}) cannot be reached: ${why}`]);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Without the password. */
function placeOf(url: string): string {
  const { username, host, pathname } = new URL(url);
  return `${username}@${host}${pathname}`;
}

export async function factsOf(client: pg.Client | pg.Pool): Promise<LoginFacts> {
  const { rows } = await client.query<LoginFacts>(`
    SELECT current_user AS name, rolsuper AS superuser, rolbypassrls AS "bypassesPolicies", rolcreaterole AS "createsRoles",
      ARRAY(SELECT o.rolname::text FROM pg_roles o WHERE o.oid <> r.oid AND pg_has_role(r.oid, o.oid, 'MEMBER')
        AND NOT r.rolsuper ORDER BY 1) AS becomes,
      EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid)
        OR EXISTS (SELECT FROM pg_database d WHERE d.datname = current_database() AND d.datdba = r.oid)
        OR EXISTS (SELECT FROM pg_namespace n WHERE n.nspowner = r.oid) AS owns,
      has_schema_privilege('public', 'CREATE') AS creates,
      current_setting('statement_timeout') AS "statementTimeout",
      to_regclass('public.schema_migrations') IS NOT NULL AS migrated
    FROM pg_roles r WHERE r.rolname = current_user`);
  const [facts] = rows;
  if (!facts) throw new Error('the database does not know who asks');
  return facts;
}

/** Both are asked in turn, so that a pooler by the transaction gives the second what the first has just left. */
async function poolingOf(one: pg.Client, other: pg.Client): Promise<PoolingFacts> {
  const mark = randomUUID();
  const set = (client: pg.Client, value: string) =>
    client.query("SELECT set_config('nameward.probe', $1, false)", [value]);
  await set(one, mark);
  const { rows } = await other.query<{ seen: string | null }>(
    "SELECT current_setting('nameward.probe', true) AS seen",
  );
  await Promise.all([set(one, ''), set(other, '')]);
  return {
    sharesSessions: rows[0]?.seen === mark,
    keepsPreparedStatements: await keepsPrepared(one, other, `nameward_${mark}`),
  };
}

async function keepsPrepared(one: pg.Client, other: pg.Client, name: string): Promise<boolean> {
  try {
    for (const client of [one, other, one, other]) await client.query({ name, text: 'SELECT 1' });
    return true;
  } catch (error) {
    // "already exists" and "does not exist".
    if (error instanceof Error && 'code' in error && ['42P05', '26000'].includes(String(error.code)))
      return false;
    throw error;
  }
}
