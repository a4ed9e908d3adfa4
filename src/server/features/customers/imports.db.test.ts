import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { csvFile, csvHeader, goodRow, namedRow } from '../../../../tests/support/customer-file.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { noMarkups } from '../../../contracts/values/money.ts';
import { verifyAuditChain } from '../../kernel/audit.ts';
import { isClosedOrganisation } from '../../kernel/db/open-organisation.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { fewerRights } from './imports.rules.ts';

let stand: ImportStand;
let admin: Scope;

beforeAll(async () => {
  stand = await openImportStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  admin = (await stand.people.organisation()).scope;
});

test('the three calls of the specification import a file, with one contact in all three places', async () => {
  const done = await stand.importAll(admin, csvFile([goodRow]));
  expect(done).toMatchObject({ state: 'done', rows: { new: 1, changed: 0, same: 0, faulty: 0 } });
  const rows = await stand.listed(admin);
  const contact = {
    ...{ organization: 'Blue Fig Ltd', firstName: 'Ann', lastName: 'Smith', address1: '1 Main Street' },
    ...{ city: 'New York', state: 'NY', postalCode: '10001', country: 'US', email: 'ann@bluefig.example' },
    phone: '+1.2125550100',
  };
  expect(rows).toMatchObject([
    {
      contacts: { owner: contact, admin: contact, billing: contact },
      billing: { billDirectly: false, allowChangeBilling: false },
      markups: noMarkups,
      version: 1,
    },
  ]);
});

test('customers that came with a file are made known to the payment provider, as those of this organization', async () => {
  await takeJobs(stand.database.url);
  await stand.importAll(admin, csvFile([goodRow]));
  const jobs = (await takeJobs(stand.database.url)).filter(({ task }) => task.startsWith('direct-billing.'));
  const { organisationId } = admin;
  expect(jobs).toEqual([{ task: 'direct-billing.connect-all', payload: { organisationId } }]);
});

test('nothing is imported into an organization that was closed meanwhile', async () => {
  const { importId } = await stand.preview(admin, csvFile([goodRow]));
  await stand.people.users.close(admin);
  const error: unknown = await stand.imports
    .start(admin, importId, { mode: 'all' })
    .catch((refusal: unknown) => refusal);
  expect(error instanceof Error && isClosedOrganisation(error)).toBe(true);
});

test('a look writes nothing and says how many rows are new, changed, the same and faulty', async () => {
  await stand.importAll(admin, csvFile([namedRow('Old'), namedRow('Same')]));
  const found = await stand.preview(
    admin,
    csvFile([
      namedRow('Old', { contacts_owner_city: 'Boston' }),
      namedRow('Same'),
      namedRow('New'),
      namedRow('Bad', { contacts_owner_firstName: 'Ann-Marie', contacts_owner_phone: '(212) 555-0100' }),
    ]),
  );
  expect(found).toMatchObject({ state: 'ready', rows: { new: 1, changed: 1, same: 1, faulty: 1 } });
  expect(await stand.namesOf(admin)).toEqual(['Old', 'Same']);
  const [changed] = await stand.rowsOf(admin, found.importId, 'changed');
  expect(changed).toMatchObject({ row: 2, organization: 'Old' });
  expect(changed?.changes).toContainEqual({
    field: 'contacts.owner.city',
    before: 'New York',
    after: 'Boston',
  });
  const [bad] = await stand.rowsOf(admin, found.importId, 'faulty');
  expect(bad).toMatchObject({ row: 5, organization: 'Bad' });
  expect(bad?.faults).toEqual([
    {
      column: 'contacts_owner_firstName',
      value: 'Ann-Marie',
      reason: 'Only letters and spaces are allowed',
      suggestion: 'Ann Marie',
    },
    {
      column: 'contacts_owner_phone',
      value: '(212) 555-0100',
      reason: 'Phone number must have between 4 and 14 numbers',
      suggestion: '+1 2125550100',
    },
  ]);
});

test('a file that says so lets users of a customer set domains, for one that is there and for a new one', async () => {
  const columns = [...csvHeader, 'allowDomainSettings'];
  const allowed = async () =>
    (await stand.listed(admin))
      .map((row) => [row.contacts.owner.organization, row.allowDomainSettings] as const)
      .toSorted();
  await stand.importAll(admin, csvFile([namedRow('Old')]));
  expect(await allowed()).toEqual([['Old', false]]);
  const rows = ['Old', 'New'].map((name) => namedRow(name, { allowDomainSettings: 'true' }));
  await stand.importAll(admin, csvFile(rows, columns));
  expect(await allowed()).toEqual([
    ['New', true],
    ['Old', true],
  ]);
});

test('columns of some markups and of one field of Admin change these alone, as the look shows: with and without a mapping', async () => {
  await stand.importAll(admin, csvFile([namedRow('One')]));
  const [{ customerId = '' } = {}] = await stand.listed(admin);
  const price = (type: 'fixed' | 'percentage', value: number) => ({ type, value });
  const markups = {
    domain: { purchase: price('percentage', 20), renewal: price('fixed', 5) },
    certificate: { purchase: price('fixed', 7), renewal: price('percentage', 12.5) },
  };
  const { contacts } = await stand.people.customers.get(admin, customerId);
  const zoe = { ...contacts.owner, firstName: 'Zoe', address1: '9 Side Street', phone: '+1.2125550177' };
  await stand.people.customers.update(admin, customerId, { markups, contacts: { ...contacts, admin: zoe } });
  const before = await stand.people.customers.get(admin, customerId);

  const ours = ['contacts_admin_email', 'markups_domain_renewal_value'];
  const fileOf = (email: string, value: string, names: readonly string[]) =>
    csvFile(
      [namedRow('One', { [names[0] ?? '']: email, [names[1] ?? '']: value })],
      [...csvHeader, ...names],
    );
  const finish = async (email: string, value: string, names: readonly string[] | null) => {
    const key = await stand.put(admin, fileOf(email, value, names ?? ours));
    const columns = Object.fromEntries([
      ...csvHeader.map((name) => [name, name]),
      ...ours.map((name, index) => [name, names?.[index] ?? '']),
    ]);
    // The address for all rows is for new customers.
    const mapping = names ? { columns, values: { billing_email: 'all@others.example' } } : undefined;
    const { importId } = await stand.imports.finish(admin, { key, preview: true, mapping });
    const looked = (await stand.rowsOf(admin, importId, 'changed')).flatMap(({ changes }) => changes);
    await stand.imports.start(admin, importId, { mode: 'all' });
    await stand.run(admin, importId);
    return looked;
  };
  const was = { email: contacts.owner.email, value: '5' };
  for (const [email, value, names] of [
    ['a@bluefig.example', '6', null],
    ['b@bluefig.example', '6.5', ['Admin mail', 'Renewal plus']],
  ] as const) {
    expect(await finish(email, value, names)).toEqual([
      { field: 'contacts.admin.email', before: was.email, after: email },
      { field: 'markups.domain.renewal.value', before: was.value, after: value },
    ]);
    const after = await stand.people.customers.get(admin, customerId);
    expect(after).toEqual({
      ...before,
      version: after.version,
      contacts: { ...before.contacts, admin: { ...zoe, email } },
      markups: { ...markups, domain: { ...markups.domain, renewal: price('fixed', Number(value)) } },
    });
    Object.assign(was, { email, value });
  }
});

test('one bad row keeps all out, with what is wrong in the reply; the good rows come on request', async () => {
  const contents = csvFile([
    namedRow('One'),
    namedRow('Two', { contacts_owner_postalCode: '' }),
    namedRow('Three'),
  ]);
  await expect(stand.importAll(admin, contents)).rejects.toMatchObject({
    code: 'unprocessable',
    message: '1 row cannot be imported. Nothing was written.',
    error: 'rows.3.contacts_owner_postalCode: This field is required',
    details: [{ path: 'rows.3.contacts_owner_postalCode', message: 'This field is required' }],
  });
  expect(await stand.namesOf(admin)).toEqual([]);
  const { importId } = await stand.preview(admin, contents);
  await expect(stand.imports.start(admin, importId, { mode: 'all' })).rejects.toMatchObject({
    code: 'unprocessable',
  });
  await stand.imports.start(admin, importId, { mode: 'good' });
  await stand.run(admin, importId);
  expect(await stand.namesOf(admin)).toEqual(['One', 'Three']);
  expect(await stand.imports.get(admin, importId)).toMatchObject({
    state: 'done',
    progress: { done: 2, total: 2 },
  });
  const rejects = (await stand.imports.rejects(admin, importId)).toString();
  expect(rejects.split('\r\n')).toHaveLength(3);
  expect(rejects).toContain('contacts_owner_postalCode: This field is required');
  // Corrected, it is taken as it is.
  const mended = rejects.replace('2125550100,,', '2125550100,10002,');
  expect(await stand.importAll(admin, mended)).toMatchObject({ state: 'done', rows: { new: 1 } });
  expect(await stand.namesOf(admin)).toEqual(['One', 'Three', 'Two']);
});

test('the same file again creates nothing, and so does the same upload finished again', async () => {
  const contents = csvFile([namedRow('One'), namedRow('Two')]);
  const key = await stand.put(admin, contents);
  const first = await stand.imports.finish(admin, { key, preview: false });
  expect(await stand.imports.finish(admin, { key, preview: false })).toEqual(first);
  expect(await stand.importAll(admin, contents)).toMatchObject({ state: 'done', rows: { new: 0, same: 2 } });
  expect(await stand.namesOf(admin)).toEqual(['One', 'Two']);
});

test('a customer who was deleted comes again by the same file', async () => {
  const contents = csvFile([namedRow('One')]);
  await stand.importAll(admin, contents);
  const [{ customerId = '' } = {}] = await stand.listed(admin);
  await stand.people.customers.remove(admin, customerId);
  expect(await stand.importAll(admin, contents)).toMatchObject({ state: 'done', rows: { new: 1 } });
  expect(await stand.namesOf(admin)).toEqual(['One']);
});

test('two looks at the same file, both started: one makes the customers, the other asks again', async () => {
  const contents = csvFile([namedRow('One'), namedRow('Two')]);
  const looks = [await stand.preview(admin, contents), await stand.preview(admin, contents)];
  for (const { importId } of looks) await stand.imports.start(admin, importId, { mode: 'all' });
  await Promise.all(looks.map(({ importId }) => stand.run(admin, importId)));
  expect(await stand.namesOf(admin)).toEqual(['One', 'Two']);
  const after = await Promise.all(looks.map(({ importId }) => stand.imports.get(admin, importId)));
  expect(after.map(({ state }) => state).sort()).toEqual(['done', 'ready']);
  expect(after.find(({ state }) => state === 'ready')).toMatchObject({
    rows: { new: 0, same: 2 },
    notice: expect.stringContaining('changed since this file was checked'),
  });
});

test('a customer that somebody edits after the look is not overwritten unseen', async () => {
  await stand.importAll(admin, csvFile([namedRow('One')]));
  const look = await stand.preview(admin, csvFile([namedRow('One', { contacts_owner_city: 'Boston' })]));
  const [{ customerId = '' } = {}] = await stand.listed(admin);
  const theirs = contactsOf({ organization: 'One', email: 'ann@bluefig.example', city: 'Oslo' });
  await stand.people.customers.update(admin, customerId, { contacts: theirs });
  await stand.imports.start(admin, look.importId, { mode: 'all' });
  await stand.run(admin, look.importId);
  expect((await stand.people.customers.get(admin, customerId)).contacts.owner.city).toBe('Oslo');
  expect(await stand.imports.get(admin, look.importId)).toMatchObject({
    state: 'ready',
    rows: { changed: 1 },
  });
  await stand.imports.start(admin, look.importId, { mode: 'all' });
  await stand.run(admin, look.importId);
  expect((await stand.people.customers.get(admin, customerId)).contacts.owner.city).toBe('Boston');
});

test('rows for one customer, ids of nobody and of others, and rows that two customers fit are rejected', async () => {
  const stranger = (await stand.people.organisation('Others')).scope;
  const foreign = await stand.people.customers.create(
    stranger,
    { contacts: contactsOf(), billing: { billDirectly: false, email: '', allowChangeBilling: false } },
    null,
  );
  for (const city of ['Oslo', 'Rome']) {
    const contacts = contactsOf({ organization: 'Twins', email: 'ann@bluefig.example', city });
    await stand.people.customers.create(
      admin,
      { contacts, billing: { billDirectly: false, email: '', allowChangeBilling: false } },
      null,
    );
  }
  await stand.importAll(admin, csvFile([namedRow('Known')]));
  const known = (await stand.listed(admin)).find(({ contacts }) => contacts.owner.organization === 'Known');
  const { importId, rows } = await stand.preview(
    admin,
    csvFile(
      [
        namedRow('One'),
        namedRow('ONE', { contacts_owner_city: 'Boston' }),
        namedRow('Two', { customerId: foreign.customerId }),
        namedRow('Three', { customerId: newId() }),
        namedRow('Four', { customerId: 'x' }),
        namedRow('Twins'),
        namedRow('Known', { customerId: known?.customerId ?? '' }),
        namedRow('Other', { customerId: known?.customerId.toUpperCase() ?? '' }),
      ],
      ['customerId', ...csvHeader],
    ),
  );
  expect(rows).toEqual({ new: 1, changed: 0, same: 1, faulty: 6 });
  const reasons = (await stand.rowsOf(admin, importId, 'faulty')).map(({ row, faults }) => [
    row,
    faults[0]?.reason,
  ]);
  const nobody = 'There is no customer with this id. Leave the cell empty to create a new customer';
  expect(reasons).toEqual([
    [3, 'Row 2 is for the same customer'],
    [4, nobody],
    [5, nobody],
    [6, nobody],
    [7, expect.stringContaining('Several customers have this organization and email')],
    [9, 'Row 8 is for the same customer'],
  ]);
});

test('an employee imports contacts, but neither direct billing nor the file of a manager', async () => {
  const { scope: employee } = await stand.people.join(admin, { type: 'MSP_EMPLOYEE' });
  const { importId, rows } = await stand.preview(
    employee,
    csvFile([namedRow('One'), namedRow('Two', { billing_billDirectly: 'yes' })]),
  );
  expect(rows).toMatchObject({ new: 1, faulty: 1 });
  expect(await stand.rowsOf(employee, importId, 'faulty')).toMatchObject([
    {
      faults: [{ column: 'billing_billDirectly', reason: expect.stringContaining('Only owners and admin') }],
    },
  ]);
  const managers = await stand.preview(admin, csvFile([namedRow('Three', { billing_billDirectly: 'true' })]));
  await expect(stand.imports.start(employee, managers.importId, { mode: 'all' })).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('a file is started with the rights of its start: who has fewer by then is shown what they may not write', async () => {
  const { scope: employee } = await stand.people.join(admin, { type: 'MSP_EMPLOYEE' });
  const manager = { ...employee, role: 'MSP_ADMIN' } as Scope;
  const file = () => csvFile([namedRow(`Billed ${newId()}`, { billing_billDirectly: 'true' })]);
  const checked = await stand.preview(manager, file());
  expect(checked.rows).toMatchObject({ new: 1, faulty: 0 });
  const script: Scope = { ...manager, rights: { kind: 'named', permissions: ['customers.create'] } };
  for (const scope of [employee, script]) {
    const { importId } = await stand.preview(manager, file());
    await expect(stand.imports.start(scope, importId, { mode: 'good' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await stand.imports.get(scope, importId)).toMatchObject({ state: 'ready', notice: fewerRights });
    expect(await stand.rowsOf(scope, importId, 'faulty')).toHaveLength(1);
    // Finishing its upload is a start too.
    const key = await stand.put(manager, file());
    await stand.imports.finish(manager, { key, preview: true });
    const finished = stand.imports.finish(scope, { key, preview: false });
    await expect(finished).rejects.toMatchObject({ code: 'conflict' });
  }
  expect((await stand.imports.start(manager, checked.importId, { mode: 'all' })).state).toBe('importing');
});

test('a script that may only add customers neither changes one by a file nor reads what it has', async () => {
  await stand.importAll(admin, csvFile([namedRow('Kept As It Is')]));
  const script: Scope = { ...admin, rights: { kind: 'named', permissions: ['customers.create'] } };
  const row = namedRow('Kept As It Is', { contacts_owner_city: 'Elsewhere' });
  const refused = await stand.preview(script, csvFile([row, namedRow('Quite New')]));
  expect(refused.rows).toEqual({ new: 1, changed: 0, same: 0, faulty: 1 });
  const [fault] = await stand.rowsOf(script, refused.importId, 'faulty');
  expect(fault?.faults).toMatchObject([{ column: 'contacts_owner_city' }]);
  const { importId } = await stand.preview(admin, csvFile([row]));
  const changes = async (scope: Scope) => (await stand.rowsOf(scope, importId, 'changed'))[0]?.changes;
  expect(await changes(admin)).toMatchObject([{ before: expect.stringMatching(/./), after: 'Elsewhere' }]);
  expect(await changes(script)).toMatchObject([{ before: '', after: 'Elsewhere' }]);
});

test('a checked file is started, mended and thrown away by its own person and by managers, and by nobody else', async () => {
  const { scope: employee } = await stand.people.join(admin, { type: 'MSP_EMPLOYEE' });
  const { scope: colleague } = await stand.people.join(admin, { type: 'MSP_EMPLOYEE' });
  const { importId } = await stand.preview(employee, csvFile([namedRow('One')]));
  const acts = {
    import: () => stand.imports.start(colleague, importId, { mode: 'all' }),
    change: () => stand.imports.applySuggestions(colleague, importId, null),
    discard: () => stand.imports.discard(colleague, importId),
  };
  for (const [act, ask] of Object.entries(acts)) {
    await expect(ask()).rejects.toMatchObject({
      code: 'forbidden',
      message: `Only the person who uploaded this file, or a manager, can ${act} it.`,
    });
  }
  await stand.imports.applySuggestions(employee, importId, null);
  await stand.imports.discard(employee, importId);
  const another = await stand.preview(employee, csvFile([namedRow('Two')]));
  await stand.imports.discard(admin, another.importId);
  expect(await stand.imports.list(admin)).toEqual([]);
});

test('uploads and imports of another organisation do not exist', async () => {
  const stranger = (await stand.people.organisation('Others')).scope;
  const key = await stand.put(admin, csvFile([goodRow]));
  await expect(stand.imports.finish(stranger, { key, preview: true })).rejects.toMatchObject({
    code: 'not_found',
  });
  const { importId } = await stand.imports.finish(admin, { key, preview: true });
  for (const ask of [
    () => stand.imports.get(stranger, importId),
    () => stand.imports.rows(stranger, importId, { pageSize: 50 }),
    () => stand.imports.rejects(stranger, importId),
    () => stand.imports.start(stranger, importId, { mode: 'all' }),
    () => stand.imports.discard(stranger, importId),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await stand.imports.list(stranger)).toEqual([]);
});

test('a thrown away file is gone and can be neither started nor looked at', async () => {
  const { importId } = await stand.preview(admin, csvFile([goodRow]));
  await stand.imports.discard(admin, importId);
  await expect(stand.imports.start(admin, importId, { mode: 'all' })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await stand.imports.list(admin)).toEqual([]);
  expect(await stand.namesOf(admin)).toEqual([]);
});

test('what a crash left is taken up by the sweep, and every customer is in the audit log, as an entry about it', async () => {
  const { importId } = await stand.preview(admin, csvFile([namedRow('One'), namedRow('Two')]));
  await stand.imports.start(admin, importId, { mode: 'all' });
  stand.people.clock.forward(10_000);
  await stand.imports.sweep();
  expect(await stand.imports.get(admin, importId)).toMatchObject({ state: 'done' });
  const log = await stand.database.systemDb
    .selectFrom('audit_log')
    .select(['actor_id', 'object', 'customer_id'])
    .where('organisation_id', '=', admin.organisationId)
    .where('action', '=', 'customers.create')
    .execute();
  const made = (await stand.listed(admin)).map(({ customerId }) => customerId);
  const entries = made.map((id) => ({ actor_id: admin.userId, object: id, customer_id: id }));
  expect(log).toHaveLength(2);
  expect(log).toEqual(expect.arrayContaining(entries));
  expect((await verifyAuditChain(stand.database.systemDb, admin.organisationId)).broken).toBeNull();
});

test('a file is kept for fourteen days: its rows after its end, and the look itself while nobody starts it', async () => {
  const now = stand.people.clock.now().getTime();
  const files = new Map<string, string>();
  for (const days of [13, 15]) {
    const past = new Date(now - days * 86_400_000);
    const { importId: done } = await stand.importAll(admin, csvFile([namedRow(days === 13 ? 'Ann' : 'Bob')]));
    const { importId: waiting } = await stand.preview(admin, csvFile([namedRow('Waiting')]));
    const db = stand.database.systemDb;
    await db.updateTable('imports').set({ created_at: past }).where('id', 'in', [done, waiting]).execute();
    await db.updateTable('imports').set({ ended_at: past }).where('id', '=', done).execute();
    files.set(`done ${days}`, done).set(`waiting ${days}`, waiting);
  }
  await stand.imports.tasks['customers.forget-imports']();
  const rowsLeft = async (name: string) => (await stand.rowsOf(admin, files.get(name) ?? '')).length > 0;
  expect([await rowsLeft('done 13'), await rowsLeft('done 15')]).toEqual([true, false]);
  const look = (name: string) => stand.imports.get(admin, files.get(name) ?? '');
  expect((await look('waiting 13')).state).toBe('ready');
  await expect(look('waiting 15')).rejects.toMatchObject({ code: 'not_found' });
});
