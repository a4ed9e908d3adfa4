import { afterAll, beforeAll, expect, test } from 'vitest';
import { operate } from './support/operate.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

/** A domain that is bought and then lost to the database comes back on a list by the operator's command, and by nobody else's. */

let portal: Portal;
let a: Organisation;
let name: string;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'gd');
  const { rows } = await portal.owner.query('SELECT name FROM organisations WHERE id = $1', [a.id]);
  name = String(rows[0].name);
});
afterAll(() => portal[Symbol.asyncDispose]());

async function call<T>(method: 'GET' | 'POST', path: string, body?: unknown) {
  const answer = await portal.call({
    ...{ method, url: `/api${path}` },
    headers: { authorization: `Bearer ${a.tokens.MSP_OWNER}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: answer.status, data: JSON.parse(answer.body).data as T };
}
const listed = async (domain: string) =>
  (
    await portal.owner.query(
      "SELECT customer_id, status, auto_renew, expires_at > now() AS lives FROM domains WHERE address = $1 AND status <> 'ended'",
      [domain],
    )
  ).rows;
const balance = async () =>
  (
    await portal.owner.query('SELECT posted_cents, held_cents FROM wallets WHERE organisation_id = $1', [
      a.id,
    ])
  ).rows;

async function bought(domain: string) {
  const [price] = (await call<{ price: number }[]>('POST', '/cart/prices', [{ address: domain, period: 1 }]))
    .data;
  const line = { address: domain, customerId: a.customers[0].id, period: 1 };
  const { status } = await call('POST', '/cart/purchase', { domains: [line], price: price?.price });
  expect(status).toBe(200);
  await expect.poll(() => listed(domain), { timeout: 20_000 }).toHaveLength(1);
}

test('a domain whose order was lost with the database is given to a customer by one command, and the money stays as it is', async () => {
  const domain = 'lost-three-gd.com';
  await bought(domain);
  await portal.owner.query('DELETE FROM domains WHERE address = $1', [domain]);
  const before = await balance();
  const { rows } = await portal.owner.query('SELECT organization FROM customers WHERE id = $1', [
    a.customers[1].id,
  ]);
  const customer = String(rows[0].organization);
  const give = ['give-domain', domain, a.id, name, a.customers[1].id, 'Lost in the restore', '--yes'];
  const asked = await operate(portal.app, ...give.slice(0, -1));
  expect(asked).toMatchObject({
    code: 2,
    text: expect.stringMatching(
      new RegExp(
        `${domain} goes to ${customer}, a customer of ${name}\\.[^]*\nReason: Lost in the restore\n`,
      ),
    ),
  });
  expect(await listed(domain)).toEqual([]);
  const said = expect.stringMatching(new RegExp(`^${domain} is now listed for .+ of ${name}\\.$`, 'm'));
  const first = await operate(portal.app, ...give);
  expect(first).toEqual({ code: 0, text: said });
  expect(await listed(domain)).toEqual([
    { customer_id: a.customers[1].id, status: 'active', auto_renew: false, lives: true },
  ]);
  expect(await operate(portal.app, ...give)).toEqual(first);
  expect(await balance()).toEqual(before);
  expect((await operate(portal.app, 'acts')).text).toContain('operator.giveDomain  done');
  const log = await call<{ items: { action: string }[] }>('GET', `/audit?domain=${domain}`);
  expect(JSON.stringify(log.data)).toContain('Lost in the restore');
});

test('a domain that the registrar does not have for us is given to nobody', async () => {
  const domain = 'elsewhere-gd.com';
  await portal.stack.control('registrar', 'outside-world', { domain, locked: false, ageDays: 400 });
  const give = ['give-domain', domain, a.id, name, a.customers[0].id, 'Lost in the restore', '--yes'];
  expect(await operate(portal.app, ...give)).toMatchObject({
    code: 1,
    text: expect.stringContaining(`The registrar does not have ${domain} in the portal’s account.`),
  });
  expect(await listed(domain)).toEqual([]);
});
