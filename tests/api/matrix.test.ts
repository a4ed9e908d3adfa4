import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { roles } from '../../src/contracts/permissions.ts';
import { inTransaction, sql } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { operatorToken, type Portal, startPortal } from './support/portal.ts';
import { about, foreignFaults, mayCall, type Probe, permitted, WithoutScope } from './support/probe.ts';
import { requestFor, type Subject } from './support/samples.ts';
import {
  idsOf,
  mailsOf,
  mint,
  type Organisation,
  person,
  seedOrganisation,
  stateOf,
  tenantTables,
  writableColumns,
} from './support/world.ts';

/** Every operation × every kind of caller × every kind of id, made from the contract: a new operation is in it. */

let portal: Portal;
let a: Organisation;
let b: Organisation;
let own: Subject;
let foreignIds: string[];
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'aa');
  b = await seedOrganisation(portal, 'bb');
  own = { id: a.customers[0].id, domain: a.customers[0].domain, text: `cus_${a.customers[0].marker}` };
  // One row of each table: another one is asked for in the same way.
  foreignIds = await idsOf(portal, b.id, { perTable: 1 });
});
afterAll(() => portal[Symbol.asyncDispose]());

const unknown = (): Subject => ({ id: newId(), domain: 'zqnobodyhasthis.com', text: 'cus_zqnobody' });

function probeOf(role: Probe['role'], change: Partial<Probe> = {}): Probe {
  return {
    app: portal.app,
    actor: role,
    role,
    token: a.tokens[role],
    own,
    foreign: { ids: foreignIds, markers: [b.marker, ...b.customers.map(({ marker }) => marker), b.id] },
    log: portal.log,
    logged: portal.logged,
    ...change,
  };
}

/** The answers that all operations give to one kind of caller, wherever they are not the expected one. */
async function unexpected(token: string | null, expected: string, among = permitted): Promise<string[]> {
  const faults: string[] = [];
  for (const operation of among) {
    const malformed = { id: 'malformed', domain: '-', text: '%' };
    for (const subject of [own, about(own, foreignIds[0] ?? ''), unknown(), malformed]) {
      const { status, body } = await portal.call(requestFor(operation, subject, token));
      const got = `${status} ${JSON.parse(body).code}`;
      if (got !== expected) faults.push(`${operation.id}: ${got}`);
    }
  }
  return faults;
}

describe('who is not let in', () => {
  const guarded = operations.filter(({ access }) => !['public', 'signature', 'webhook'].includes(access));

  test('no token, garbage, an expired one, an ID token, another audience’s, the wrong key’s: 401 everywhere', async () => {
    const email = `msp_owner@${a.marker}.example`;
    const now = Math.floor(Date.now() / 1_000);
    const good = a.tokens.MSP_OWNER;
    const tokens = {
      none: null,
      garbage: 'garbage',
      expired: await mint(portal, { email, iat: now - 700, exp: now - 60 }),
      idToken: await mint(portal, { email, idToken: true }),
      audience: await mint(portal, { email, aud: 'https://elsewhere.example/api' }),
      unsigned: await mint(portal, { email, alg: 'none' }),
      confused: await mint(portal, { email, alg: 'HS256' }),
      cut: good.slice(0, -4) + (good.endsWith('AAAA') ? 'BBBB' : 'AAAA'),
    };
    for (const [kind, token] of Object.entries(tokens)) {
      expect([kind, await unexpected(token, '401 unauthenticated', guarded)]).toEqual([kind, []]);
    }
  });

  test('someone without profile, invited only, or removed: 403 no_profile; disabled: 403; everywhere', async () => {
    const out = { organisationId: a.id, role: 'MSP_OWNER', customerId: null } as const;
    const stranger = await person(portal, 'stranger@zq.example', null);
    const invited = await person(portal, 'invited@zq.example', { ...out, organisationId: null });
    const removed = await person(portal, 'removed@zq.example', out);
    await portal.owner.query('UPDATE users SET removed_at = now() WHERE id = $1', [removed.userId]);
    for (const { token } of [stranger, invited, removed]) {
      expect(await unexpected(token, '403 no_profile')).toEqual([]);
    }
    const disabled = await person(portal, 'disabled@zq.example', out);
    await portal.owner.query('UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.userId]);
    expect(await unexpected(disabled.token, '403 forbidden')).toEqual([]);
  });

  test('an operator’s key opens the operators’ operations and nothing else, the setting only makes keys; a person’s token opens none of them', async () => {
    for (const key of [portal.operatorKey, operatorToken]) {
      expect(await unexpected(key, '401 unauthenticated', permitted)).toEqual([]);
    }
    const operators = operations.filter(({ access }) => ['operator', 'bootstrap'].includes(access));
    const named = operators.filter(({ access }) => access === 'operator');
    const setting = operators.filter(({ access }) => access === 'bootstrap');
    expect(await unexpected(operatorToken, '403 forbidden', named)).toEqual([]);
    expect(await unexpected(portal.operatorKey, '401 unauthenticated', setting)).toEqual([]);
    for (const role of roles) {
      expect(await unexpected(a.tokens[role], '401 unauthenticated', operators)).toEqual([]);
    }
  });

  test('a role without the permission is refused whatever it asks for, before anything is looked up', async () => {
    for (const role of roles) {
      const closed = permitted.filter((operation) => !mayCall(operation, role));
      expect([role, await unexpected(a.tokens[role], '403 forbidden', closed)]).toEqual([role, []]);
    }
  });
});

describe('the wall between organisations', () => {
  test('every tenants’ table has a row on both sides, so that there is something to be found', async () => {
    const empty: string[] = [];
    for (const table of await tenantTables(portal)) {
      const { rows } = await portal.owner.query(
        `SELECT count(*)::int AS n FROM ${table} WHERE organisation_id = $1`,
        [b.id],
      );
      if (rows[0].n === 0) empty.push(table);
    }
    expect(empty).toEqual([]);
  });

  test('whatever is foreign answers as unknown, shows nowhere, and stays as it is', async () => {
    const before = await stateOf(portal, b.id);
    let asked = 0;
    // What staff may call is served by the same code; all ids for two of the roles, one of each kind for the others.
    const few = [/\./, /^cus_/, /^\d+$/].flatMap((kind) => foreignIds.find((id) => kind.test(id)) ?? []);
    for (const role of roles) {
      const all = role === 'MSP_OWNER' || role === 'MSP_CUSTOMER';
      const foreign = { ...probeOf(role).foreign, ids: all ? foreignIds : [b.customers[1].id, ...few] };
      const result = await foreignFaults(probeOf(role, { foreign }));
      expect(result.faults).toEqual([]);
      asked += result.asked;
    }
    expect(await stateOf(portal, b.id)).toEqual(before);
    expect(asked).toBeGreaterThan(1_000);
    // One mail of the own makes sure that there is something to look into.
    const invite = permitted.filter(({ id }) => id === 'users.invite');
    for (const each of invite) await portal.call(requestFor(each, own, a.tokens.MSP_OWNER));
    const mails = await mailsOf(portal);
    const { markers } = probeOf('MSP_OWNER').foreign;
    expect(mails).toContain(`${a.marker} invites you`);
    expect(markers.filter((marker) => mails.includes(marker))).toEqual([]);
  });

  test('another customer’s things are unknown to an MSP_CUSTOMER, who reads nothing of prices and balance', async () => {
    const [, second] = a.customers;
    const probe = probeOf('MSP_CUSTOMER', {
      foreign: {
        ids: await idsOf(portal, a.id, { customerId: second.id }),
        markers: [second.marker, second.id, '10000000', '100000'],
      },
    });
    expect(probe.foreign.ids.length).toBeGreaterThan(5);
    expect((await foreignFaults(probe)).faults).toEqual([]);
  });
});

describe('each of the two layers holds alone', () => {
  const setPolicies = async (on: boolean) => {
    for (const table of [...(await tenantTables(portal)), 'organisations']) {
      await portal.owner.query(`ALTER TABLE ${table} ${on ? 'ENABLE' : 'DISABLE'} ROW LEVEL SECURITY`);
    }
  };

  test('with row-level security switched off, the repositories keep everything foreign out', async () => {
    const before = await stateOf(portal, b.id);
    await setPolicies(false);
    try {
      expect((await foreignFaults(probeOf('MSP_OWNER'))).faults).toEqual([]);
    } finally {
      await setPolicies(true);
    }
    expect(await stateOf(portal, b.id)).toEqual(before);
  });

  test('without the repositories’ own limit, row-level security keeps everything foreign out', async () => {
    const before = await stateOf(portal, b.id);
    const app = await portal.withPlugin(new WithoutScope());
    expect((await foreignFaults(probeOf('MSP_OWNER', { app }))).faults).toEqual([]);
    expect(await stateOf(portal, b.id)).toEqual(before);
  });

  test('row-level security knows every tenants’ table: nothing foreign is seen, changed, removed or added, whatever the query', async () => {
    const { db } = portal.stack.database;
    const faults: string[] = [];
    for (const table of await tenantTables(portal)) {
      const [row] = (
        await portal.owner.query(
          `SELECT to_jsonb(t) AS row FROM ${table} t WHERE organisation_id = $1 LIMIT 1`,
          [b.id],
        )
      ).rows as { row: Record<string, unknown> }[];
      const columns = await writableColumns(portal, table);
      const attempts = {
        seen: `SELECT 1 FROM ${table} WHERE organisation_id <> '${a.id}'`,
        changed: `UPDATE ${table} SET organisation_id = organisation_id WHERE organisation_id = '${b.id}' RETURNING 1`,
        taken: `UPDATE ${table} SET organisation_id = '${a.id}' WHERE organisation_id = '${b.id}' RETURNING 1`,
        removed: `DELETE FROM ${table} WHERE organisation_id = '${b.id}' RETURNING 1`,
        added: `INSERT INTO ${table} (${columns}) SELECT ${columns}
          FROM jsonb_populate_record(NULL::${table}, '${JSON.stringify(row?.row).replaceAll("'", "''")}')`,
      };
      for (const [what, statement] of Object.entries(attempts)) {
        const done = await inTransaction(db, { organisationId: a.id }, (tx) =>
          sql.raw(statement).execute(tx),
        ).then(
          ({ rows }) => (what === 'added' ? 'done' : `${rows.length} rows`),
          (error: unknown) => String(error instanceof Error && 'code' in error ? error.code : error),
        );
        const expected = what === 'added' ? ['42501'] : ['42501', '0 rows'];
        if (!expected.includes(done)) faults.push(`${table} ${what}: ${done}`);
      }
    }
    expect(faults).toEqual([]);
  });

  test('with both switched off the matrix is red: it would notice a leak', async () => {
    const app = await portal.withPlugin(new WithoutScope());
    await setPolicies(false);
    try {
      const reads = permitted.filter(({ method }) => method === 'GET');
      const { faults } = await foreignFaults(probeOf('MSP_OWNER', { app, operations: reads }));
      const leaking = new Set(faults.map((fault) => fault.split(' ')[0]));
      for (const id of ['customers.get', 'domains.list', 'users.list', 'orders.list', 'users.listInvites']) {
        expect([...leaking]).toContain(id);
      }
    } finally {
      await setPolicies(true);
    }
  });
});
