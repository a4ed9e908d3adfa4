import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { grantable } from '../../src/contracts/operations/tokens.ts';
import { operations } from '../../src/contracts/operations.ts';
import { permissions } from '../../src/contracts/permissions.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { foreignFaults, permitted } from './support/probe.ts';
import { requestFor } from './support/samples.ts';
import { foundIn } from './support/secrets.ts';
import { idsOf, type Organisation, person, seedOrganisation } from './support/world.ts';

let portal: Portal;
let a: Organisation;
let admin: { token: string; userId: string };
let count = 0;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'tt');
}, 120_000);
beforeEach(async () => {
  count += 1;
  const profile = { organisationId: a.id, role: 'MSP_ADMIN', customerId: null } as const;
  admin = await person(portal, `admin${count}@zqtt.example`, profile);
});
afterAll(() => portal[Symbol.asyncDispose]());

const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
async function call(token: string, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) {
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
  } as const;
  const foreign = { ids: await idsOf(portal, a.id, second.id), markers: [second.marker, second.id] };
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
