import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { listedCustomers } from '../../../../tests/support/listed-customers.ts';
import { contactsOf, owner } from '../../../../tests/support/people.ts';
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
