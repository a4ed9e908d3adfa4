import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAuditChain } from '../../src/server/kernel/audit.ts';
import { inTransaction } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { enqueueJob } from '../../src/server/kernel/jobs.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { insert, mint, person } from './support/world.ts';

/** One person's data, from its being written in every way there is to its being nowhere. */

let portal: Portal;
let organisationId: string;
let owner: { token: string; userId: string };
const day = 86_400_000;

beforeAll(async () => {
  portal = await startPortal();
  organisationId = newId();
  await insert(portal, 'organisations', { id: organisationId, name: 'Northwind MSP' });
  await insert(portal, 'wallets', { organisation_id: organisationId, posted_cents: 1_000_000 });
  const place = { organisationId, role: 'MSP_OWNER', customerId: null } as const;
  owner = await person(portal, 'boss@northwind.example', place);
}, 120_000);
afterAll(() => portal[Symbol.asyncDispose]());

async function ask(
  token: string,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT',
  path: string,
  body?: unknown,
  key?: string,
) {
  const { status, body: text } = await portal.call({
    method,
    url: `/api${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key ? { 'idempotency-key': key } : {}),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status, text };
}
async function act<T>(
  token: string,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT',
  path: string,
  body?: unknown,
  key?: string,
) {
  const { status, text } = await ask(token, method, path, body, key);
  expect([path, status, text]).toEqual([path, 200, expect.anything()]);
  return (JSON.parse(text) as { data: T }).data;
}

/** Every text of the database, wherever it stands: where one of these words is in it. */
async function hits(words: readonly string[]): Promise<string[]> {
  const tables = await portal.owner.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('public', 'graphile_worker') AND table_type = 'BASE TABLE'`,
  );
  expect(tables.rows.length).toBeGreaterThan(40);
  const found: string[] = [];
  for (const { name } of tables.rows) {
    for (const word of words) {
      const { rows } = await portal.owner.query(
        `SELECT 1 FROM ${name} t WHERE strpos(lower(t::text), lower($1)) > 0 LIMIT 1`,
        [word],
      );
      if (rows.length > 0) found.push(`${name}: ${word}`);
    }
  }
  return found;
}

const personOf = (first: string, last: string, number: number) => ({
  organization: `${last} Bakery`,
  firstName: first,
  lastName: last,
  address1: `${number} ${last} Lane`,
  city: `${last}ville`,
  state: 'NY',
  postalCode: '10001',
  country: 'US',
  email: `${first}@${last}.example`.toLowerCase(),
  phone: `+1.212555${number}`,
});
const contacts = {
  owner: personOf('Zerlina', 'Quixworth', 4101),
  admin: personOf('Yorick', 'Vandermolen', 4102),
  billing: personOf('Xanthippe', 'Oldcastle', 4103),
};
const formerPhone = '+1.2125559876';
const words = [
  ...Object.values(contacts).flatMap((one) => [
    one.firstName,
    one.lastName,
    one.email,
    one.phone,
    one.address1,
  ]),
  ...[formerPhone, 'pay@quixworth.example'],
];
const address = 'privacy-shop-one.com';

interface Seeded {
  customerId: string;
  userToken: string;
  userId: string;
  itemId: string;
}

/** A customer with everything that the portal ever writes about one, through its own doors where they are near. */
async function seedCustomer(): Promise<Seeded> {
  const first = { ...contacts, admin: { ...contacts.admin, phone: formerPhone } };
  const made = {
    contacts: first,
    billing: { billDirectly: false, email: 'pay@quixworth.example', allowChangeBilling: false },
  };
  const { customerId } = await act<{ customerId: string }>(
    owner.token,
    'POST',
    '/customer',
    made,
    'privacy-key-1',
  );
  await act(owner.token, 'PATCH', `/customer/${customerId}`, { contacts });
  const [quote] = await act<{ price: number }[]>(owner.token, 'POST', '/cart/prices', [
    { address, period: 1 },
  ]);
  const order = { domains: [{ address, customerId, period: 1 }], price: quote?.price };
  await act(owner.token, 'POST', '/cart/purchase', order, 'privacy-key-2');
  await act(owner.token, 'PUT', `/${address}/contacts`, { admin: contacts.admin });
  // Its own person, by invitation.
  const { email } = contacts.owner;
  const user = await person(portal, email, null);
  const invited = { email, type: 'MSP_CUSTOMER', authorizedClientId: customerId };
  const invite = await act<{ link: string }>(owner.token, 'POST', '/user/subuser', invited);
  await act(user.token, 'POST', '/user/subuser/create');
  await act(user.token, 'POST', `/user/subuser/acceptinvite/${invite.link.split('/').at(-1)}`);
  const { userId } = await act<{ userId: string }>(user.token, 'GET', '/user');
  const itemId = await seedRows(customerId);
  return { customerId, userToken: user.token, userId, itemId };
}

/** What other doors would write: files, certificates, charges, letters. */
async function seedRows(customerId: string): Promise<string> {
  const its = { organisation_id: organisationId, customer_id: customerId };
  const { rows } = await portal.owner.query('SELECT id, order_id FROM order_items WHERE address = $1', [
    address,
  ]);
  const { id: itemId, order_id: orderId } = rows[0] as { id: string; order_id: string };
  const { owner: o, admin, billing } = contacts;
  const [certificate, upload] = [newId(), newId()];
  await insert(portal, 'certificates', {
    ...{
      id: certificate,
      ...its,
      address,
      provider: 'Sectigo',
      product_type: 'comodo_ssl',
      state: 'completed',
    },
    ...{ csr: `O=${o.organization}`, contacts: JSON.stringify({ admin }), approver_email: admin.email },
    ...{
      certificate_pem: o.organization,
      remark: `wrote to ${billing.email}`,
      valid_to: new Date(Date.now() + day),
    },
  });
  await insert(portal, 'certificate_reissues', {
    ...{
      id: newId(),
      organisation_id: organisationId,
      certificate_id: certificate,
      csr: `O=${o.organization}`,
    },
    ...{ state: 'declined', automatic: true, remark: admin.email, created_at: new Date() },
  });
  await insert(portal, 'certificate_issues', {
    ...{
      organisation_id: organisationId,
      certificate_id: certificate,
      serial: '7',
      certificate_pem: o.organization,
    },
    ...{ valid_from: new Date(), valid_to: new Date(), recorded_at: new Date() },
  });
  await insert(portal, 'transfers', {
    ...{
      id: newId(),
      ...its,
      address,
      requested_at: new Date(),
      failed_at: new Date(),
      reason: `no word from ${o.email}`,
    },
  });
  await insert(portal, 'payment_setup_links', {
    ...{ id: newId(), ...its, token_hash: Buffer.from('h'), email: billing.email, expires_at: new Date() },
  });
  await insert(portal, 'direct_charges', {
    ...{
      id: newId(),
      ...its,
      order_id: orderId,
      part: 1,
      cents: 500,
      state: 'failed',
      note: `called ${o.phone}`,
    },
  });
  await insert(portal, 'direct_refunds', {
    ...{ item_id: itemId, organisation_id: organisationId, state: 'sending', reason: `for ${o.lastName}` },
  });
  await insert(portal, 'imports', {
    ...{
      id: upload,
      organisation_id: organisationId,
      upload_key: 'k',
      file_name: 'quixworth.csv',
      columns: ['email'],
    },
    ...{ state: 'done', new_rows: 1, changed_rows: 0, same_rows: 0, faulty_rows: 0, actor_id: owner.userId },
    ...{ actor: 'boss@northwind.example', actor_role: 'MSP_OWNER', created_at: new Date() },
  });
  await insert(portal, 'import_rows', {
    ...{
      import_id: upload,
      organisation_id: organisationId,
      number: 2,
      cells: [o.email.toUpperCase(), o.phone],
    },
    ...{
      kind: 'new',
      organization: o.organization,
      match_key: o.email,
      state: JSON.stringify(o),
      notes: '[]',
    },
  });
  await portal.owner.query(
    `INSERT INTO zone_versions (id, organisation_id, domain_id, records, record_count, hash, state, author, reason, created_at)
     SELECT $1, $2, id, $3, 1, 'h', 'applied', $4, 'edit', now() FROM domains WHERE address = $5`,
    [newId(), organisationId, JSON.stringify({ TXT: [{ text: admin.email }] }), o.email, address],
  );
  await insert(portal, 'api_tokens', {
    ...{
      id: newId(),
      ...its,
      user_id: owner.userId,
      name: `For ${o.firstName}`,
      token_hash: Buffer.from('t'),
    },
    permissions: ['domains.read'],
  });
  await inTransaction(portal.stack.database.db, { organisationId }, (tx) =>
    enqueueJob(tx, 'mail.send', { to: billing.email, subject: 'Hello', text: `Dear ${billing.firstName}` }),
  );
  return itemId;
}

/** All of it ends, a month ago. */
async function endEverything(customerId: string): Promise<void> {
  const { owner: db } = portal;
  const plan = async () =>
    (
      await act<{ blockers: { kind: string }[] }>(
        owner.token,
        'GET',
        `/privacy/customer/${customerId}/erasure`,
      )
    ).blockers.map(({ kind }) => kind);
  expect(await plan()).toEqual(['domain', 'certificate', 'charge', 'refund']);
  const refused = await ask(owner.token, 'POST', `/privacy/customer/${customerId}/erasure`);
  expect([refused.status, refused.text]).toEqual([
    422,
    expect.stringContaining(
      `${address} is still registered for this customer. 3 more things are in the way.`,
    ),
  ]);
  await db.query(`UPDATE order_items SET state = 'unknown' WHERE address = $1`, [address]);
  expect(await plan()).toContain('order');
  await db.query(`UPDATE order_items SET state = 'succeeded' WHERE address = $1`, [address]);
  await db.query(
    `UPDATE domains SET status = 'ended', ended_at = now() - interval '1 month' WHERE address = $1`,
    [address],
  );
  await db.query(`UPDATE certificates SET valid_to = now() - interval '1 day' WHERE customer_id = $1`, [
    customerId,
  ]);
  expect(await plan()).toEqual(['charge', 'refund']);
  await db.query(`UPDATE direct_refunds SET state = 'done'`);
  await db.query(`UPDATE direct_charges SET state = 'succeeded' WHERE customer_id = $1`, [customerId]);
  expect(await plan()).toEqual([]);
}

async function books(): Promise<string> {
  const { rows } = await portal.owner.query(
    `SELECT (SELECT string_agg(j.ref || j.text || p.cents, '|' ORDER BY p.id) FROM journal j JOIN postings p ON p.journal_id = j.id) AS ledger,
       (SELECT string_agg(address || price_cents || state, '|') FROM order_items) AS items,
       (SELECT string_agg(cents::text || state, '|') FROM direct_charges) AS charges`,
  );
  return JSON.stringify(rows);
}

test('a customer’s data is handed out whole; erased, it is nowhere but sealed for 15 months, and the books and the log stand', async () => {
  const { customerId, userToken, userId, itemId } = await seedCustomer();
  const path = `/privacy/customer/${customerId}`;

  const exported = await ask(owner.token, 'GET', path);
  expect(words.filter((word) => !exported.text.toLowerCase().includes(word.toLowerCase()))).toEqual([]);
  const { sections } = JSON.parse(exported.text) as { sections: { title: string }[] };
  expect(sections.map(({ title }) => title).toSorted()).toEqual([
    ...[
      'API tokens',
      'Audit log',
      'Certificate reissues',
      'Certificates',
      'Customer',
      'DNS history',
      'Direct charges',
    ],
    ...['Domains', 'Invitations', 'Issued certificates', 'Ordered items', 'Payment setup links'],
    ...['Refunds of direct charges', 'Rows of customer files', 'Stored replies', 'Transfers', 'User'],
  ]);
  expect(exported.text).toContain(itemId);
  const csv = (await ask(owner.token, 'GET', `${path}?format=csv`)).text;
  expect(words.filter((word) => !csv.toLowerCase().includes(word.toLowerCase()))).toEqual([]);
  // His own person gets what is about himself, and nothing of the others.
  const own = (await ask(userToken, 'GET', '/privacy/own')).text;
  expect(own).toContain(contacts.owner.email);
  expect(own).not.toMatch(/vandermolen|oldcastle/i);
  expect((await ask(userToken, 'GET', path)).status).toBe(403);

  await endEverything(customerId);
  const stale = await mint(portal, {
    email: 'boss@northwind.example',
    claims: { auth_time: Math.floor(Date.now() / 1_000) - 1_000 },
  });
  expect(await ask(stale, 'POST', `${path}/erasure`)).toMatchObject({
    status: 403,
    text: expect.stringContaining('fresh_sign_in_required'),
  });
  const before = await books();
  // Each of these holds somebody now, so that finding nobody afterwards says something.
  const places = new Set((await hits(words)).map((hit) => hit.split(': ')[0]));
  expect([...places].toSorted()).toEqual(
    [
      ...[
        'api_tokens',
        'certificate_issues',
        'certificate_reissues',
        'certificates',
        'customers',
        'direct_charges',
        'direct_refunds',
      ],
      ...[
        'graphile_worker._private_jobs',
        'idempotency_keys',
        'import_rows',
        'imports',
        'invites',
        'order_items',
      ],
      ...['payment_setup_links', 'transfers', 'users', 'zone_versions'],
    ]
      .map((name) => (name.includes('.') ? name : `public.${name}`))
      .toSorted(),
  );
  const done = await act<{ held: { address: string }[] }>(owner.token, 'POST', `${path}/erasure`);
  expect(done.held.map((one) => one.address)).toEqual([address]);

  expect(await hits(words)).toEqual([]);
  expect(await books()).toBe(before);
  expect((await verifyAuditChain(portal.stack.database.systemDb, organisationId)).broken).toBeNull();
  const log = await act<{ action: string; after: unknown; customerId: string }[]>(
    owner.token,
    'GET',
    '/audit',
  );
  expect(log.find(({ action }) => action === 'customers.create')?.after).toEqual({ erased: true });
  expect(log[0]).toMatchObject({ action: 'privacy.eraseCustomer', customerId });
  // An erased one is in no list of those who could be.
  expect(await act(owner.token, 'GET', '/privacy/former')).toEqual({ customers: [], users: [] });
  // Its person is out at once; the same again changes nothing and fails nowhere.
  expect((await ask(userToken, 'GET', '/user')).status).toBe(403);
  expect((await ask(owner.token, 'GET', `/customer/${customerId}`)).status).toBe(404);
  await act(owner.token, 'POST', `${path}/erasure`);
  await act(owner.token, 'POST', `/privacy/user/${userId}/erasure`);

  const held = await act<unknown>(owner.token, 'GET', `/privacy/hold/${address}`);
  expect(held).toMatchObject([
    { data: { contacts: { owner: { email: contacts.owner.email } }, ordered: [{}] } },
  ]);
  const holds = async () => (await portal.owner.query('SELECT delete_after, ended_at FROM legal_holds')).rows;
  const [kept] = await holds();
  const months = (kept.delete_after.getTime() - kept.ended_at.getTime()) / day / 30.44;
  expect(months).toBeCloseTo(15, 0);
  const forget = portal.features.privacy.tasks['privacy.forget'];
  await portal.owner.query(`UPDATE legal_holds SET delete_after = now() + interval '1 hour'`);
  await forget();
  expect(await holds()).toHaveLength(1);
  await portal.owner.query(`UPDATE legal_holds SET delete_after = now() - interval '1 second'`);
  await forget();
  expect(await holds()).toEqual([]);
}, 60_000);

test('a user is erased with invitations, tokens and authorship; never oneself, never the last who manages', async () => {
  const place = { organisationId, role: 'MSP_ADMIN', customerId: null } as const;
  const email = 'wilhelmina@brightwater.example';
  const admin = await person(portal, email, place);
  const { customerId } = await act<{ customerId: string }>(admin.token, 'POST', '/customer', {
    contacts: { owner: contacts.owner, admin: contacts.admin, billing: contacts.billing },
  });
  await act(admin.token, 'POST', '/user/tokens', {
    name: 'Wilhelmina script',
    permissions: ['customers.read'],
  });
  await act(owner.token, 'PATCH', `/user/subuser/${admin.userId}`, { type: 'MSP_EMPLOYEE', dailyLimit: 100 });
  await act(owner.token, 'PATCH', `/user/subuser/${admin.userId}`, { type: 'MSP_ADMIN' });
  await insert(portal, 'invites', {
    ...{ id: newId(), organisation_id: organisationId, email: email.toUpperCase(), role: 'MSP_ADMIN' },
    ...{ token_hash: Buffer.from('i'), token_sealed: Buffer.from('s'), invited_by: owner.userId },
    ...{ expires_at: new Date(), accepted_at: new Date() },
  });
  await portal.owner.query(
    `UPDATE users SET first_name = 'Wilhelmina', username = 'brightwater' WHERE id = $1`,
    [admin.userId],
  );
  const exported = (await ask(admin.token, 'GET', '/privacy/own')).text;
  for (const word of [email, 'Wilhelmina script', 'customers.create', 'users.change', customerId]) {
    expect(exported).toContain(word);
  }
  // What the customers are like whom he wrote is theirs.
  expect(exported).not.toMatch(/quixworth|vandermolen/i);
  expect((await ask(owner.token, 'GET', `/privacy/user/${admin.userId}?format=csv`)).text).toContain(email);

  expect((await ask(admin.token, 'POST', `/privacy/user/${admin.userId}/erasure`)).status).toBe(403);
  expect((await ask(admin.token, 'POST', `/privacy/user/${owner.userId}/erasure`)).status).toBe(403);
  await act(owner.token, 'POST', `/privacy/user/${admin.userId}/erasure`);
  expect(await hits(['wilhelmina', 'brightwater'])).toEqual([]);
  expect((await ask(admin.token, 'GET', '/user')).status).toBe(403);
  const [row] = await act<{ actor: string }[]>(owner.token, 'GET', `/audit?person=${admin.userId}`);
  expect(row?.actor).toMatch(/^Erased user \w{6}$/);
  expect((await verifyAuditChain(portal.stack.database.systemDb, organisationId)).broken).toBeNull();
  expect((await ask(owner.token, 'POST', `/privacy/user/${owner.userId}/erasure`)).status).toBe(403);
  expect((await ask(owner.token, 'POST', `/privacy/user/${newId()}/erasure`)).status).toBe(404);
}, 60_000);
