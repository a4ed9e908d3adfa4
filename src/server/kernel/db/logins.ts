import type pg from 'pg';

/**
 * The logins of the database. Policies and grants name the first two, which own nothing and can become nobody else; the
 * third owns the schema and serves migrations only.
 */
export const logins = { tenants: 'nameward_app', system: 'nameward_system' } as const;
export type Login = keyof typeof logins;
export type LoginPasswords = Record<Login, string>;

export interface DatabaseUrls {
  /** Of the schema's owner. */
  migration: string;
  /** Tenants' work, under row-level security. */
  tenants: string;
  /** Work across tenants, and the jobs. */
  system: string;
}

/**
 * Kept with the login and not with the connection: a pooler would refuse or lose them. A process that stands still in a
 * transaction loses its locks before the statements that wait for them run out of time.
 */
const limits = { statement_timeout: '30s', idle_in_transaction_session_timeout: '20s' };

/** The same database by another login. */
export function urlAs(url: string, login: Login, password: string): string {
  const other = new URL(url);
  other.username = logins[login];
  other.password = password;
  return other.href;
}

/** Passwords that the addresses of the two logins carry; none for an address of anybody else. */
export function passwordsOf(urls: Record<Login, string | undefined>): Partial<LoginPasswords> {
  const found: Partial<LoginPasswords> = {};
  for (const login of ['tenants', 'system'] as const) {
    const text = urls[login];
    if (!text || !URL.canParse(text)) continue;
    const { username, password } = new URL(text);
    if (decodeURIComponent(username) === logins[login] && password)
      found[login] = decodeURIComponent(password);
  }
  return found;
}

/**
 * Makes the roles, and logins of them where a password is given. One that can log in already keeps its own password,
 * which is its administrator's business, unless `replace` says that it is ours.
 */
export async function ensureLogins(
  client: pg.Client,
  passwords: Partial<LoginPasswords>,
  { replace }: { replace: boolean },
): Promise<void> {
  for (const login of ['tenants', 'system'] as const) {
    const name = logins[login];
    await client.query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') THEN CREATE ROLE ${name} NOLOGIN NOINHERIT; END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
    const { rows } = await client.query<{ canLogin: boolean; kept: string[] | null }>(
      `SELECT rolcanlogin AS "canLogin", (SELECT setconfig FROM pg_db_role_setting
         WHERE setrole = r.oid AND setdatabase = 0) AS kept FROM pg_roles r WHERE rolname = $1`,
      [name],
    );
    const [role] = rows;
    const password = passwords[login];
    if (password !== undefined && (replace || !role?.canLogin)) {
      await client.query(`ALTER ROLE ${name} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
    }
    for (const [setting, value] of Object.entries(limits)) {
      if (role?.kept?.some((text) => text.startsWith(`${setting}=`))) continue;
      await client.query(`ALTER ROLE ${name} SET ${setting} = '${value}'`);
    }
  }
}
