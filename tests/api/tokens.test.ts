import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { grantable } from '../../src/contracts/operations/tokens.ts';
import { operations } from '../../src/contracts/operations.ts';
import { type Permission, permissions } from '../../src/contracts/permissions.ts';
import { contact } from '../support/account.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { foreignFaults, permitted } from './support/probe.ts';
import { requestFor } from './support/samples.ts';
import { foundIn } from './support/secrets.ts';
import { idsOf, type Organisation, person, seedOrganisation, stateOf } from './support/world.ts';

let portal: Portal;
let a: Organisation;
let admin: { token: string; userId: string };
let count = 0;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'tt');
});
beforeEach(async () => {
  count += 1;
  const profile = { organisationId: a.id, role: 'MSP_ADMIN', customerId: null } as const;
  admin = await person(portal, `admin${count}@zqtt.example`, profile);
});
afterAll(() => portal[Symbol.asyncDispose]());

const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
async function call(
  token: string,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) {
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const { status, body: text } = await portal.call({
    method,
    url: `/api${path}`,
    headers: headers(token),
    ...payload,
  });
  return { status, ...(JSON.parse(text) as { data?: never; code?: string }) };
}
async function make(body: Record<string, unknown>): Promise<{ id: string; token: string }> {
  const made = await call(admin.token, 'POST', '/user/tokens', { name: 'Script', ...body });
  expect(made.status).toBe(200);
  return made.data as never;
}

test('a token opens what it was given and nothing else; its secret is shown once and kept nowhere', async () => {
  const { id, token } = await make({ permissions: ['domains.read'] });
  expect(token).toMatch(/^nwk_[\w-]{43}$/);
  const faults: string[] = [];
  for (const operation of operations.filter(({ access }) => access in permissions || access === 'identity')) {
    const own = { id: a.customers[0].id, domain: a.customers[0].domain, text: 'x.png' };
    const { status, body } = await portal.call(requestFor(operation, own, token));
    const refused = status === 403 && JSON.parse(body).code === 'forbidden';
    if (refused === (operation.access === 'domains.read')) faults.push(`${operation.id}: ${status}`);
  }
  expect(faults).toEqual([]);
  const list = await portal.call({ method: 'GET', url: '/api/user/tokens', headers: headers(admin.token) });
  expect(list.body).toContain(id);
  expect(list.body).not.toContain(token);
  const { rows } = await portal.owner.query(
    'SELECT t::text AS row FROM api_tokens t UNION ALL SELECT t::text FROM audit_log t',
  );
  // As text, in hexadecimal, in base64: a column of bytes shows as the second.
  const secret = new Map([['the token', token.slice(4)]]);
  expect(rows.length).toBeGreaterThan(1);
  expect(foundIn(rows.map(({ row }) => row).join(), secret)).toEqual([]);
  expect(foundIn(portal.log(), secret)).toEqual([]);
});

test('a token with all that scripts may have opens nothing that asks for a person or a fresh sign-in, and nothing is done', async () => {
  const { token } = await make({ permissions: grantable });
  const isForPeople = ({ access, freshSignIn }: (typeof operations)[number]) =>
    access === 'identity' ||
    freshSignIn === true ||
    (access in permissions && !grantable.includes(access as Permission));
  const forPeople = operations.filter(isForPeople);
  // Two of the many, one by its right and one by the sign-in that it asks for.
  expect(forPeople.map(({ id }) => id)).toEqual(expect.arrayContaining(['tokens.create', 'acme.make']));
  const before = await stateOf(portal, a.id);
  const own = { id: a.customers[0].id, domain: a.customers[0].domain, text: 'x.png' };
  const opened: string[] = [];
  for (const operation of forPeople) {
    const { status, body } = await portal.call(requestFor(operation, own, token));
    const answer = `${status} ${JSON.parse(body).code}`;
    if (answer !== '403 forbidden') opened.push(`${operation.id}: ${answer}`);
  }
  expect(opened).toEqual([]);
  // The last use of the token is written down.
  const { api_tokens: _, ...after } = await stateOf(portal, a.id);
  expect(before).toMatchObject(after);
});

test('a token of one customer reaches that customer alone', async () => {
  const [first, second] = a.customers;
  const { token } = await make({
    permissions: ['domains.read', 'customers.read', 'orders.purchase'],
    customerId: first.id,
  });
  const own = { id: first.id, domain: first.domain, text: 'x' };
  const probe = {
    app: portal.app,
    actor: 'token',
    role: 'MSP_CUSTOMER',
    token,
    own,
    log: portal.log,
    logged: portal.logged,
  } as const;
  const foreign = {
    ids: await idsOf(portal, a.id, { customerId: second.id }),
    markers: [second.marker, second.id],
  };
  const reading = permitted.filter(({ access }) => access === 'domains.read' || access === 'customers.read');
  expect((await foreignFaults({ ...probe, foreign, operations: reading })).faults).toEqual([]);
  expect((await call(token, 'GET', `/customer/${first.id}`)).status).toBe(200);
  // Given, but nothing that a customer's own user may do.
  expect((await call(token, 'POST', '/cart/purchase', { price: 1 })).code).toBe('forbidden');
});

test('revoked, out of time, its person removed or demoted: with the next request it opens that much less', async () => {
  const [revoked, late, left] = [
    await make({ permissions: ['customers.billing', 'domains.read'] }),
    await make({ permissions: ['domains.read'], validDays: 1 }),
    await make({ permissions: ['customers.delete', 'domains.read'] }),
  ];
  const status = async ({ token }: { token: string }) => (await call(token, 'GET', '/domain')).status;
  expect(await Promise.all([revoked, late, left].map(status))).toEqual([200, 200, 200]);
  expect((await call(admin.token, 'DELETE', `/user/tokens/${revoked.id}`)).status).toBe(200);
  expect(await status(revoked)).toBe(401);
  expect((await call(admin.token, 'DELETE', `/user/tokens/${revoked.id}`)).status).toBe(404);
  await portal.owner.query(`UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    late.id,
  ]);
  expect(await status(late)).toBe(401);
  expect(await listed(late.id)).toMatchObject({ opens: [], ended: { because: 'It expired' } });
  await portal.owner.query(`UPDATE users SET role = 'MSP_EMPLOYEE' WHERE id = $1`, [admin.userId]);
  expect(await status(left)).toBe(200);
  expect((await call(left.token, 'DELETE', `/customer/${a.customers[0].id}`)).code).toBe('forbidden');
  await portal.owner.query('UPDATE users SET removed_at = now() WHERE id = $1', [admin.userId]);
  expect(await status(left)).toBe(401);
});

test('the last use is shown; making one needs a fresh sign-in, a name, and rights that are for scripts', async () => {
  const { id, token } = await make({ permissions: ['domains.read'] });
  const find = async () =>
    (
      (await call(admin.token, 'GET', '/user/tokens')).data as never as {
        id: string;
        lastUsedAt: string | null;
      }[]
    ).find((row) => row.id === id);
  expect((await find())?.lastUsedAt).toBeNull();
  await call(token, 'GET', '/domain');
  expect((await find())?.lastUsedAt).toMatch(/^\d{4}-/);
  for (const body of [
    { name: '', permissions: ['domains.read'] },
    { name: 'x', permissions: [] },
    { name: 'x', permissions: ['users.manage'] },
  ]) {
    expect((await call(admin.token, 'POST', '/user/tokens', body)).code).toBe('validation_failed');
  }
  const foreign = {
    name: 'x',
    permissions: ['domains.read'],
    customerId: '01980000-0000-7000-8000-000000000001',
  };
  expect((await call(admin.token, 'POST', '/user/tokens', foreign)).code).toBe('not_found');
  expect(grantable).not.toContain('tokens.manage');
});

interface Listed {
  id: string;
  permissions: string[];
  opens: string[];
  ended: { at: string; because: string } | null;
}
/** As somebody else sees it, who still manages tokens. */
async function listed(id: string): Promise<Listed | undefined> {
  const { data } = await call(a.tokens.MSP_OWNER, 'GET', '/user/tokens');
  return (data as never as Listed[]).find((row) => row.id === id);
}
const theirCustomers = async (token: string) => {
  const { status, data } = await call(token, 'GET', '/customer');
  return { status, ids: ((data ?? []) as { customerId: string }[]).map(({ customerId }) => customerId) };
};
const changeAdmin = async (body: Record<string, unknown>) =>
  expect((await call(a.tokens.MSP_OWNER, 'PATCH', `/user/subuser/${admin.userId}`, body)).status).toBe(200);

test('a token ends when its person becomes a customer’s user: it does not keep the organization', async () => {
  const [first, second] = a.customers;
  const everywhere = await make({ permissions: ['customers.read', 'customers.edit'] });
  const elsewhere = await make({ permissions: ['customers.read'], customerId: second.id });
  const of = await theirCustomers(everywhere.token);
  expect(of.ids).toEqual(expect.arrayContaining([first.id, second.id]));
  await changeAdmin({ type: 'MSP_CUSTOMER', authorizedClientId: first.id });
  for (const { id, token } of [everywhere, elsewhere]) {
    expect(await theirCustomers(token)).toEqual({ status: 401, ids: [] });
    const { rows } = await portal.owner.query(
      "SELECT actor_id, customer_id FROM audit_log WHERE action = 'tokens.end' AND object = $1",
      [id],
    );
    expect(rows).toEqual([
      { actor_id: a.userIds.MSP_OWNER, customer_id: id === elsewhere.id ? second.id : null },
    ]);
    const email = `admin${count}@zqtt.example`;
    expect((await listed(id))?.ended?.because).toBe(`${email} became a customer’s user`);
  }
  // Back among the staff, the person makes a new one: the old ones stay ended.
  await changeAdmin({ type: 'MSP_EMPLOYEE' });
  expect((await theirCustomers(everywhere.token)).status).toBe(401);
});

test('had nobody ended it, a token would still reach no further than its person', async () => {
  const [first, second] = a.customers;
  const { token } = await make({ permissions: ['customers.read', 'customers.edit'] });
  const elsewhere = await make({ permissions: ['customers.read'], customerId: second.id });
  const place = (role: string, customer: string | null) =>
    portal.owner.query('UPDATE users SET role = $2, customer_id = $3 WHERE id = $1', [
      ...[admin.userId, role, customer],
    ]);
  await place('MSP_CUSTOMER', first.id);
  expect(await theirCustomers(token)).toEqual({ status: 200, ids: [first.id] });
  expect((await call(token, 'GET', `/customer/${second.id}`)).status).toBe(404);
  expect((await theirCustomers(elsewhere.token)).status).toBe(401);
  await place('MSP_CUSTOMER', second.id);
  expect(await theirCustomers(token)).toEqual({ status: 200, ids: [second.id] });
  // The database keeps no customer's user without a customer, and no token whose reach is not said.
  await expect(place('MSP_CUSTOMER', null)).rejects.toMatchObject({ code: '23514' });
  const unsaid = 'UPDATE api_tokens SET reach = $2, customer_id = $3 WHERE user_id = $1';
  for (const [reach, customer] of [
    ['customer', null],
    ['organisation', second.id],
  ]) {
    await expect(portal.owner.query(unsaid, [admin.userId, reach, customer])).rejects.toMatchObject({
      code: '23514',
    });
  }
});

test('tokens of a removed person and of a deleted customer end, and the list says why', async () => {
  const [first] = a.customers;
  const made = await call(a.tokens.MSP_OWNER, 'POST', '/customer', {
    contacts: { owner: contact, admin: contact, billing: contact },
  });
  const { customerId } = made.data as never as { customerId: string };
  const ofCustomer = await make({ permissions: ['customers.read'], customerId });
  const ofOther = await make({ permissions: ['customers.read'], customerId: first.id });
  expect((await theirCustomers(ofCustomer.token)).ids).toEqual([customerId]);
  expect((await call(a.tokens.MSP_OWNER, 'DELETE', `/customer/${customerId}`)).status).toBe(200);
  expect((await theirCustomers(ofCustomer.token)).status).toBe(401);
  expect((await listed(ofCustomer.id))?.ended?.because).toBe('The customer was deleted');
  expect((await theirCustomers(ofOther.token)).ids).toEqual([first.id]);
  expect((await call(a.tokens.MSP_OWNER, 'DELETE', `/user/subuser/${admin.userId}`)).status).toBe(200);
  expect((await theirCustomers(ofOther.token)).status).toBe(401);
  expect((await listed(ofOther.id))?.ended?.because).toBe(`admin${count}@zqtt.example was removed`);
});

test('a demotion narrows a token, and the list says what it still opens', async () => {
  const { id, token } = await make({ permissions: ['customers.read', 'customers.delete', 'audit.export'] });
  expect((await listed(id))?.opens).toEqual(['customers.read', 'customers.delete', 'audit.export']);
  await changeAdmin({ type: 'MSP_EMPLOYEE' });
  expect(await listed(id)).toMatchObject({ opens: ['customers.read'], ended: null });
  expect((await theirCustomers(token)).status).toBe(200);
  expect((await call(token, 'GET', '/audit/csv')).code).toBe('forbidden');
  // It never had more than it was given, whatever its person may.
  const few = { permissions: ['customers.read'] };
  await changeAdmin({ type: 'MSP_ADMIN' });
  const narrow = await make(few);
  expect((await call(narrow.token, 'GET', '/domain')).code).toBe('forbidden');
});
