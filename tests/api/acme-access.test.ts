import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccessEntry, AcmeAccess, AcmeAllowance } from '../../src/contracts/operations/acme.ts';
import type { AttentionList } from '../../src/contracts/operations/attention.ts';
import type { Role } from '../../src/contracts/permissions.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { foundIn } from './support/secrets.ts';
import { mint, type Organisation, person, seedOrganisation } from './support/world.ts';

/** Who may make which access, what it shows to whom, and that its key is shown once. */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'ac');
});
afterAll(() => portal[Symbol.asyncDispose]());

interface Reply<T> {
  status: number;
  code?: string;
  message?: string;
  details?: { path: string; message: string }[];
  data: T;
}
async function call<T = AcmeAccess>(
  token: string,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Reply<T>> {
  const answer = await portal.call({
    ...{ method, url: `/api/acme${path}` },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: answer.status, ...(JSON.parse(answer.body) as Omit<Reply<T>, 'status'>) };
}
type Made = AcmeAccess & { hmacKey: string };
const bodyOf = (change: object = {}) => ({
  ...{ name: 'Web server', customerId: a.customers[0].id, hosts: null, productType: 'rapidssl' },
  ...{ mayBuy: { ordersPerMonth: 2, centsPerMonth: 60_00 }, ...change },
});
const as = (role: Role) => a.tokens[role];
async function made(change: object = {}, token = as('MSP_OWNER')): Promise<Made> {
  const reply = await call<Made>(token, 'POST', '/access', bodyOf(change));
  expect([reply.status, reply.message, reply.details]).toEqual([200, undefined, undefined]);
  return reply.data;
}
const allowancePath = () => `/allowance/${a.customers[0].id}`;
/** As a form reads it before it is changed. */
async function shownAllowance(): Promise<object | null> {
  const { data } = await call<AcmeAllowance>(as('MSP_OWNER'), 'GET', allowancePath());
  return data && { mostAccesses: data.mostAccesses, productType: data.productType, mayBuy: data.mayBuy };
}
const allow = async (allowance: object | null, token = as('MSP_OWNER')) =>
  call(token, 'PUT', allowancePath(), { allowance, shown: await shownAllowance() });
const allowance = {
  // One more was made before.
  ...{ mostAccesses: 3, productType: 'positivessl' },
  mayBuy: { ordersPerMonth: 3, centsPerMonth: 50_00 },
};

test('a key is shown once and kept nowhere but under seal; the access is known to machines by its key id', async () => {
  const { id, keyId, hmacKey } = await made();
  expect(keyId).toMatch(/^nwe_\w[\w-]{21}$/);
  expect(hmacKey).toMatch(/^\w[\w-]{42}$/);
  const opened = await portal.features.acmeAccesses.findByKeyId(keyId);
  expect(opened).toMatchObject({ accessId: id, state: 'active', organisationId: a.id });
  expect(opened?.hmacKey().toString('base64url')).toBe(hmacKey);
  const secret = new Map([['the key', hmacKey]]);
  const list = await portal.call({
    ...{ method: 'GET', url: '/api/acme/access' },
    headers: { authorization: `Bearer ${as('MSP_OWNER')}` },
  });
  expect(list.body).toContain(id);
  const { rows } = await portal.owner.query(
    'SELECT t::text AS row FROM acme_accesses t UNION ALL SELECT t::text FROM audit_log t UNION ALL SELECT t::text FROM request_keys t',
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(foundIn([list.body, portal.log(), ...rows.map(({ row }) => row)].join(), secret)).toEqual([]);
});

test('a revoked access ends with the next request of its machine, and once; it stays in the list', async () => {
  const { id } = await made();
  const state = async () => (await portal.features.acmeAccesses.findById(id))?.state;
  expect(await state()).toBe('active');
  expect((await call(as('MSP_EMPLOYEE'), 'DELETE', `/access/${id}`)).status).toBe(200);
  expect(await state()).toBe('revoked');
  expect((await call(as('MSP_OWNER'), 'DELETE', `/access/${id}`)).status).toBe(404);
  expect((await call(as('MSP_OWNER'), 'PATCH', `/access/${id}`, { name: 'Later' })).status).toBe(404);
  const { data } = await call(as('MSP_OWNER'), 'GET', `/access/${id}`);
  expect(data).toMatchObject({ state: 'revoked', mayChange: false, ended: { because: 'It was revoked' } });
  const { data: active } = await call<AcmeAccess[]>(as('MSP_OWNER'), 'GET', '/access?state=active');
  expect(active.map((one) => one.id)).not.toContain(id);
});

test('making one, or opening more, needs a fresh sign-in; to rename, to narrow and to revoke does not', async () => {
  const { id } = await made({ hosts: ['a.example.com'], lastDay: '2090-01-01' });
  const email = `msp_owner@${a.marker}.example`;
  const claims = { auth_time: Math.floor(Date.now() / 1_000) - 3_600 };
  const stale = await mint(portal, { email, exp: Math.floor(Date.now() / 1_000) + 3_600, claims });
  const codeOf = async (method: 'POST' | 'PATCH', path: string, body: object) =>
    (await call(stale, method, path, body)).code ?? 'done';
  expect(await codeOf('POST', '/access', bodyOf())).toBe('fresh_sign_in_required');
  // The profile says it before, so that nobody fills in a form in vain.
  const freshFor = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await portal.call({ method: 'GET', url: '/api/user', headers });
    return (JSON.parse(body) as { data: { freshForSeconds: number } }).data.freshForSeconds;
  };
  expect(await freshFor(stale)).toBe(0);
  expect(await freshFor(as('MSP_OWNER'))).toBeGreaterThan(0);
  const more = [
    { hosts: null },
    { hosts: ['a.example.com', 'b.example.com'] },
    { mayBuy: { ordersPerMonth: 3, centsPerMonth: 60_00 } },
    { lastDay: null },
    { lastDay: '2091-01-01' },
  ];
  for (const body of more) {
    expect([body, await codeOf('PATCH', `/access/${id}`, body)]).toEqual([body, 'fresh_sign_in_required']);
  }
  for (const body of [{ name: 'Renamed' }, { mayBuy: null }, { lastDay: '2080-01-01' }]) {
    expect([body, await codeOf('PATCH', `/access/${id}`, body)]).toEqual([body, 'done']);
  }
  const { data } = await call(as('MSP_OWNER'), 'GET', `/access/${id}`);
  expect(data).toMatchObject({ name: 'Renamed', mayBuy: null, expiresAt: '2080-01-02T00:00:00.000Z' });
  expect((await call(stale, 'DELETE', `/access/${id}`)).status).toBe(200);
});

test('a product that people must check, one that is not sold, an amount left out and a day that is over are refused beside their fields', async () => {
  const fault = async (change: object) => {
    const { status, details } = await call(as('MSP_OWNER'), 'POST', '/access', bodyOf(change));
    return [status, details?.[0]?.path, details?.[0]?.message];
  };
  expect(await fault({ productType: 'comodo_ev' })).toEqual([
    ...[400, 'productType', 'This certificate needs a check of the company by people'],
  ]);
  expect(await fault({ productType: 'nothing' })).toEqual([
    ...[400, 'productType', 'Please choose a certificate'],
  ]);
  expect(await fault({ mayBuy: { ordersPerMonth: 1 } })).toEqual([
    ...[400, 'mayBuy.centsPerMonth', 'Please enter an amount'],
  ]);
  expect(await fault({ lastDay: '2020-01-01' })).toEqual([
    ...[400, 'lastDay', 'Please choose a day that is not over'],
  ]);
  expect((await fault({ hosts: [] }))[0]).toBe(400);
});

test('nobody lets a machine spend more than they may spend themselves; what is there already they may rename', async () => {
  const profile = { organisationId: a.id, role: 'MSP_EMPLOYEE', customerId: null } as const;
  const employee = await person(portal, 'limited@zqac.example', profile);
  const large = await made({ mayBuy: { ordersPerMonth: 9, centsPerMonth: 900_00 } });
  await portal.owner.query('UPDATE users SET daily_limit_cents = 5000 WHERE id = $1', [employee.userId]);
  const message = 'An access may spend no more in a month than your own daily purchase limit.';
  const limits = (centsPerMonth: number) => ({ mayBuy: { ordersPerMonth: 1, centsPerMonth } });
  const make = (cents: number) => call(employee.token, 'POST', '/access', bodyOf(limits(cents)));
  expect(await make(50_01)).toMatchObject({ status: 403, message });
  expect((await make(50_00)).status).toBe(200);
  const change = (body: object) => call(employee.token, 'PATCH', `/access/${large.id}`, body);
  expect((await change({ name: 'Renamed', mayBuy: large.mayBuy })).status).toBe(200);
  expect(await change({ mayBuy: { ordersPerMonth: 9, centsPerMonth: 900_01 } })).toMatchObject({ message });
  // An allowance counts with all the accesses that it allows.
  const within = { ordersPerMonth: 1, centsPerMonth: 16_66 };
  expect(
    await allow({ ...allowance, mayBuy: { ...within, centsPerMonth: 16_67 } }, employee.token),
  ).toMatchObject({ status: 403, message });
  expect((await allow({ ...allowance, mayBuy: within }, employee.token)).status).toBe(200);
  await allow(null);
});

test('what a customer’s users may buy is changed only by somebody who has seen it as it is', async () => {
  const put = (wanted: object | null, shown: object | null) =>
    call<AcmeAllowance>(as('MSP_OWNER'), 'PUT', allowancePath(), { allowance: wanted, shown });
  await allow(null);
  expect((await put(allowance, null)).status).toBe(200);
  // Somebody takes it back while another form shows it as it was.
  const lower = { ...allowance, mayBuy: { ordersPerMonth: 1, centsPerMonth: 10_00 } };
  expect((await put(lower, allowance)).status).toBe(200);
  for (const stale of [
    allowance,
    null,
    { ...lower, mostAccesses: 4 },
    { ...lower, productType: 'rapidssl' },
    { ...lower, mayBuy: null },
    { ...lower, mayBuy: { ...lower.mayBuy, ordersPerMonth: 2 } },
    { ...lower, mayBuy: { ...lower.mayBuy, centsPerMonth: 10_01 } },
  ]) {
    expect(await put({ ...allowance, mostAccesses: 9 }, stale)).toMatchObject({ status: 409, data: lower });
  }
  expect(await shownAllowance()).toEqual(lower);
  // Of several at once one is first; the others have not seen what it has set.
  const wanted = [5, 6, 7, 8, 9].map((mostAccesses) => ({ ...lower, mostAccesses }));
  const replies = await Promise.all(wanted.map((one) => put(one, lower)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect(await shownAllowance()).toEqual(wanted[replies.findIndex(({ status }) => status === 200)]);
  await allow(null);
  expect(await shownAllowance()).toBeNull();
});

test('a customer’s own user makes accesses where the MSP allows it: so many, so much, of that product, and never another customer’s', async () => {
  const token = as('MSP_CUSTOMER');
  const make = (change: object = {}) =>
    call<Made>(token, 'POST', '/access', {
      ...bodyOf({ productType: undefined, mayBuy: { ordersPerMonth: 3 }, ...change }),
    });
  expect(await make()).toMatchObject({
    ...{ status: 403, message: 'Your provider has not allowed this. Please ask them.' },
  });
  expect((await allow(allowance)).status).toBe(200);
  expect((await make({ customerId: a.customers[1].id })).status).toBe(404);
  expect(await make({ mayBuy: { ordersPerMonth: 4 } })).toMatchObject({
    ...{ status: 403, message: 'This is more than your provider allows.' },
  });
  const { data: own } = await make();
  // The MSP's amount holds, and is not shown.
  expect(own).toMatchObject({ productType: 'positivessl', byCustomer: true, mayChange: true });
  expect(own.mayBuy).toEqual({ ordersPerMonth: 3, centsPerMonth: null });
  expect(own.usedThisMonth).toEqual({ orders: 0, cents: null });
  const mayBuy = async () => (await portal.features.acmeAccesses.findById(own.id))?.mayBuy;
  expect(await mayBuy()).toEqual({ ordersPerMonth: 3, centsPerMonth: 50_00 });
  expect((await make({ mayBuy: null })).status).toBe(200);
  expect(await make()).toMatchObject({
    ...{ status: 422, message: 'Your provider allows 3 accesses. Please revoke one first.' },
  });
  const taken = { allowance: null, shown: await shownAllowance() };
  expect((await call(token, 'PUT', allowancePath(), taken)).status).toBe(403);
  // Lowered or taken back, it holds at once; what was made can still be renamed and revoked.
  await allow({ ...allowance, mayBuy: { ordersPerMonth: 1, centsPerMonth: 50_00 } });
  expect(await mayBuy()).toEqual({ ordersPerMonth: 1, centsPerMonth: 50_00 });
  await allow(null);
  expect(await mayBuy()).toBeNull();
  expect((await call(token, 'PATCH', `/access/${own.id}`, { name: 'Renamed' })).status).toBe(200);
  expect((await call(token, 'DELETE', `/access/${own.id}`)).status).toBe(200);
});

test('a customer’s own user sees what the MSP made for them, without money and names of staff, and changes none of it', async () => {
  const token = as('MSP_CUSTOMER');
  const { id } = await made();
  await portal.features.acmeAccesses.log(id, {
    ...{ event: 'order', identifiers: ['a.example.com'], outcome: 'refused', detail: 'Not among its names.' },
    advice: 'Add the name to the access.',
  });
  const staffs = await call(as('MSP_OWNER'), 'GET', `/access/${id}`);
  expect(staffs.data.problem).toMatchObject({ text: 'Add the name to the access.' });
  const { data } = await call(token, 'GET', `/access/${id}`);
  expect(data).toMatchObject({ madeBy: '', mayChange: false, problem: { text: 'Not among its names.' } });
  expect(data.mayBuy).toEqual({ ordersPerMonth: 2, centsPerMonth: null });
  const log = await call<AccessEntry[]>(token, 'GET', `/access/${id}/log`);
  expect(log.data).toMatchObject([{ event: 'order', outcome: 'refused', times: 1 }]);
  const message = 'Your provider made this access. Please ask them to change it.';
  expect(await call(token, 'PATCH', `/access/${id}`, { name: 'Mine' })).toMatchObject({
    status: 403,
    message,
  });
  expect(await call(token, 'DELETE', `/access/${id}`)).toMatchObject({ status: 403, message });
  const other = await made({ customerId: a.customers[1].id });
  for (const path of [`/access/${other.id}`, `/access/${other.id}/log`, `/allowance/${a.customers[1].id}`]) {
    expect([path, (await call(token, 'GET', path)).status]).toEqual([path, 404]);
  }
  const { data: list } = await call<AcmeAccess[]>(token, 'GET', '/access');
  expect(new Set(list.map(({ customerId }) => customerId))).toEqual(new Set([a.customers[0].id]));
});

test('what needs attention names an access whose machine did not succeed, to people who reach its customer', async () => {
  const detail = 'The certificate was not ordered. Ask the provider who gave you the access.';
  const [mine, beside] = [await made(), await made({ customerId: a.customers[1].id })];
  for (const { id } of [mine, beside]) {
    const entry = { event: 'finalize', identifiers: [], outcome: 'failed', detail } as const;
    await portal.features.acmeAccesses.log(id, entry);
  }
  const listed = async (role: Role) => {
    const headers = { authorization: `Bearer ${as(role)}` };
    const { body } = await portal.call({ method: 'GET', url: '/api/attention?cause=acme', headers });
    const { items } = (JSON.parse(body) as { data: AttentionList }).data;
    return new Map(items.map((one) => [one.action.to.split('/').at(-1), one]));
  };
  for (const role of ['MSP_OWNER', 'MSP_EMPLOYEE', 'MSP_CUSTOMER'] as const) {
    const found = await listed(role);
    expect(found.get(mine.id)).toMatchObject({
      title: 'A server could not register by the ACME access “Web server”',
      detail: expect.stringContaining(detail),
    });
    expect(found.has(beside.id)).toBe(role !== 'MSP_CUSTOMER');
  }
  await call(as('MSP_OWNER'), 'DELETE', `/access/${mine.id}`);
  expect((await listed('MSP_OWNER')).has(mine.id)).toBe(false);
});
