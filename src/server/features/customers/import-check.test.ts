import { describe, expect, test } from 'vitest';
import { type CsvRow, csvHeader, goodRow } from '../../../../tests/support/customer-file.ts';
import { type CheckedRow, type CheckInput, checkRows, matchKey } from './import-check.ts';

/** What a row makes of a customer that exists: a value whose own column the file does not have stays as it is. */

const fixed = (value: number) => ({ type: 'fixed' as const, value });
const percent = (value: number) => ({ type: 'percentage' as const, value });
const owner = {
  ...{ organization: 'Blue Fig Ltd', firstName: 'Ann', lastName: 'Smith', address1: '1 Main Street' },
  ...{ city: 'New York', state: 'NY', postalCode: '10001', country: 'US', email: 'ann@bluefig.example' },
  phone: '+1.2125550100',
};
const zoe = {
  ...owner,
  firstName: 'Zoe',
  phone: '+1.2125550177',
  address1: '9 Side Street',
  address2: 'Floor 3',
};
const before = {
  contacts: { owner, admin: zoe, billing: zoe },
  billing: { billDirectly: false, email: 'pay@bluefig.example', allowChangeBilling: false },
  markups: {
    domain: { purchase: percent(20), renewal: fixed(5) },
    certificate: { purchase: fixed(7), renewal: percent(12.5) },
  },
  allowDomainSettings: true,
};

/** The good customer with these columns more; `assumed` has the same value in all rows and is not in the file. */
async function check(
  more: CsvRow,
  { known = before, assumed = {} }: { known?: typeof before | null; assumed?: CsvRow } = {},
): Promise<CheckedRow> {
  const row = { ...goodRow, ...more, ...assumed };
  const columns = Object.keys(row);
  const found = known && { customerId: 'c1', version: 1, key: matchKey(known.contacts.owner), state: known };
  const input: CheckInput = {
    columns,
    records: [{ number: 2, cells: columns.map((name) => row[name] ?? '') }],
    assumed: Object.keys(assumed),
    find: async () => (found ? [found] : []),
    newId: () => 'new',
    refuse: () => [],
  };
  const [checked] = await checkRows(input);
  if (!checked) throw new Error('no row');
  return checked;
}

const changesOf = async (...given: Parameters<typeof check>) => (await check(...given)).notes;

test('a file without optional columns changes nothing of a customer that has values in all of them', async () => {
  expect(csvHeader).not.toContain('billing_email');
  expect(await check({})).toMatchObject({ kind: 'same', state: before, notes: [] });
});

test('a column of one markup leaves the others, and its value leaves its type', async () => {
  const checked = await check({ markups_domain_renewal_value: '6' });
  expect(checked.state).toEqual({
    ...before,
    markups: { ...before.markups, domain: { purchase: percent(20), renewal: fixed(6) } },
  });
  expect(checked.notes).toEqual([{ field: 'markups.domain.renewal.value', before: '5', after: '6' }]);
});

test('a type alone leaves the value, and an empty cell of a column that is there says what it says of a new one', async () => {
  expect(await changesOf({ markups_domain_purchase_type: 'fixed' })).toEqual([
    { field: 'markups.domain.purchase.type', before: 'percentage', after: 'fixed' },
  ]);
  expect(
    await changesOf({ markups_certificate_purchase_type: '', markups_domain_renewal_value: '' }),
  ).toEqual([
    { field: 'markups.domain.renewal.value', before: '5', after: '0' },
    { field: 'markups.certificate.purchase.type', before: 'fixed', after: 'percentage' },
  ]);
});

test.each(['10001', '5.001'])(
  'the limits hold for a value whose type stays: %s is refused',
  async (value) => {
    const { kind, notes } = await check({ markups_domain_renewal_value: value });
    expect([kind, notes]).toMatchObject(['faulty', [{ column: 'markups_domain_renewal_value', value }]]);
  },
);

test.each(['admin', 'billing'] as const)(
  'a column of the %s contact leaves its other fields',
  async (kind) => {
    const email = 'new@bluefig.example';
    const checked = await check({ [`contacts_${kind}_email`]: email });
    expect(checked.state).toEqual({
      ...before,
      contacts: { ...before.contacts, [kind]: { ...zoe, email } },
    });
    expect(checked.notes).toEqual([{ field: `contacts.${kind}.email`, before: owner.email, after: email }]);
  },
);

test('an empty cell of Admin is the owner’s value, that of an optional line is empty, and what has no column stays', async () => {
  const someEmpty = {
    ...{ contacts_admin_lastName: 'Fox', contacts_admin_firstName: '', contacts_admin_address2: '' },
    contacts_owner_firstName: 'Eve',
  };
  expect((await check(someEmpty)).state?.contacts).toEqual({
    owner: { ...owner, firstName: 'Eve' },
    admin: { ...zoe, firstName: 'Eve', lastName: 'Fox', address2: undefined },
    billing: zoe,
  });
  const allEmpty = { contacts_admin_firstName: '', contacts_admin_address2: '' };
  const known = { ...before, contacts: { ...before.contacts, owner: { ...owner, address2: 'Floor 1' } } };
  expect((await check(allEmpty, { known })).state?.contacts.admin).toEqual({
    ...zoe,
    ...{ firstName: 'Ann', address2: 'Floor 1' },
  });
});

test('a value for all rows is for new customers, and an empty cell of Admin does not take it from the owner', async () => {
  const assumed = {
    ...{ contacts_owner_city: 'Nowhere', contacts_billing_email: 'all@others.example' },
    ...{
      markups_domain_purchase_value: '99',
      billing_billDirectly: 'true',
      billing_email: 'all@others.example',
    },
    allowDomainSettings: 'false',
  };
  expect(await changesOf({ contacts_admin_city: '' }, { assumed })).toEqual([]);
  const made = await check({ contacts_admin_city: '' }, { known: null, assumed });
  expect(made.state).toMatchObject({
    contacts: {
      ...{ owner: { city: 'Nowhere' }, admin: { city: 'Nowhere' } },
      billing: { email: 'all@others.example', firstName: 'Ann' },
    },
    billing: { billDirectly: true, email: 'all@others.example' },
    markups: { domain: { purchase: percent(99) } },
  });
});

test('of a new customer what has no column is the owner’s, 0 percent, or off', async () => {
  const more = { contacts_admin_email: 'zoe@bluefig.example', markups_domain_renewal_value: '6' };
  const { kind, state } = await check(more, { known: null });
  expect([kind, state]).toEqual([
    'new',
    {
      contacts: { owner, admin: { ...owner, email: 'zoe@bluefig.example' }, billing: owner },
      billing: { billDirectly: false, email: '', allowChangeBilling: false },
      markups: {
        domain: { purchase: percent(0), renewal: percent(6) },
        certificate: { purchase: percent(0), renewal: percent(0) },
      },
      allowDomainSettings: false,
    },
  ]);
});

test('two rows for one customer are refused, whichever of the two names its id', async () => {
  const columns = ['customerId', ...Object.keys(goodRow)];
  const rowWith = (customerId: string) =>
    columns.map((name) => (name === 'customerId' ? customerId : (goodRow[name] ?? '')));
  const found = { customerId: 'c1', version: 1, key: matchKey(before.contacts.owner), state: before };
  const idOfRow = '5f0f6b0c-0000-4000-8000-000000000001';
  for (const ids of [
    ['', idOfRow],
    [idOfRow, ''],
    ['', ''],
    [idOfRow, idOfRow.toUpperCase()],
  ]) {
    const rows = await checkRows({
      columns,
      records: ids.map((id, index) => ({ number: index + 2, cells: rowWith(id) })),
      assumed: [],
      find: async () => [{ ...found, customerId: idOfRow }],
      newId: () => 'new',
      refuse: () => [],
    });
    expect(rows.map(({ kind }) => kind)).toEqual(['same', 'faulty']);
    expect(rows[1]?.notes[0]).toMatchObject({ reason: 'Row 2 is for the same customer' });
  }
});

describe('a row that cannot be taken', () => {
  const idOfRow = '5f0f6b0c-0000-4000-8000-000000000001';
  const known = (customerId: string) => ({
    ...{ customerId, version: 3, key: matchKey(before.contacts.owner), state: before },
  });
  const faultOf = async (more: CsvRow, found: ReturnType<typeof known>[] = []) => {
    const row = { ...goodRow, ...more };
    const [checked] = await checkRows({
      ...{ columns: Object.keys(row), records: [{ number: 2, cells: Object.values(row) }], assumed: [] },
      ...{ find: async () => found, newId: () => 'new', refuse: () => [] },
    });
    expect(checked).toMatchObject({ kind: 'faulty', customerId: null, version: null, state: null });
    return checked?.notes;
  };
  const unknown = 'There is no customer with this id. Leave the cell empty to create a new customer';

  test.each(['x', idOfRow, `${idOfRow}0`])(
    'names an id of nobody, and what helps is to leave it empty: %s',
    async (customerId) => {
      expect(await faultOf({ customerId })).toEqual([
        { column: 'customerId', value: customerId, reason: unknown, suggestion: '' },
      ]);
    },
  );

  test('fits two customers, and only the id can tell: nothing is suggested', async () => {
    expect(await faultOf({}, [known('c1'), known('c2')])).toEqual([
      {
        ...{ column: 'customerId', value: '', suggestion: null },
        reason: 'Several customers have this organization and email. Please enter the id of the one you mean',
      },
    ]);
  });

  test('is told each of its faults, with what stands there, cut where it is long', async () => {
    const [first, second, ...more] = (await faultOf({
      ...{ contacts_owner_organization: 'x'.repeat(300), contacts_owner_email: 'ann' },
    })) as { column: string; value: string }[];
    expect([first?.column, first?.value]).toEqual(['contacts_owner_organization', 'x'.repeat(200)]);
    expect([second?.column, second?.value, more]).toEqual(['contacts_owner_email', 'ann', []]);
  });

  test('says what its person may not write, at the column of each', async () => {
    const row = { ...goodRow, billing_email: 'pay@bluefig.example' };
    const asked: unknown[] = [];
    const checkedAgainst = (found: ReturnType<typeof known>[]) =>
      checkRows({
        ...{ columns: Object.keys(row), records: [{ number: 2, cells: Object.values(row) }], assumed: [] },
        ...{ find: async () => found, newId: () => 'new' },
        refuse: (former, after) => {
          asked.push([former, after.billing.email]);
          return [{ path: 'billing.email', message: 'Not you' }];
        },
      });
    for (const found of [[], [known('c1')]]) {
      expect((await checkedAgainst(found))[0]).toMatchObject({
        kind: 'faulty',
        notes: [{ column: 'billing_email', value: '', reason: 'Not you', suggestion: null }],
      });
    }
    expect(asked).toEqual([
      [null, 'pay@bluefig.example'],
      [before, 'pay@bluefig.example'],
    ]);
  });
});

test('customers are looked for by the id that a row names, else by organization and address, and of good rows alone', async () => {
  const idOfRow = '5f0f6b0c-0000-4000-8000-000000000001';
  const columns = ['customerId', ...Object.keys(goodRow)];
  const rows = [{ customerId: idOfRow }, { contacts_owner_organization: 'New' }, { contacts_owner_city: '' }];
  const asked: unknown[] = [];
  await checkRows({
    columns,
    records: rows.map((more, index) => {
      const row: CsvRow = { ...goodRow, ...more };
      return { number: index + 2, cells: columns.map((name) => row[name] ?? '') };
    }),
    ...{ assumed: [], newId: () => 'new', refuse: () => [] },
    find: async (wanted) => {
      asked.push(wanted);
      return [];
    },
  });
  expect(asked).toEqual([{ ids: [idOfRow], keys: ['new\nann@bluefig.example'] }]);
});
