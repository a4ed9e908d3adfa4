import { type Login, logins } from './logins.ts';

/** What the database says of the login by which a pool came in. */
export interface LoginFacts {
  name: string;
  superuser: boolean;
  bypassesPolicies: boolean;
  createsRoles: boolean;
  /** Roles that it is a member of, and could become. */
  becomes: string[];
  /** Whether it owns the database or anything of the portal's schema. */
  owns: boolean;
  /** Whether it may make tables and functions in the portal's schema. */
  creates: boolean;
  statementTimeout: string;
  migrated: boolean;
}

/** What is wrong with a login, each as a sentence that says what to do. Empty: it may be used. */
export function loginFaults(facts: LoginFacts, login: Login, setting: string): string[] {
  const expected = logins[login];
  const { name } = facts;
  if (name !== expected) {
    return [
      `${setting} logs in as "${name}". Please set it to the login ${expected}; "npm run migrate" makes it (docs/operations.md, "Logins of the database").`,
    ];
  }
  const faults: string[] = [];
  if (facts.superuser) faults.push(`${name} is a superuser. Please run: ALTER ROLE ${name} NOSUPERUSER;`);
  if (facts.bypassesPolicies)
    faults.push(`${name} bypasses row-level security. Please run: ALTER ROLE ${name} NOBYPASSRLS;`);
  if (facts.createsRoles)
    faults.push(
      `${name} may create roles, and so become others. Please run: ALTER ROLE ${name} NOCREATEROLE;`,
    );
  for (const other of facts.becomes)
    faults.push(`${name} may become ${other}. Please run: REVOKE ${other} FROM ${name};`);
  if (facts.owns)
    faults.push(
      `${name} owns the database or a part of it, which belongs to the login of DATABASE_MIGRATION_URL. Please give that to it, for example with: REASSIGN OWNED BY ${name} TO nameward_owner;`,
    );
  if (facts.creates)
    faults.push(
      `${name} may create tables. Please run: REVOKE CREATE ON SCHEMA public FROM PUBLIC, ${name};`,
    );
  if (/^0\w*$/.test(facts.statementTimeout))
    faults.push(
      `Statements of ${name} have no time limit. Please run: ALTER ROLE ${name} SET statement_timeout = '30s';`,
    );
  if (!facts.migrated)
    faults.push(
      'The database has not been migrated. Please run "npm run migrate" with DATABASE_MIGRATION_URL.',
    );
  return faults;
}

/** How an address behaves when two connections use it in turn. */
export interface PoolingFacts {
  /** What one connection has set is seen by another: a pooler hands out connections by the transaction. */
  sharesSessions: boolean;
  keepsPreparedStatements: boolean;
}

export function poolingFaults(facts: PoolingFacts, setting: string, preparedStatements: boolean): string[] {
  if (!preparedStatements || facts.keepsPreparedStatements) return [];
  return [
    `${setting} leads to a pooler that does not keep prepared statements. Please set DATABASE_PREPARED_STATEMENTS=off, or use PgBouncer 1.21 or newer with max_prepared_statements.`,
  ];
}

/** What holds locks of its session and waits for notices cannot share connections. */
export function directFaults(facts: PoolingFacts, setting: string): string[] {
  if (!facts.sharesSessions) return [];
  return [
    `${setting} leads to a pooler that shares connections by the transaction, and jobs need sessions of their own. Please set DATABASE_DIRECT_URL to the login ${logins.system} without the pooler, or by one with pool_mode=session.`,
  ];
}
