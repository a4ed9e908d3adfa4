import { expect, test } from 'vitest';
import { directFaults, type LoginFacts, loginFaults, poolingFaults } from './login-rules.ts';

const good: LoginFacts = {
  name: 'nameward_app',
  superuser: false,
  bypassesPolicies: false,
  createsRoles: false,
  becomes: [],
  owns: false,
  creates: false,
  statementTimeout: '30s',
  migrated: true,
};
const faults = (change: Partial<LoginFacts>) =>
  loginFaults({ ...good, ...change }, 'tenants', 'DATABASE_URL');

test('a login that is what it should be has no faults', () => {
  expect(faults({})).toEqual([]);
  expect(loginFaults({ ...good, name: 'nameward_system' }, 'system', 'DATABASE_SYSTEM_URL')).toEqual([]);
});

test('another login is refused, and the sentence names the one that belongs there', () => {
  for (const name of ['postgres', 'nameward_system', 'nameward_app_2']) {
    expect(faults({ name })).toHaveLength(1);
    expect(faults({ name })[0]).toContain(
      `DATABASE_URL logs in as "${name}". Please set it to the login nameward_app`,
    );
  }
});

test.each<[Partial<LoginFacts>, string]>([
  [{ superuser: true }, 'ALTER ROLE nameward_app NOSUPERUSER;'],
  [{ bypassesPolicies: true }, 'ALTER ROLE nameward_app NOBYPASSRLS;'],
  [{ createsRoles: true }, 'ALTER ROLE nameward_app NOCREATEROLE;'],
  [{ becomes: ['nameward_system'] }, 'REVOKE nameward_system FROM nameward_app;'],
  [{ owns: true }, 'REASSIGN OWNED BY nameward_app'],
  [{ creates: true }, 'REVOKE CREATE ON SCHEMA public'],
  [{ statementTimeout: '0' }, "ALTER ROLE nameward_app SET statement_timeout = '30s';"],
  [{ migrated: false }, 'npm run migrate'],
])('%j is refused, and the sentence says what to run', (change, remedy) => {
  expect(faults(change)).toHaveLength(1);
  expect(faults(change)[0]).toContain(remedy);
});

test('a pooler without prepared statements asks for the setting; jobs ask for sessions of their own', () => {
  const old = { sharesSessions: true, keepsPreparedStatements: false };
  expect(poolingFaults(old, 'DATABASE_URL', true)[0]).toContain('DATABASE_PREPARED_STATEMENTS=off');
  expect(poolingFaults(old, 'DATABASE_URL', false)).toEqual([]);
  expect(poolingFaults({ ...old, keepsPreparedStatements: true }, 'DATABASE_URL', true)).toEqual([]);
  expect(directFaults(old, 'DATABASE_SYSTEM_URL')[0]).toContain('Please set DATABASE_DIRECT_URL');
  expect(directFaults({ sharesSessions: false, keepsPreparedStatements: true }, 'x')).toEqual([]);
});
