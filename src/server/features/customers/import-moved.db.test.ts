import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { csvFile, csvHeader, namedRow } from '../../../../tests/support/customer-file.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import type { Scope } from '../../kernel/scope.ts';

/** A checked file is written as it was shown, or shown again: what happens meanwhile to the customers that it names. */

let stand: ImportStand;
let admin: Scope;
let foreign: Scope;
/** The three customers that are there when the file is checked, by name. */
let ids: Map<string, string>;
beforeAll(async () => {
  stand = await openImportStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  admin = (await stand.people.organisation()).scope;
  foreign = (await stand.people.organisation('Others')).scope;
  await stand.importAll(admin, csvFile(['Edited', 'Same', 'Beside'].map((name) => namedRow(name))));
  const listed = await stand.listed(admin);
  ids = new Map(listed.map((row) => [row.contacts.owner.organization, row.customerId]));
  // Another file was looked at, and waits.
  await stand.preview(admin, csvFile([namedRow('Beside', boston), namedRow('Edited'), namedRow('Another')]));
});

const boston = { contacts_owner_city: 'Boston' };
/** One customer changes, one stays as it is, and one comes. */
const file = () => csvFile([namedRow('Edited', boston), namedRow('Same'), namedRow('Coming')]);
/** The same, with the changed and the same one named by id. */
const fileOfIds = () => {
  const idOf = (name: string) => ({ customerId: ids.get(name) ?? '' });
  const rows = [namedRow('Edited', { ...boston, ...idOf('Edited') }), namedRow('Same', idOf('Same'))];
  return csvFile([...rows, namedRow('Coming')], [...csvHeader, 'customerId']);
};
const shown = { new: 1, changed: 1, same: 1, faulty: 0 };

const contactsIn = (organization: string, city: string) =>
  contactsOf({ organization, email: 'ann@bluefig.example', city });
const remove = (name: string) => stand.people.customers.remove(admin, ids.get(name) ?? '');
const edit = (name: string) =>
  stand.people.customers.update(admin, ids.get(name) ?? '', { contacts: contactsIn(name, 'Oslo') });
const come = async (scope: Scope) => {
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  const made = await stand.people.customers.create(
    scope,
    { contacts: contactsIn('Coming', 'Oslo'), billing },
    null,
  );
  return () => stand.people.customers.remove(scope, made.customerId);
};

/** All that the organization has of customers, deleted ones too, and its log of them. */
async function written() {
  const { systemDb } = stand.database;
  const of = admin.organisationId;
  return {
    customers: await systemDb
      .selectFrom('customers')
      .select(['id', 'owner', 'version', 'deleted_at'])
      .where('organisation_id', '=', of)
      .orderBy('id')
      .execute(),
    log: await systemDb
      .selectFrom('audit_log')
      .select(['sequence', 'action', 'object'])
      .where('organisation_id', '=', of)
      .orderBy('sequence')
      .execute(),
  };
}

const isStarted = async (importId: string) =>
  expect((await stand.imports.start(admin, importId, { mode: 'all' })).state).toBe('importing');

/** Checked, started and written, with something that happens after the look or after the start. */
async function importWith(happens: () => Promise<unknown>, after: 'look' | 'start', contents: string) {
  const { importId, rows } = await stand.preview(admin, contents);
  expect(rows).toEqual(shown);
  if (after === 'look') await happens();
  await isStarted(importId);
  if (after === 'start') await happens();
  const before = await written();
  await stand.run(admin, importId);
  return { importId, before, found: await stand.imports.get(admin, importId) };
}

type Case = [what: string, happens: () => Promise<unknown>, rows: object, contents?: () => string];

describe.each(['look', 'start'] as const)('after the %s of a file', (after) => {
  test.each<Case>([
    ['the customer of a changed row was deleted', () => remove('Edited'), { new: 2, changed: 0 }],
    ['the customer of an unchanged row was deleted', () => remove('Same'), { new: 2, same: 0 }],
    ['the customer of a changed row was edited', () => edit('Edited'), {}],
    ['the customer of an unchanged row was edited', () => edit('Same'), { changed: 2, same: 0 }],
    ['the customer of a new row came otherwise', () => come(admin), { new: 0, changed: 2 }],
    [
      'a changed row’s customer, named by id, was deleted',
      () => remove('Edited'),
      { changed: 0, faulty: 1 },
      fileOfIds,
    ],
    [
      'an unchanged row’s customer, named by id, was deleted',
      () => remove('Same'),
      { same: 0, faulty: 1 },
      fileOfIds,
    ],
  ])(
    '%s: nothing is written, and the file is shown again as it is now',
    async (_what, happens, rows, contents = file) => {
      const { importId, before, found } = await importWith(happens, after, contents());
      expect(found).toMatchObject({
        ...{ state: 'ready', rows: { ...shown, ...rows }, judged: 2 },
        notice: expect.stringContaining('changed since this file was checked'),
      });
      expect(await written()).toEqual(before);
      if (found.rows.faulty > 0) return;
      // Shown again, it is what they want.
      await isStarted(importId);
      await stand.run(admin, importId);
      expect(await stand.imports.get(admin, importId)).toMatchObject({ state: 'done' });
      const cities = (await stand.listed(admin)).map(({ contacts: { owner } }) => [
        owner.organization,
        owner.city,
      ]);
      expect(cities).toEqual([
        ['Beside', 'New York'],
        ['Coming', 'New York'],
        ['Edited', 'Boston'],
        ['Same', 'New York'],
      ]);
    },
  );

  test.each<Case>([
    ['a customer whom the file does not name was deleted', () => remove('Beside'), {}],
    ['a customer whom the file does not name was edited', () => edit('Beside'), {}],
    ['another organization made a customer like the new one', () => come(foreign), {}],
    ['a customer like the new one came and was deleted', async () => (await come(admin))(), {}],
  ])('%s: the file is written as it was shown', async (_what, happens) => {
    const { before, found } = await importWith(happens, after, file());
    expect(found).toMatchObject({ state: 'done', rows: shown });
    const now = await written();
    const edited = ids.get('Edited') ?? '';
    const added = now.customers.find(({ id }) => before.customers.every((one) => one.id !== id));
    expect(added).toMatchObject({ version: 1, owner: { organization: 'Coming', city: 'New York' } });
    expect(now.customers.filter(({ id }) => id !== added?.id)).toEqual(
      before.customers.map((one) =>
        one.id === edited ? { ...one, version: 2, owner: { ...(one.owner as object), city: 'Boston' } } : one,
      ),
    );
    expect(now.log.slice(before.log.length)).toMatchObject([
      { action: 'customers.update', object: edited },
      { action: 'customers.create', object: added?.id },
    ]);
  });
});

test('a file of several batches makes and changes each customer once, and logs each once', async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => `Row ${n}`);
  const before = await written();
  const former = new Set(before.customers.map(({ id }) => id));
  for (const [more, version, action] of [
    [{}, 1, 'customers.create'],
    [boston, 2, 'customers.update'],
  ] as const) {
    const { log } = await written();
    const done = await stand.importAll(admin, csvFile(many.map((name) => namedRow(name, more))));
    expect(done).toMatchObject({ state: 'done', progress: { done: 1_001, total: 1_001 } });
    const now = await written();
    const found = now.customers.filter(({ id }) => !former.has(id));
    expect(found.map((one) => one.version)).toEqual(many.map(() => version));
    expect(now.customers.filter(({ id }) => former.has(id))).toEqual(before.customers);
    const logged = now.log.slice(log.length).map((entry) => `${entry.action} ${entry.object}`);
    expect(logged.sort()).toEqual(found.map(({ id }) => `${action} ${id}`).sort());
  }
  // Handed out, they are as many: none is left out between two parts of the file.
  const lines = (await buffer(await stand.exporting.all(admin))).toString().trimEnd().split('\r\n').slice(1);
  const living = (await written()).customers.map(({ id }) => id);
  expect(lines.map((line) => line.split(',')[0])).toEqual(living);
});
