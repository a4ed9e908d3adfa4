import { describe, expect, test } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  type Opened,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import CustomerFileScreen from './customer-file.tsx';

const columns = {
  ...{
    contacts_owner_organization: 'Firm',
    contacts_owner_firstName: 'First',
    contacts_owner_lastName: 'Last',
  },
  ...{ contacts_owner_address1: 'Street', contacts_owner_city: 'Town', contacts_owner_state: 'Region' },
  ...{ contacts_owner_postalCode: 'Zip', contacts_owner_email: 'Mail' },
};
const values = { billing_billDirectly: 'false', billing_allowChangeBilling: 'false' };
/** Phone and country are still to be said. */
const look = {
  ...{ charsets: [], specified: false, rowCount: 1_200, source: null, mapping: { columns, values } },
  columns: ['Firm', 'First', 'Last', 'Street', 'Town', 'Region', 'Zip', 'Mail', 'Tel', 'Tel', 'Note', ''],
  rows: [['Acme', 'Ann', 'Smith', '1 Main St', 'Troy', 'NY', '12180', 'ann@a.example', '555', '', 'x', '']],
};
const whole = {
  ...look,
  mapping: {
    columns: { ...columns, contacts_owner_phone: 'Tel' },
    values: { ...values, contacts_owner_country: 'NO' },
  },
};
const checked = {
  ...{ importId: uuid(41), fileName: 'of ours.csv', state: 'ready', mode: null, notice: '', judged: 1 },
  ...{ rows: { new: 1, changed: 0, same: 0, faulty: 0 }, suggested: 0, unread: [] },
  ...{ progress: { done: 0, total: 0 }, createdAt: '2026-11-01T00:00:00Z', endedAt: null },
};
const kept = [
  { id: uuid(51), name: 'Our CRM', mapping: { columns: { contacts_owner_city: 'Note' }, values: {} } },
  { id: uuid(52), name: 'Old CRM', mapping: whole.mapping },
];

const read = 'POST /customer/import/look';
const finish = 'POST /customer/upload-csv-finish';
const mappings = 'GET /customer/import/mapping';
const keep = 'POST /customer/import/mapping';
const drop = 'DELETE /customer/import/mapping/:id';
const address = '/customers/import/file?file=uploads/1&name=of%20ours.csv';
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const open = (answers: Answers = {}, path = address) =>
  openScreen(CustomerFileScreen, {
    ...{ route: '/customers/import/file', path },
    answers: { [read]: look, [mappings]: [], ...answers },
  });
const column = (label: string) =>
  within(screen.getByRole('region', { name: 'Columns' })).getByLabelText<HTMLInputElement>(
    new RegExp(`^${label}`),
    { selector: 'input' },
  );
async function choose({ user }: Pick<Opened, 'user'>, select: HTMLInputElement, option: string) {
  await user.click(select);
  const list = document.getElementById(select.getAttribute('aria-controls') ?? '');
  await user.click(within(list ?? document.body).getByRole('option', { name: option }));
}

describe('a file in an unknown character set', () => {
  const sets = ['windows-1252', 'windows-1250', 'macintosh', 'koi8-r', 'big5'];
  const asked = {
    ...look,
    charsets: sets.map((charset) => ({ charset, label: `Set ${charset}`, cells: [`Cell ${charset}`] })),
  };

  test('shows its cells in each, the likely ones first, and is read in the one that is chosen', async () => {
    const { user, sent, path } = await open({
      [read]: ({ body }: { body: { charset?: string } }) => (body.charset ? look : asked),
    });
    expect(screen.queryByRole('button', { name: /^Check/ })).toBeNull();
    expect(screen.getByText('Cell koi8-r')).toBeDefined();
    expect(screen.queryByText('Cell big5')).toBeNull();
    await user.click(button('Show 1 more'));
    await user.click(button('Use this: Set big5'));
    expect(Object.fromEntries(new URLSearchParams(path().split('?')[1]))).toEqual({
      ...{ file: 'uploads/1', name: 'of ours.csv', charset: 'big5' },
    });
    expect(sent(read).map(({ body }) => body)).toEqual([
      { key: 'uploads/1' },
      { key: 'uploads/1', charset: 'big5' },
    ]);
    expect(screen.getByText(/read as Chinese \(Big5\)/)).toBeDefined();
    expect(button('Check 1,200 rows')).toBeDefined();
  });
});

describe('the columns of a file', () => {
  test('that are required and not chosen say so at their fields, and nothing is sent', async () => {
    const { user, sent } = await open();
    expect(screen.getByText(/^We matched the columns by their names. 2 required columns are/)).toBeDefined();
    expect(fieldErrors()).toEqual({});
    await user.click(button('Check 1,200 rows'));
    expect(fieldErrors()).toEqual({ Country: 'This field is required', Phone: 'This field is required' });
    expect(['Country', 'Phone'].map(column)).toContain(document.activeElement);
    expect(sent(finish)).toEqual([]);
  });

  test('are sent as they were chosen, with the file, its name and its character set', async () => {
    const opened = await open({ [finish]: checked }, `${address}&charset=big5`);
    await choose(opened, column('Phone'), 'Tel');
    await choose(opened, column('Country'), 'All new customers: Norway');
    await choose(opened, column('City'), 'Note');
    await choose(opened, column('Direct billing'), 'Yes, for all new customers');
    expect(screen.queryByText(/still missing/)).toBeNull();
    await opened.user.click(button('Check 1,200 rows'));
    expect(opened.sent(finish).map(({ body }) => body)).toEqual([
      {
        ...{ key: 'uploads/1', fileName: 'of ours.csv', preview: true, charset: 'big5' },
        mapping: {
          columns: { ...columns, contacts_owner_phone: 'Tel', contacts_owner_city: 'Note' },
          values: { ...values, contacts_owner_country: 'NO', billing_billDirectly: 'true' },
        },
      },
    ]);
    expect(opened.path()).toBe(`/customers/import/${uuid(41)}`);
  });

  test('take a value’s place, and a value theirs; the rare ones are there on request', async () => {
    const opened = await open({ [read]: whole, [finish]: checked });
    await choose(opened, column('Country'), 'Note');
    expect(screen.queryByLabelText(/^Admin contact: Company/)).toBeNull();
    await opened.user.click(button('Show Admin, Billing and markup columns'));
    await choose(opened, column('Admin contact: Company'), 'Note');
    await opened.user.click(button('Check 1,200 rows'));
    expect(opened.sent(finish)[0]?.body).toEqual({
      ...{ key: 'uploads/1', fileName: 'of ours.csv', preview: true },
      mapping: {
        columns: {
          ...whole.mapping.columns,
          ...{ contacts_owner_country: 'Note', contacts_admin_organization: 'Note' },
        },
        values,
      },
    });
  });

  test('are none of them again where a choice is taken back', async () => {
    const opened = await open({ [read]: whole, [finish]: checked });
    await choose(opened, column('Address line 2'), 'Note');
    const field = column('Address line 2');
    const clear = field.closest('.mantine-Select-root')?.querySelector('button');
    await opened.user.click(clear as HTMLElement);
    expect(field.value).toBe('');
    // What is required can be chosen otherwise, and not taken back.
    expect(column('City').closest('.mantine-Select-root')?.querySelector('button')).toBeNull();
    await opened.user.click(button('Check 1,200 rows'));
    expect(opened.sent(finish).map(({ body }) => (body as { mapping: object }).mapping)).toEqual([
      whole.mapping,
    ]);
  });

  test('show the first rows as they would be read', async () => {
    const opened = await open();
    const table = () =>
      within(screen.getByRole('region', { name: 'First rows' }))
        .getAllByRole('row')
        .map((line) => [...line.querySelectorAll('th, td')].map((cell) => cell.textContent));
    const heads = [
      'Company',
      'First name',
      'Last name',
      'Address line 1',
      'City',
      'State',
      'Postal code',
      'Email',
    ];
    const billing = ['Direct billing', 'May change billing data'];
    expect(table()).toEqual([
      [...heads, ...billing],
      ['Acme', 'Ann', 'Smith', '1 Main St', 'Troy', 'NY', '12180', 'ann@a.example', 'false', 'false'],
    ]);
    await choose(opened, column('City'), 'Note');
    expect(table()[1]?.[4]).toBe('x');
  });

  test('of a known program are told as such', async () => {
    await open({ [read]: { ...whole, source: 'Autotask', rowCount: 1 } });
    expect(screen.getByText('The columns are those of Autotask.')).toBeDefined();
    expect(button('Check 1 row')).toBeDefined();
  });
});

describe('a check', () => {
  test('is asked for once, and says that it is under way', async () => {
    const answer = new Held();
    const { user, sent, settled } = await open({ [read]: whole, [finish]: answer });
    await user.click(button('Check 1,200 rows'));
    expect(button('Checking...').disabled).toBe(true);
    await user.click(button('Checking...'));
    answer.give(checked);
    await settled();
    expect(sent(finish)).toHaveLength(1);
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'No rows.' }), 'No rows.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says why, and the columns stay as they were chosen', async (_what, how, message) => {
    const opened = await open({ [read]: whole, [finish]: how });
    await choose(opened, column('City'), 'Note');
    await opened.user.click(button('Check 1,200 rows'));
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(column('City').value).toBe('Note');
    await opened.user.click(button('Check 1,200 rows'));
    expect(opened.sent(finish)).toHaveLength(2);
    expect(opened.path()).toContain('/customers/import/file');
  });
});

describe('saved columns', () => {
  const saved = () => within(screen.getByRole('region', { name: 'Saved columns' }));
  const status = () => saved().getByRole('status').textContent;
  const use = () => saved().getByLabelText<HTMLInputElement>('Use saved columns', { selector: 'input' });

  test('are used when they are chosen, and the chosen ones are removed', async () => {
    const opened = await open({ [mappings]: kept, [drop]: refused(503, 'unavailable') });
    expect(button('Remove').disabled).toBe(true);
    await choose(opened, use(), 'Old CRM');
    expect(column('Phone').value).toBe('Tel');
    expect(column('Country').value).toBe('All new customers: Norway');
    await opened.user.click(button('Remove'));
    expect(status()).toBe('Not this time');
    expect(use().value).toBe('Old CRM');
    opened.answer(drop, {});
    opened.answer(mappings, [kept[0]]);
    await opened.user.click(button('Remove'));
    expect(opened.sent(drop).map(({ params }) => params)).toEqual([{ id: uuid(52) }, { id: uuid(52) }]);
    expect(status()).toBe('');
    expect(use().value).toBe('');
    // What was taken over from them stays.
    expect(column('Phone').value).toBe('Tel');
  });

  test('are kept under a name as they are chosen now; refused, the name stays', async () => {
    const opened = await open({ [keep]: refused(422, 'unprocessable', { message: 'Too many.' }) });
    // None is there to be used.
    expect(saved().queryByLabelText('Use saved columns', { selector: 'input' })).toBeNull();
    expect(button('Save').disabled).toBe(true);
    await choose(opened, column('Phone'), 'Tel');
    await opened.user.type(screen.getByLabelText('Save these columns for the next file'), 'Ours');
    await opened.user.click(button('Save'));
    expect(status()).toBe('Too many.');
    expect(screen.getByLabelText('Save these columns for the next file')).toHaveProperty('value', 'Ours');
    const mapping = { columns: { ...columns, contacts_owner_phone: 'Tel' }, values };
    opened.answer(keep, { id: uuid(53), name: 'Ours', mapping });
    opened.answer(mappings, [{ id: uuid(53), name: 'Ours', mapping }]);
    await opened.user.click(button('Save'));
    expect(opened.sent(keep).map(({ body }) => body)).toEqual([
      { name: 'Ours', mapping },
      { name: 'Ours', mapping },
    ]);
    expect(status()).toBe('Saved as Ours.');
    expect(use()).toBeDefined();
  });

  test('that cannot be read say so, and are read again on request', async () => {
    const { user, answer } = await open({ [mappings]: refused(503, 'unavailable') });
    answer(mappings, kept);
    await user.click(button('Try again'));
    expect(use()).toBeDefined();
  });
});

test('without a file it leads to the customers and asks for nothing', async () => {
  const { path, sent } = await open({}, '/customers/import/file');
  expect(path()).toBe('/customers');
  expect(sent(read)).toEqual([]);
});

test('a file that cannot be read says so, and is read again on request', async () => {
  const { user, answer } = await open({ [read]: refused(404, 'not_found', { message: 'It is gone.' }) });
  expect(screen.getByRole('alert').textContent).toContain('It is gone.');
  answer(read, look);
  await user.click(button('Try again'));
  expect(button('Check 1,200 rows')).toBeDefined();
});
