import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { listedCustomers } from '../../../../tests/support/listed-customers.ts';
import { contactsOf, owner } from '../../../../tests/support/people.ts';
import { csvColumns } from '../../../contracts/values/customer-csv.ts';
import { noMarkups } from '../../../contracts/values/money.ts';
import { sql } from '../../kernel/db/database.ts';
import type { Scope } from '../../kernel/scope.ts';

let stand: ImportStand;
let admin: Scope;

beforeAll(async () => {
  stand = await openImportStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  admin = (await stand.people.organisation()).scope;
});

test('an export of all customers imports again unchanged, formulas, marks and odd contacts included', async () => {
  const odd = { lastName: '=cmd|A1', city: '-1+1', state: "'=x", address2: 'Floor "3", left' };
  await stand.people.customers.create(
    admin,
    {
      contacts: { ...contactsOf(odd), admin: { ...owner, firstName: 'Żółć', phone: '+48.221234567x12' } },
      billing: { billDirectly: true, email: 'pay@example.com', allowChangeBilling: true },
      markups: {
        domain: { purchase: { type: 'fixed', value: 2.5 }, renewal: { type: 'percentage', value: 12.25 } },
        certificate: noMarkups.certificate,
      },
    },
    null,
  );
  await stand.people.customers.create(
    admin,
    {
      contacts: contactsOf({ organization: 'Zwei' }),
      billing: { billDirectly: false, email: '', allowChangeBilling: false },
    },
    null,
  );
  const before = await listedCustomers(stand.people.customers, admin, { pageSize: 50 });
  const bytes = await buffer(await stand.exporting.all(admin));
  const cells = bytes
    .toString()
    .split(/[,\r\n]+/)
    .map((cell) => cell.replace(/^\ufeff?"?/, ''));
  expect(cells.filter((cell) => /^[=+\-@\t\0]/.test(cell))).toEqual([]);
  expect(await stand.importAll(admin, bytes)).toMatchObject({
    state: 'done',
    rows: { new: 0, changed: 0, same: 2, faulty: 0 },
  });
  expect(await listedCustomers(stand.people.customers, admin, { pageSize: 50 })).toEqual(before);
});

/** A customer whose parts all differ from each other and from what is assumed. */
const markup = (type: 'fixed' | 'percentage', value: number) => ({ type, value });
const whole = {
  contacts: {
    owner: { ...owner, organization: 'Whole', city: 'Oslo', address2: 'Floor 2', address3: 'Door 3' },
    admin: {
      ...owner,
      organization: 'Whole A',
      city: 'Rome',
      email: 'admin@whole.example',
      address2: 'Left',
    },
    billing: { ...owner, organization: 'Whole B', city: 'Bern', email: 'billing@whole.example' },
  },
  billing: { billDirectly: true, email: 'pay@whole.example', allowChangeBilling: true },
  markups: {
    domain: { purchase: markup('fixed', 1), renewal: markup('percentage', 2) },
    certificate: { purchase: markup('percentage', 3), renewal: markup('fixed', 4) },
  },
};

test('every part of a customer comes through a file to where it was: of a new one, and of one who was changed', async () => {
  const { customers } = stand.people;
  const { customerId } = await customers.create(admin, whole, null);
  await customers.update(admin, customerId, { allowDomainSettings: true } as never);
  const bytes = await buffer(await stand.exporting.all(admin));
  const before = await customers.get(admin, customerId);
  const partsOf = ({ contacts, billing, markups, allowDomainSettings }: typeof before) => ({
    ...{ contacts, billing, markups, allowDomainSettings },
  });
  // The same file for an organization that does not have them.
  const stranger = (await stand.people.organisation('Others')).scope;
  const columns = Object.fromEntries(csvColumns.slice(1).map((name) => [name, name]));
  const key = await stand.put(stranger, bytes);
  await stand.imports.finish(stranger, { key, preview: false, mapping: { columns, values: {} } });
  const [copy] = await stand.listed(stranger);
  expect(copy && partsOf(copy)).toEqual(partsOf(before));
  expect([copy?.version, copy?.customerId === customerId]).toEqual([1, false]);
  // Changed in all of it, they are again what the file says.
  await customers.update(admin, customerId, {
    contacts: contactsOf({ organization: 'Other' }),
    billing: { billDirectly: false, email: 'other@whole.example', allowChangeBilling: false },
    ...{ markups: noMarkups, allowDomainSettings: false },
  } as never);
  expect(await stand.importAll(admin, bytes)).toMatchObject({ state: 'done', rows: { changed: 1, new: 0 } });
  const after = await customers.get(admin, customerId);
  expect(partsOf(after)).toEqual(partsOf(before));
  expect(after.version).toBe(before.version + 2);
});

test('an export is in the log, as one of the whole organization', async () => {
  await stand.exporting.all(admin);
  const { organisationId: object } = admin;
  expect(await logged(stand.database.db, admin, 'customers.csvExport')).toEqual([
    { by: admin.userId, kind: 'organisation', object, before: null, after: null },
  ]);
});

test('one odd row in the database breaks neither the list, nor the other rows of the export, nor a new import', async () => {
  const make = (organization: string) =>
    stand.people.customers.create(
      admin,
      {
        contacts: contactsOf({ organization }),
        billing: { billDirectly: false, email: '', allowChangeBilling: false },
      },
      null,
    );
  for (const name of ['Before', 'Odd', 'After']) await make(name);
  await sql`UPDATE customers SET admin = '{"phone": 7}',
      markups = '{"domain": {"purchase": {"type": "fixed", "value": 3}, "renewal": {"type": "often", "value": "x"}}}'
    WHERE organization = 'Odd'`.execute(stand.database.systemDb);
  const { rows } = await stand.people.customers.list(admin, { pageSize: 50, search: 'Odd' });
  const fixed = { type: 'fixed', value: 3 };
  expect(JSON.parse(rows[0] ?? '').markups).toEqual({
    ...noMarkups,
    domain: { ...noMarkups.domain, purchase: fixed },
  });
  const bytes = await buffer(await stand.exporting.all(admin));
  const lines = bytes.toString().trimEnd().split('\r\n');
  expect(lines.slice(1).map((line) => /(Before|Odd|After)/.exec(line)?.[0])).toEqual(
    expect.arrayContaining(['Before', 'Odd', 'After']),
  );
  expect(lines.find((line) => line.includes('Odd'))).toContain('fixed,3,percentage,0');
  expect(await stand.importAll(admin, bytes)).toMatchObject({ state: 'done', rows: { new: 0, faulty: 0 } });
});

test('the sample imports as it is', async () => {
  expect(await stand.importAll(admin, stand.exporting.sample())).toMatchObject({
    state: 'done',
    rows: { new: 2, faulty: 0 },
  });
});
