import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type {
  DomainHealth,
  HealthBoard,
  WatchedName,
  Watching,
} from '../../src/contracts/operations/health.ts';
import type { Role } from '../../src/contracts/permissions.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { plantedElsewhere, recordsOf, registrationsOf, worldHosts } from '../support/faulty-fleet.ts';
import { pdfText } from '../support/pdf-text.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { insert, type Organisation, seedOrganisation } from './support/world.ts';

/** Names that are held elsewhere: entered, looked at as domains are, shown to those who may see them, and let go. */

let portal: Portal;
let a: Organisation;
let b: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  [a, b] = [await seedOrganisation(portal, 'wata'), await seedOrganisation(portal, 'watb')];
});
afterAll(() => portal[Symbol.asyncDispose]());
beforeEach(async () => {
  await portal.owner.query('DELETE FROM watched_names');
  await portal.owner.query("UPDATE health_checks SET next_at = now() + interval '1 year'");
  await portal.stack.control('dns', 'mode', { mode: 'normal' });
});

async function call<T>(
  role: Role,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  of = a,
) {
  const answer = await portal.call({
    ...{ method, url: `/api${path}` },
    headers: {
      authorization: `Bearer ${of.tokens[role]}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
  const json = JSON.parse(answer.body) as { data: T; message?: string; details?: { message: string }[] };
  return { status: answer.status, ...json };
}

const watch = (text: string, customerId: string | null = null, role: Role = 'MSP_EMPLOYEE', of = a) =>
  call<Watching>(role, 'POST', '/health/watched', { text, customerId }, of);
const listed = async (role: Role = 'MSP_OWNER', query = '', of = a) =>
  (await call<WatchedName[]>(role, 'GET', `/health/watched${query}`, undefined, of)).data.map(
    ({ domain }) => domain,
  );

/** The world has these, and all that is due is looked at. */
async function look(...domains: ReturnType<typeof plantedElsewhere>[]): Promise<void> {
  await portal.stack.control('dns', 'outside', recordsOf(domains));
  await portal.stack.control('internet', 'hosts', worldHosts);
  await portal.stack.control('rdap', 'registrations', registrationsOf(domains));
  await portal.owner.query('UPDATE health_checks SET next_at = now() WHERE watched_id IS NOT NULL');
  await portal.features.health.tasks['health.sweep']();
}
const health = async (domain: string, role: Role = 'MSP_OWNER') =>
  (await call<DomainHealth>(role, 'GET', `/domain/health/${domain}`)).data;
const found = async (domain: string) =>
  (await health(domain)).findings.filter(({ clearedAt }) => clearedAt === null).map(({ kind }) => kind);

test('names are watched as they were pasted; what was left out has its reason', async () => {
  const [own] = a.customers;
  const { data } = await watch(
    `Acme.Example\nhttps://www.acme.example/\nbücher.example, ${own.domain}; nothing x_y.com db.local`,
  );
  expect(data).toEqual({
    added: 2,
    left: [
      { name: own.domain, reason: 'It is held here already' },
      { name: 'nothing', reason: 'Please enter the name with its extension, such as example.com' },
      { name: 'x_y.com', reason: 'This is not a valid domain name' },
      { name: 'db.local', reason: 'Names of inner networks are not watched' },
    ],
  });
  expect(await listed()).toEqual(['acme.example', 'xn--bcher-kva.example']);
  expect((await watch('ACME.example.')).data).toEqual({
    ...{ added: 0, left: [{ name: 'acme.example', reason: 'It is watched already' }] },
  });
  expect(await listed('MSP_OWNER', '?search=BÜCHER.example')).toEqual(['xn--bcher-kva.example']);
  expect(await listed('MSP_OWNER', '?page=2&pageSize=1')).toEqual(['xn--bcher-kva.example']);
});

test('a list that is empty, too long, or of a customer that is not there is refused, and nothing is kept', async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => `n${n}.example`).join('\n');
  expect((await watch(many)).details?.[0]?.message).toBe(
    'At most 1000 names are added at once; these are 1001',
  );
  expect((await watch(' , ')).details?.[0]?.message).toBe('Please enter at least one name');
  expect((await watch('x'.repeat(60_001))).status).toBe(400);
  for (const id of [newId(), b.customers[0].id]) {
    expect(await watch('acme.example', id)).toMatchObject({
      status: 404,
      message: 'Please choose a customer',
    });
  }
  expect(await listed()).toEqual([]);
});

test('of the same list that is sent twice at once each name is watched and looked at once', async () => {
  const many = Array.from({ length: 50 }, (_, n) => `n${n}.example`).join('\n');
  const both = await Promise.all([watch(many), watch(many)]);
  expect(both.map(({ data }) => data.added).sort()).toEqual([0, 50]);
  const { rows } = await portal.owner.query('SELECT FROM health_checks WHERE watched_id IS NOT NULL');
  expect(rows).toHaveLength(50);
});

test('what others see of a watched name is found, with where it is held and until when, and no fix', async () => {
  await watch('shop.example free.example', a.customers[0].id);
  await look(plantedElsewhere('shop.example', 'expiring'));
  const shop = await health('shop.example');
  expect(shop).toMatchObject({
    watched: { registrar: 'Other Registrar, Inc.', customer: a.customers[0].marker },
    findings: [{ kind: 'expiring', title: 'The domain expires soon', fix: null }],
  });
  expect(Date.parse(shop.watched?.expiresAt ?? '')).toBeGreaterThan(Date.now());
  expect((await health('free.example')).findings).toMatchObject([
    ...[{ kind: 'unregistered', title: 'Nobody holds this name', fix: null }],
  ]);
  const { data } = await call<WatchedName[]>('MSP_OWNER', 'GET', '/health/watched');
  expect(data.map(({ domain, registrar, problems }) => [domain, registrar, problems])).toEqual([
    ['free.example', null, 1],
    ['shop.example', 'Other Registrar, Inc.', 1],
  ]);
  const board = (await call<HealthBoard>('MSP_OWNER', 'GET', '/health?kind=expiring')).data.rows;
  expect(board).toMatchObject([{ domain: 'shop.example', watched: { registrar: 'Other Registrar, Inc.' } }]);
  const items = async () =>
    (
      await call<{ items: { name: string }[] }>('MSP_OWNER', 'GET', '/attention?cause=health&limit=200')
    ).data.items.filter(({ name }) => name === 'free.example').length;
  expect(await items()).toBe(1);
  await call('MSP_OWNER', 'POST', '/health/watched/remove', { domains: ['free.example'] });
  expect(await items()).toBe(0);
  const report = await portal.app.inject({
    ...{ method: 'GET', url: `/api/customer/${a.customers[0].id}/health-report` },
    headers: { authorization: `Bearer ${a.tokens.MSP_CUSTOMER}` },
  });
  expect(pdfText(report.rawPayload).replace(/\s+/g, ' ')).toContain('held at Other Registrar, Inc.');
});

test('a zone that is not ours has no fix, also where ours has one', async () => {
  await watch('shop.example');
  await look(plantedElsewhere('shop.example', 'dmarc-missing'));
  expect((await health('shop.example')).findings).toMatchObject([{ kind: 'dmarc-missing', fix: null }]);
});

test.each(['busy', 'garbage'])(
  'while the registry does not answer (%s) nothing that it says is raised, cleared or forgotten',
  async (mode) => {
    await watch('shop.example free.example fresh.example');
    await look(plantedElsewhere('shop.example', 'expiring'), plantedElsewhere('fresh.example', null));
    await portal.stack.control('rdap', 'mode', { mode });
    await look(plantedElsewhere('shop.example', 'expiring'), plantedElsewhere('fresh.example', 'unlocked'));
    await portal.stack.control('rdap', 'mode', { mode: 'normal' });
    expect(await found('shop.example')).toEqual(['expiring']);
    // That it has no nameservers is what DNS says; many suffixes have no registry that could say more.
    expect(await found('free.example')).toEqual(['ns-none', 'unregistered']);
    expect(await found('fresh.example')).toEqual([]);
    expect((await health('shop.example')).watched?.registrar).toBe('Other Registrar, Inc.');
  },
);

test('a customer’s own user sees the own customer’s names alone, and changes none', async () => {
  const [own, other] = a.customers;
  await watch('own.example', own.id);
  await watch('other.example', other.id);
  await watch('nobodys.example');
  await look(plantedElsewhere('own.example', 'unlocked'), plantedElsewhere('other.example', 'unlocked'));
  expect(await listed('MSP_CUSTOMER')).toEqual(['own.example']);
  expect(await listed('MSP_CUSTOMER', `?customerId=${other.id}`)).toEqual([]);
  expect(await found('own.example')).toEqual(['unlocked']);
  for (const domain of ['other.example', 'nobodys.example']) {
    expect((await call('MSP_CUSTOMER', 'GET', `/domain/health/${domain}`)).status).toBe(404);
    expect((await call('MSP_CUSTOMER', 'POST', `/domain/health/${domain}`)).status).toBe(404);
  }
  const board = (await call<HealthBoard>('MSP_CUSTOMER', 'GET', '/health?kind=unlocked')).data.rows;
  expect(board.filter(({ watched }) => watched).map(({ domain }) => domain)).toEqual(['own.example']);
  const domains = ['own.example'];
  for (const refused of [
    watch('more.example', own.id, 'MSP_CUSTOMER'),
    call('MSP_CUSTOMER', 'PATCH', '/health/watched', { domains, customerId: own.id }),
    call('MSP_CUSTOMER', 'POST', '/health/watched/remove', { domains }),
  ]) {
    expect((await refused).status).toBe(403);
  }
});

test('another organization neither sees nor changes a watched name, and may watch the same', async () => {
  await watch('shop.example', a.customers[0].id);
  const domains = ['shop.example'];
  expect(await listed('MSP_OWNER', '', b)).toEqual([]);
  for (const [method, path, body] of [
    ['GET', '/domain/health/shop.example', undefined],
    ['POST', '/domain/health/shop.example', undefined],
    ['PATCH', '/health/watched', { domains, customerId: null }],
    ['POST', '/health/watched/remove', { domains }],
  ] as const) {
    expect((await call('MSP_OWNER', method, path, body, b)).status).toBe(404);
  }
  expect((await watch('shop.example', null, 'MSP_OWNER', b)).data.added).toBe(1);
  await call('MSP_OWNER', 'POST', '/health/watched/remove', { domains }, b);
  expect(await listed()).toEqual(domains);
  expect(
    (await call('MSP_OWNER', 'PATCH', '/health/watched', { domains, customerId: b.customers[0].id })).status,
  ).toBe(404);
});

test('names are assigned to a customer and to none, and each change is in the log of whom it was about', async () => {
  const [own, other] = a.customers;
  await watch('one.example two.example', own.id);
  const domains = ['one.example', 'two.example', 'gone.example'];
  expect(
    (await call('MSP_EMPLOYEE', 'PATCH', '/health/watched', { domains, customerId: other.id })).data,
  ).toEqual({
    changed: 2,
  });
  expect(await listed('MSP_CUSTOMER')).toEqual([]);
  expect(
    (await call('MSP_EMPLOYEE', 'PATCH', '/health/watched', { domains, customerId: other.id })).data,
  ).toEqual({
    changed: 0,
  });
  await call('MSP_EMPLOYEE', 'POST', '/health/watched/remove', { domains: ['ONE.example'] });
  const { rows } = await portal.owner.query<{ action: string; object: string; customer_id: string }>(
    `SELECT action, object, customer_id FROM audit_log WHERE organisation_id = $1 AND action LIKE 'health.%atch%'
      AND object = 'one.example' ORDER BY sequence`,
    [a.id],
  );
  expect(rows).toEqual([
    { action: 'health.watch', object: 'one.example', customer_id: own.id },
    { action: 'health.assignWatched', object: 'one.example', customer_id: other.id },
    { action: 'health.unwatch', object: 'one.example', customer_id: other.id },
  ]);
});

test('certificates of another customer are nothing that a name’s own customer learns of', async () => {
  const [own, other] = a.customers;
  await watch('shop.example', own.id);
  const site = plantedElsewhere('shop.example', 'caa-forbids');
  const certificate = {
    organisation_id: a.id,
    address: 'secret.shop.example',
    host_names: [],
    provider: 'x',
  };
  await insert(portal, 'certificates', {
    ...{
      ...certificate,
      id: newId(),
      customer_id: other.id,
      state: 'completed',
      csr: '',
      ordered_at: new Date(),
    },
    ...{ product_type: 'rapidssl', auto_reissue: true, sync_failures: 0, registrar_order_id: '99887766' },
  });
  await look(site);
  expect(await found('shop.example')).toEqual([]);
  await call('MSP_OWNER', 'PATCH', '/health/watched', { domains: ['shop.example'], customerId: other.id });
  await look(site);
  expect(await found('shop.example')).toEqual(['caa-forbids']);
});

test('a name that comes here, and one whose customer is deleted, is watched no more', async () => {
  const [own] = a.customers;
  await watch('coming.example expired.example later.example', own.id);
  await look(plantedElsewhere('coming.example', 'unlocked'));
  const domain = (address: string, status: string) =>
    insert(portal, 'domains', { id: newId(), organisation_id: a.id, customer_id: own.id, address, status });
  await domain('later.example', 'transferring');
  expect(await listed()).toEqual(['coming.example', 'expired.example', 'later.example']);
  expect((await health('later.example')).watched).not.toBeNull();
  await domain('coming.example', 'active');
  await domain('expired.example', 'expired');
  expect(await listed()).toEqual(['later.example']);
  expect((await health('coming.example')).findings).toEqual([]);
  await portal.owner.query("UPDATE domains SET status = 'active' WHERE address = 'later.example'");
  expect(await listed()).toEqual([]);
  await portal.owner.query("UPDATE domains SET status = 'ended' WHERE address LIKE '%.example'");
  await watch('of-customer.example', own.id);
  await watch('of-nobody.example');
  await portal.owner.query('UPDATE customers SET deleted_at = now() WHERE id = $1', [own.id]);
  expect(await listed()).toEqual(['of-nobody.example']);
  await portal.owner.query('UPDATE customers SET deleted_at = NULL WHERE id = $1', [own.id]);
});

test('a name that was entered in the moment in which it came here is a domain only, with the next round', async () => {
  const [own] = a.customers;
  const row = { id: newId(), organisation_id: a.id, customer_id: own.id, created_at: new Date() };
  await insert(portal, 'watched_names', { ...row, address: own.domain });
  await insert(portal, 'watched_names', { ...row, id: newId(), address: 'stays.example' });
  await portal.features.health.tasks['health.sweep']();
  expect(await listed()).toEqual(['stays.example']);
});

test('a domain of another organization that is of the same name ends nothing', async () => {
  await watch('shop.example');
  await insert(portal, 'domains', {
    id: newId(),
    organisation_id: b.id,
    address: 'shop.example',
    status: 'active',
  });
  expect(await listed()).toEqual(['shop.example']);
  await portal.owner.query("UPDATE domains SET status = 'ended' WHERE address = 'shop.example'");
});

test('what a person asks for comes before everything that is due', async () => {
  const many = Array.from({ length: 200 }, (_, n) => `n${n}.example`).join('\n');
  await watch(`${many} asked.example`);
  await portal.owner.query(
    "UPDATE health_checks SET next_at = now() - interval '1 hour' WHERE watched_id IS NOT NULL",
  );
  await call('MSP_OWNER', 'POST', '/domain/health/asked.example');
  const { rows } = await portal.owner.query<{ address: string }>(`SELECT w.address FROM health_checks h
    JOIN watched_names w ON w.id = h.watched_id ORDER BY h.next_at LIMIT 1`);
  expect(rows).toEqual([{ address: 'asked.example' }]);
});

test('a name that is removed while it is looked at leaves nothing behind, and no error', async () => {
  await watch('shop.example');
  const from = portal.logged();
  await portal.stack.control('dns', 'latency', { ms: 300 });
  const looking = look(plantedElsewhere('shop.example', 'unlocked'));
  await expect
    .poll(async () => {
      const { rows } = await portal.owner.query(
        'SELECT FROM health_checks WHERE watched_id IS NOT NULL AND next_at > now()',
      );
      return rows.length;
    })
    .toBe(1);
  await call('MSP_OWNER', 'POST', '/health/watched/remove', { domains: ['shop.example'] });
  await looking;
  await portal.stack.control('dns', 'latency', { ms: 0 });
  const { rows } = await portal.owner.query('SELECT FROM health_findings WHERE watched_id IS NOT NULL');
  expect(rows).toEqual([]);
  expect(portal.log(from)).not.toContain('"msg":"health"');
});
