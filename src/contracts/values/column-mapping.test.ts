import { expect, test } from 'vitest';
import { crmFiles } from '../../../tests/support/crm-files.ts';
import { csvHeader } from '../../../tests/support/customer-file.ts';
import {
  assumedColumns,
  mapped,
  missingColumns,
  type NamedMapping,
  proposedMapping,
} from './column-mapping.ts';
import { requiredColumns, unreadColumns } from './customer-csv.ts';

test.each(crmFiles)(
  'the columns of $program are known by their header, and nothing is left to ask',
  (file) => {
    const { name, mapping } = proposedMapping(file.header, []);
    expect(name).toBe(file.program === 'own' ? null : file.program);
    expect(missingColumns(mapping)).toEqual([]);
    expect(new Set(Object.values(mapping.columns)).size).toBe(Object.values(mapping.columns).length);
  },
);

test('the specified header maps to itself', () => {
  const { mapping } = proposedMapping(csvHeader, []);
  expect(mapping).toEqual({ columns: Object.fromEntries(csvHeader.map((name) => [name, name])), values: {} });
});

test('what a header does not have is asked for; direct billing is off unless the file says otherwise', () => {
  const { mapping } = proposedMapping(['Company', 'Mystery', '', 'Zip'], []);
  expect(mapping.columns).toEqual({
    contacts_owner_organization: 'Company',
    contacts_owner_postalCode: 'Zip',
  });
  expect(mapping.values).toEqual({ billing_billDirectly: 'false', billing_allowChangeBilling: 'false' });
  const asked = requiredColumns.filter((name) => !/organization|postalCode|billing_/.test(name));
  expect(missingColumns(mapping)).toEqual(asked);
  expect(missingColumns({ ...mapping, values: { contacts_owner_country: 'US' } })).not.toContain(
    'contacts_owner_country',
  );
});

test('a column of the file is read as one of ours alone', () => {
  const { name, mapping } = proposedMapping(['Client Name', 'Site Name', 'Surname', 'Address Line 3'], []);
  expect(name).toBe('HaloPSA');
  expect(mapping.columns).toEqual({
    contacts_owner_organization: 'Client Name',
    contacts_owner_lastName: 'Surname',
    contacts_owner_city: 'Address Line 3',
  });
});

test('a column of whole names is not read where there is one of last names', () => {
  const { mapping } = proposedMapping(['Name', 'Last Name', 'Mail'], []);
  expect(mapping.columns).toEqual({ contacts_owner_lastName: 'Last Name', contacts_owner_email: 'Mail' });
});

test('a kept mapping comes before everything else when the file has all its columns', () => {
  const mapping = { columns: { contacts_owner_city: 'Mystery' }, values: {} };
  const own = [{ id: 'x', name: 'Mine', mapping }];
  expect(proposedMapping(['Company', 'Mystery'], own)).toEqual(own[0]);
  expect(proposedMapping(['Company'], own).id).toBeNull();
  const both = { columns: { ...mapping.columns, contacts_owner_organization: 'Company' }, values: {} };
  expect(proposedMapping(['Company'], [{ id: 'y', name: 'Both', mapping: both }]).id).toBeNull();
});

test.each<NamedMapping['mapping']['columns']>([{}, { billing_email: '' }])(
  'a kept mapping that reads no column, and would fit every file, is not proposed: %j',
  (columns) => {
    const own = { id: 'v', name: 'Germans', mapping: { columns, values: { contacts_owner_country: 'DE' } } };
    expect(proposedMapping(['Company', ''], [own]).id).toBeNull();
  },
);

test('of several kept mappings that fit, the one that reads the most columns is proposed', () => {
  const reading = (id: string, columns: NamedMapping['mapping']['columns']): NamedMapping => ({
    ...{ id, name: id, mapping: { columns, values: {} } },
  });
  const [one, two] = [
    reading('one', { contacts_owner_city: 'Mystery' }),
    reading('two', { contacts_owner_city: 'Mystery', contacts_owner_organization: 'Company' }),
  ];
  for (const own of [
    [one, two],
    [two, one],
  ]) {
    expect(proposedMapping(['Company', 'Mystery'], own).id).toBe('two');
  }
});

test('a value is assumed where the file has no column for it', () => {
  const values = { contacts_owner_country: 'DE', billing_billDirectly: 'false' };
  expect(assumedColumns({ columns: { contacts_owner_country: 'Land' }, values })).toEqual([
    'billing_billDirectly',
  ]);
});

test('a row in our columns: names in one column are parted, fixed values are filled in, other columns follow unread', () => {
  const header = ['Name', 'Shoe', 'Firma', ''];
  const columns = { contacts_owner_wholeName: 'Name', contacts_owner_organization: 'Firma' };
  const { columns: ours, row } = mapped(header, { columns, values: { contacts_owner_country: 'DE' } });
  expect(ours).toEqual([
    'contacts_owner_firstName',
    'contacts_owner_lastName',
    'contacts_owner_country',
    'contacts_owner_organization',
    'Shoe',
    '',
  ]);
  expect(row(['Ann Marie Smith', '38', 'Blue', ''])).toEqual(['Ann Marie', 'Smith', 'DE', 'Blue', '38', '']);
  expect(row(['Smith, Ann Marie', '', 'Blue', '', 'too many']).slice(0, 2)).toEqual(['Ann Marie', 'Smith']);
  expect(row(['Cher'])).toEqual(['Cher', '', 'DE', '', '', '']);
  expect(unreadColumns(ours)).toEqual(['Shoe']);
});

test('a column of whole names is parted wherever it stands', () => {
  const { row } = mapped(['Firma', 'Name'], {
    columns: { contacts_owner_wholeName: 'Name', contacts_owner_organization: 'Firma' },
    values: {},
  });
  expect(row(['Blue', 'Ann Smith'])).toEqual(['Ann', 'Smith', 'Blue']);
});

test('without a column of whole names, a row has the first and last name where the mapping says', () => {
  const { columns, row } = mapped(['Company', 'Contact'], {
    columns: { contacts_owner_organization: 'Company', contacts_owner_lastName: 'Contact' },
    values: {},
  });
  expect(columns).toEqual(['contacts_owner_lastName', 'contacts_owner_organization']);
  expect(row(['Blue', 'Smith'])).toEqual(['Smith', 'Blue']);
  const fixed = mapped(['Company'], {
    columns: { contacts_owner_organization: 'Company' },
    values: { contacts_owner_firstName: 'Ann', contacts_owner_lastName: 'Smith' },
  });
  expect(fixed.row(['Blue'])).toEqual(['Ann', 'Smith', 'Blue']);
});
