import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ErasurePlan } from '../../src/contracts/operations/privacy.ts';
import { verifyAuditChain } from '../../src/server/kernel/audit.ts';
import { personalColumns } from '../architecture/personal-columns.ts';
import type { Portal } from './support/portal.ts';
import { columnsWithout, contacts, type PrivacyStand, startPrivacyStand } from './support/privacy.ts';
import { address, type Seeded, seedPrivateCustomer, words } from './support/privacy-seed.ts';
import { mint } from './support/world.ts';

/** One customer's data, from its being written in every way there is to its being nowhere: each test goes on from the last. */

let stand: PrivacyStand;
let portal: Portal;
let organisationId: string;
let owner: PrivacyStand['owner'];
let seeded: Seeded;
let path: string;
const ask: PrivacyStand['ask'] = (...input) => stand.ask(...input);
const act = <T>(...input: Parameters<PrivacyStand['ask']>) => stand.act<T>(...input);
const hits: PrivacyStand['hits'] = (found) => stand.hits(found);
const day = 86_400_000;

beforeAll(async () => {
  stand = await startPrivacyStand();
  ({ portal, organisationId, owner } = stand);
  seeded = await seedPrivateCustomer(stand);
  path = `/privacy/customer/${seeded.customerId}`;
});
afterAll(() => stand[Symbol.asyncDispose]());

test('a customer’s data is handed out whole to those who manage; to the customer’s own person what is about them', async () => {
  const { userToken, itemId } = seeded;
  const exported = await ask(owner.token, 'GET', path);
  expect(words.filter((word) => !exported.text.toLowerCase().includes(word.toLowerCase()))).toEqual([]);
  const { sections } = JSON.parse(exported.text) as { sections: { title: string }[] };
  expect(sections.map(({ title }) => title).toSorted()).toEqual([
    ...['ACME accesses', 'API tokens', 'Accounts of ACME clients', 'Audit log', 'Automatic renewals'],
    ...[
      'Certificate reissues',
      'Certificates',
      'Customer',
      'DNS copies',
      'DNS history',
      'DNS templates in use',
    ],
    ...['Direct charges', 'Domains', 'Findings about domains', 'Invitations', 'Issued certificates'],
    ...['Lines of transfer lists', 'Ordered items', 'Orders of ACME clients', 'Payment setup links'],
    ...[
      'Refunds of direct charges',
      'Rows of customer files',
      'Stored replies',
      'Transfer lists',
      'Transfers',
    ],
    ...['Use of ACME accesses', 'User', 'Watched domains', 'What changes of many domains did'],
    'What needs attention',
  ]);
  expect(exported.text).toContain(itemId);
  const csv = (await ask(owner.token, 'GET', `${path}?format=csv`)).text;
  expect(words.filter((word) => !csv.toLowerCase().includes(word.toLowerCase()))).toEqual([]);
  // The customer's own person gets what is about them, and nothing of the others.
  const own = (await ask(userToken, 'GET', '/privacy/own')).text;
  expect(own).toContain(contacts.owner.email);
  expect(own).not.toMatch(/vandermolen|oldcastle/i);
  expect((await ask(userToken, 'GET', path)).status).toBe(403);
});

/** Columns that are erased, and of which no row is seeded. The list can only shrink. */
const unseeded: Readonly<Record<string, string>> = {
  'idempotency_keys.operation': 'the name of an operation, by which the row is found',
  'subject_keys.key': 'a key: the log below says that what it opened is erased',
};

test('each column that is said to be erased holds a person’s words before the erasure', async () => {
  const erased = Object.entries(personalColumns).flatMap(([table, columns]) =>
    Object.keys(columns)
      .filter((column) => columns[column] === 'erased')
      .map((column) => `${table}.${column}`),
  );
  const empty = new Set(await columnsWithout(portal, erased, words));
  expect([
    ...[...empty]
      .filter((column) => !(column in unseeded))
      .map(
        (column) =>
          `${column} is said to be erased, and no seeded row holds a person's words in it: fill it in privacy-seed.ts`,
      ),
    ...Object.keys(unseeded)
      .filter((column) => !empty.has(column))
      .map((column) => `${column} is filled, or no column that is erased: take it out of \`unseeded\``),
  ]).toEqual([]);
});

/** What blocks an erasure: as it is while it is alive, and once it has ended. */
const blocking: Record<
  ErasurePlan['blockers'][number]['kind'],
  { text: string; alive: string; ended: string }
> = {
  domain: {
    text: `${address} is still registered for this customer.`,
    alive: `UPDATE domains SET status = 'active', ended_at = NULL`,
    ended: `UPDATE domains SET status = 'ended', ended_at = now() - interval '1 month'`,
  },
  order: {
    text: `An order for ${address} is still being processed.`,
    alive: `UPDATE order_items SET state = 'unknown'`,
    ended: `UPDATE order_items SET state = 'succeeded'`,
  },
  transfer: {
    text: `The transfer of ${address} has not ended.`,
    alive: 'UPDATE transfers SET failed_at = NULL',
    ended: 'UPDATE transfers SET failed_at = now()',
  },
  certificate: {
    text: `A certificate for ${address} is valid or being issued.`,
    alive: `UPDATE certificates SET valid_to = now() + interval '1 day'`,
    ended: `UPDATE certificates SET valid_to = now() - interval '1 day'`,
  },
  charge: {
    text: 'is not settled.',
    alive: `UPDATE direct_charges SET state = 'failed'`,
    ended: `UPDATE direct_charges SET state = 'succeeded'`,
  },
  refund: {
    text: `A refund for ${address} is under way.`,
    alive: `UPDATE direct_refunds SET state = 'sending'`,
    ended: `UPDATE direct_refunds SET state = 'done'`,
  },
  import: {
    text: 'The file quixworth.csv is being imported.',
    alive: `UPDATE imports SET state = 'importing' WHERE file_name = 'quixworth.csv'`,
    ended: `UPDATE imports SET state = 'done'`,
  },
};

test('each thing that is alive or under way blocks the erasure alone, and is named; nothing is erased by a refusal', async () => {
  const kinds = async () =>
    (await act<ErasurePlan>(owner.token, 'GET', `${path}/erasure`)).blockers.map(({ kind }) => kind);
  expect(await kinds()).toEqual(['domain', 'certificate', 'charge', 'refund']);
  const several = await ask(owner.token, 'POST', `${path}/erasure`);
  expect([several.status, several.text]).toEqual([422, expect.stringContaining('3 more items prevent it.')]);
  for (const { ended } of Object.values(blocking)) await portal.owner.query(ended);
  expect(await kinds()).toEqual([]);
  const places = await hits(words);
  for (const [kind, { text, alive, ended }] of Object.entries(blocking)) {
    await portal.owner.query(alive);
    expect(await kinds()).toEqual([kind]);
    const refused = await ask(owner.token, 'POST', `${path}/erasure`);
    expect([kind, refused.status, refused.text]).toEqual([kind, 422, expect.stringContaining(text)]);
    await portal.owner.query(ended);
  }
  expect(await hits(words)).toEqual(places);
  expect(await kinds()).toEqual([]);
});

async function books(): Promise<string> {
  const { rows } = await portal.owner.query(
    `SELECT (SELECT string_agg(j.ref || j.text || p.cents, '|' ORDER BY p.id) FROM journal j JOIN postings p ON p.journal_id = j.id) AS ledger,
       (SELECT string_agg(address || price_cents || state, '|') FROM order_items) AS items,
       (SELECT string_agg(cents::text || state, '|') FROM direct_charges) AS charges`,
  );
  return JSON.stringify(rows);
}

test('erased, a customer is nowhere in the database, while books and log stand; an old sign-in erases nobody', async () => {
  const { customerId, userToken, userId } = seeded;
  const stale = await mint(portal, {
    email: 'boss@northwind.example',
    claims: { auth_time: Math.floor(Date.now() / 1_000) - 1_000 },
  });
  expect(await ask(stale, 'POST', `${path}/erasure`)).toMatchObject({
    status: 403,
    text: expect.stringContaining('fresh_sign_in_required'),
  });
  const before = await books();
  // Columns that hold somebody are looked for above; letters that wait are in no table of ours.
  expect((await hits(words)).join()).toContain('graphile_worker._private_jobs');
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
});

test('of an erased customer what registries need is held sealed for 15 months and then deleted; what does not open says why', async () => {
  const held = await act<unknown>(owner.token, 'GET', `/privacy/hold/${address}`);
  expect(held).toMatchObject([
    { data: { contacts: { owner: { email: contacts.owner.email } }, ordered: [{}] } },
  ]);
  const holds = async () => (await portal.owner.query('SELECT delete_after, ended_at FROM legal_holds')).rows;
  const setKey = (number: number) =>
    portal.owner.query(`UPDATE legal_holds SET data_sealed = set_byte(data_sealed, 1, $1)`, [number]);
  await setKey(99);
  expect(await act<unknown>(owner.token, 'GET', `/privacy/hold/${address}`)).toMatchObject([
    { address, data: null, fault: 'The held data cannot be read: sealing key 99 is not configured.' },
  ]);
  expect(portal.log()).toContain('registrant data that is held does not open');
  await setKey(1);
  expect(await act<unknown>(owner.token, 'GET', `/privacy/hold/${address}`)).toEqual(held);
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
});
