import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ErasurePlan } from '../../src/contracts/operations/privacy.ts';
import { verifyAuditChain } from '../../src/server/kernel/audit.ts';
import { inTransaction } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { forgetLetters } from '../../src/server/kernel/jobs.ts';
import { postLetter, tellManagers } from '../../src/server/kernel/letters.ts';
import { personalColumns } from '../architecture/personal-columns.ts';
import type { Portal } from './support/portal.ts';
import { columnsWithout, contacts, type PrivacyStand, startPrivacyStand } from './support/privacy.ts';
import { address, type Seeded, seedPrivateCustomer, words } from './support/privacy-seed.ts';
import { insert, insertOrganisation, mint } from './support/world.ts';

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

test('a file for a customer holds neither what the MSP pays and adds, nor what the operator pays, nor a secret', async () => {
  const { customerId, userToken, userId } = seeded;
  await portal.owner.query(
    `UPDATE acme_accesses SET made_by = $1, orders_per_month = 3, cents_per_month = 98765 WHERE customer_id = $2`,
    [userId, customerId],
  );
  const [upload] = (await portal.owner.query<{ id: string }>('SELECT id FROM imports')).rows;
  await portal.owner.query(
    `UPDATE imports SET columns = '{contacts_owner_email,markups_domain_purchase_value}'`,
  );
  await insert(portal, 'import_rows', {
    ...{ import_id: upload?.id, organisation_id: organisationId, number: 3, kind: 'changed' },
    ...{
      customer_id: customerId,
      cells: ['zerlina@quixworth.example', '76543'],
      organization: '',
      match_key: 'k',
    },
    ...{ state: JSON.stringify({ markups: {}, allowDomainSettings: true }) },
    notes: JSON.stringify([
      { field: 'markups.domain.purchase.value', before: '0', after: '76543' },
      { field: 'contacts.owner.city', before: 'Oldtown', after: 'Newtown' },
    ]),
  });
  const whole = (await ask(owner.token, 'GET', path)).text;
  const own = (await ask(userToken, 'GET', '/privacy/own')).text;
  for (const text of [whole, own]) {
    expect(text).not.toMatch(/markup|price_?cents|bought_cents|cents_?per_?month|cost_?cents|_sealed/i);
    expect(text).not.toMatch(/76543|98765/);
  }
  // What the customer was charged, and the rest of the file's row, are theirs to know.
  expect(whole).toMatch(/"cents": 500\b/);
  expect(whole).toContain('Newtown');
  expect(own).toContain('orders_per_month');
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
  expect(await act(owner.token, 'GET', '/privacy/former/customers')).toEqual([]);
  expect(await act(owner.token, 'GET', '/privacy/former/users')).toEqual([]);
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

/** Letters that wait, by their subjects. */
async function waitingLetters(): Promise<string[]> {
  const { rows } = await portal.owner.query<{ subject: string }>(
    `SELECT payload -> 'letter' ->> 'subject' AS subject FROM graphile_worker._private_jobs
     WHERE payload -> 'letter' ->> 'subject' LIKE 'Waits:%' ORDER BY subject`,
  );
  return rows.map(({ subject }) => subject);
}

test('an erasure takes the waiting letters of its own organization, and those of no other that hold the same words', async () => {
  const other = newId();
  await insertOrganisation(portal, other, 'Southwind MSP');
  // Words as they stand in many a letter, and the address of somebody whom the other organization writes to.
  const shared = { ...contacts.owner, firstName: 'of', lastName: 'the', email: 'chief@southwind.example' };
  const { customerId } = await act<{ customerId: string }>(owner.token, 'POST', '/customer', {
    contacts: { owner: shared, admin: shared, billing: shared },
    billing: { billDirectly: false, email: '', allowChangeBilling: false },
  });
  for (const [name, id] of Object.entries({ own: organisationId, other })) {
    const letter = (subject: string, text: string) => ({
      subject: `Waits: ${subject} ${name}`,
      parts: [text],
    });
    await inTransaction(portal.stack.database.db, { organisationId: id }, async (tx) => {
      await postLetter(tx, {
        ...{ to: 'chief@southwind.example', sender: { organisationId: id, inItsName: false } },
        ...{ letter: letter('a mail', 'A domain expires.'), messageId: `waits-${name}` },
      });
      const told = letter('a notice', 'The end of the certificate is near.');
      await tellManagers(tx, { organisationId: id, notice: 'waits', letter: told });
    });
  }
  // To somebody who was invited for the customer, and whose address is on none of the contacts.
  const guest = 'guest@southwind.example';
  await act(owner.token, 'POST', '/user/subuser', {
    email: guest,
    type: 'MSP_CUSTOMER',
    authorizedClientId: customerId,
  });
  await inTransaction(portal.stack.database.db, { organisationId }, (tx) =>
    postLetter(tx, {
      ...{ to: guest, sender: { organisationId, inItsName: false }, messageId: 'waits-guest' },
      letter: { subject: 'Waits: a mail to a guest', parts: ['A domain expires.'] },
    }),
  );
  expect(await waitingLetters()).toHaveLength(5);
  await act(owner.token, 'POST', `/privacy/customer/${customerId}/erasure`);
  expect(await waitingLetters()).toEqual(['Waits: a mail other', 'Waits: a notice other']);
  // Where no organization is set, nothing is anybody's own.
  await portal.stack.database.systemDb
    .transaction()
    .execute((tx) => forgetLetters(tx, ['southwind', 'of the']));
  expect(await waitingLetters()).toHaveLength(2);
});

test('of the rows of customer files a customer gets, and loses by an erasure, none of another who has the same people; files of colleagues stay', async () => {
  const desk = 'desk@northwind.example';
  const make = async (name: string) => {
    const one = {
      ...contacts.owner,
      firstName: name,
      lastName: `${name}son`,
      email: `${name}@client.example`,
    };
    const { customerId } = await act<{ customerId: string }>(owner.token, 'POST', '/customer', {
      contacts: { owner: one, admin: { ...one, email: desk }, billing: { ...one, email: desk } },
      billing: { billDirectly: false, email: '', allowChangeBilling: false },
    });
    return customerId;
  };
  const [nora, otto] = [await make('nora'), await make('otto')];
  const files = {
    ...{ written: 'done', 'of a colleague': 'ready', 'with the same person': 'ready' },
    'with others too': 'ready',
  };
  const ids = Object.fromEntries(Object.keys(files).map((name) => [name, newId()]));
  for (const [name, state] of Object.entries(files)) {
    await insert(portal, 'imports', {
      ...{ id: ids[name], organisation_id: organisationId, upload_key: name, file_name: name, state },
      ...{ columns: ['contacts_owner_email', 'contacts_billing_email'], actor_id: owner.userId },
      ...{ new_rows: 0, changed_rows: 0, same_rows: 1, faulty_rows: 0, created_at: new Date() },
      ...{ actor: 'boss@northwind.example', actor_role: 'MSP_OWNER' },
    });
  }
  const row = (
    file: keyof typeof files,
    number: number,
    of: string | null,
    email: string,
    { kind = of ? 'same' : 'faulty', names = [] }: { kind?: string; names?: string[] } = {},
  ) =>
    insert(portal, 'import_rows', {
      ...{ import_id: ids[file], organisation_id: organisationId, number, customer_id: of },
      ...{
        kind,
        cells: [email, desk, ...names],
        organization: `Row ${number}`,
        match_key: email,
      },
      ...{ state: null, notes: '[]' },
    });
  await row('written', 11, nora, 'nora@client.example');
  await row('written', 12, otto, 'otto@client.example');
  await row('written', 13, null, 'NORA@client.example');
  await row('written', 14, null, 'otto@client.example');
  await row('of a colleague', 15, otto, 'otto@client.example');
  await row('with the same person', 16, newId(), 'nora@client.example');
  // The desk alone is no sign of a person: many customers have it.
  await row('with others too', 17, newId(), 'zoe@client.example', { kind: 'new', names: ['Nora', 'Zoeson'] });
  await row('with others too', 18, newId(), 'Nora@client.example ', { kind: 'new' });
  await row('with others too', 19, null, 'nora@client', { names: ['Nora', 'Norason'] });
  await row('with others too', 20, null, 'otto@client', { names: ['Otto', 'Ottoson'] });
  const { text } = await ask(owner.token, 'GET', `/privacy/customer/${nora}`);
  expect([11, 12, 13, 14, 15, 16].filter((number) => text.includes(`Row ${number}`))).toEqual([11, 13]);
  expect(text).not.toContain('otto');
  await act(owner.token, 'POST', `/privacy/customer/${nora}/erasure`);
  const left = await portal.owner.query<{ number: number }>(
    'SELECT number FROM import_rows WHERE number > 10 ORDER BY number',
  );
  // A row that nobody could read may speak of the person who goes; one of another customer is that customer's.
  expect(left.rows.map(({ number }) => number)).toEqual([12, 14, 15, 17, 20]);
  const kept = await portal.owner.query('SELECT * FROM imports');
  const fileOf = (file: keyof typeof files) => kept.rows.find(({ id }) => id === ids[file]);
  expect(fileOf('of a colleague')).toMatchObject({ state: 'ready', judged: 1, file_name: 'of a colleague' });
  // Importing it would bring the person back.
  expect(fileOf('with the same person')).toMatchObject({ state: 'discarded', ended_at: expect.any(Date) });
  expect(fileOf('written')).toMatchObject({ state: 'done', judged: 1, same_rows: 1, notice: '' });
  // The rest of a file that waits is a colleague's work. Who was shown what has gone from it looks again.
  expect(fileOf('with others too')).toMatchObject({
    ...{ state: 'ready', ended_at: null, judged: 2, file_name: 'customers.csv' },
    ...{ new_rows: 1, changed_rows: 0, same_rows: 0, faulty_rows: 1, suggested_rows: 0 },
    notice:
      'Rows about a customer whose data was erased were taken out of this file. Please review it again before you import it.',
  });
});

test('an erasure knows names again whose capitals are not English; a desk that only they name takes no row of a colleague', async () => {
  const desk = 'only-desk@northwind.example';
  const one = {
    ...{ ...contacts.owner, organization: 'Österreich Öl', firstName: 'Émile', lastName: 'Ångström' },
    email: 'emile@oel.example',
  };
  const { customerId } = await act<{ customerId: string }>(owner.token, 'POST', '/customer', {
    contacts: { owner: one, admin: { ...one, email: desk }, billing: { ...one, email: desk } },
    billing: { billDirectly: false, email: '', allowChangeBilling: false },
  });
  const id = newId();
  await insert(portal, 'imports', {
    ...{ id, organisation_id: organisationId, upload_key: id, file_name: 'f.csv', state: 'ready' },
    ...{ columns: ['a', 'b', 'c', 'd'], actor_id: owner.userId, created_at: new Date() },
    ...{ new_rows: 5, changed_rows: 0, same_rows: 0, faulty_rows: 0 },
    ...{ actor: 'boss@northwind.example', actor_role: 'MSP_OWNER' },
  });
  const rows = [
    [desk, 'Zoe', 'Zoeson', 'Other Ltd'],
    [desk, 'ÉMILE', 'ÅNGSTRÖM', ''],
    // Composed of a letter and its accent, as some programs write it.
    [desk, 'E\u0301mile', 'A\u030angstro\u0308m', ''],
    [desk, '', '', 'ÖSTERREICH ÖL'],
    ['other@client.example', 'Émile', 'Ångström', 'Other Ltd'],
  ];
  for (const [index, cells] of rows.entries()) {
    await insert(portal, 'import_rows', {
      ...{ import_id: id, organisation_id: organisationId, number: index + 1, customer_id: newId() },
      ...{ kind: 'new', cells, organization: '', match_key: String(index), state: null, notes: '[]' },
    });
  }
  await act(owner.token, 'POST', `/privacy/customer/${customerId}/erasure`);
  const left = await portal.owner.query(
    'SELECT number FROM import_rows WHERE import_id = $1 ORDER BY number',
    [id],
  );
  expect(left.rows.map(({ number }) => number)).toEqual([1, 5]);
});
