import { fireEvent } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  file,
  Held,
  type Opened,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import type { Role } from '../../contracts/permissions.ts';
import CustomersScreen from './customers.tsx';

const none = { type: 'percentage', value: 0 };
const customer = (n: number, organization: string, more: object = {}) => {
  const owner = {
    ...{ organization, firstName: 'Ann', lastName: 'Smith', address1: '1 Main St', city: 'Troy' },
    ...{ state: 'NY', postalCode: '12180', country: 'US', email: 'ann@a.example', phone: '+1.5185550100' },
    ...more,
  };
  return {
    ...{ customerId: uuid(n), contacts: { owner, admin: owner, billing: owner } },
    billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false },
    markups: { domain: { purchase: none, renewal: none }, certificate: { purchase: none, renewal: none } },
    ...{ domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 1 },
    chargesStopped: null,
    createdAt: '2026-11-01T00:00:00Z',
  };
};
const acme = customer(21, 'Acme');
const busy = { ...customer(22, 'Busy', { firstName: 'Zoe', country: 'CA', state: 'ON' }), domainsCount: 3 };
const zeta = customer(23, 'Zeta');
const found = (n: number, state: string, more: object = {}) => ({
  ...{ importId: uuid(n), fileName: `${n}.csv`, state, mode: null, notice: '', judged: 1 },
  ...{ rows: { new: 1, changed: 0, same: 0, faulty: 0 }, suggested: 0, unread: [] },
  ...{ progress: { done: 0, total: 0 }, createdAt: '2026-11-01T00:00:00Z', endedAt: null, ...more },
});

const list = 'GET /customer';
const remove = 'DELETE /customer/:id';
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const open = (
  answers: Answers = {},
  { role = 'MSP_OWNER', path = '/customers' }: { role?: Role; path?: string } = {},
) =>
  openScreen(CustomersScreen, {
    ...{ route: path.replace(/\?.*/, ''), path, role },
    answers: {
      ...{ [list]: paged([acme, busy, zeta]), 'GET /customer/import': [], 'GET /view': [] },
      ...answers,
    },
  });

describe('the list of customers', () => {
  test('shows who each is, and asks for the page and order of the address', async () => {
    const { user, sent, path } = await open({}, { path: '/customers?search=a&sort=-contact' });
    expect(screen.getByRole('heading', { name: 'Your current customers' })).toBeDefined();
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      ...['Organization', 'Location', 'Contact', 'Domains', 'Delete', 'Open'],
    ]);
    expect(screen.getByLabelText('Search customers')).toHaveProperty('value', 'a');
    const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1);
    // An arrow at the end.
    expect(rows.every((row) => row.querySelector('td:last-child svg') !== null)).toBe(true);
    expect(
      rows.map((row) => [...row.querySelectorAll('td')].slice(0, 4).map((cell) => cell.textContent)),
    ).toEqual([
      ['Acme', 'United States of America, NY', 'Ann Smith', '0'],
      ['Busy', 'Canada, ON', 'Zoe Smith', '3'],
      ['Zeta', 'United States of America, NY', 'Ann Smith', '0'],
    ]);
    expect(screen.getByRole('link', { name: 'Busy' }).getAttribute('href')).toBe(`/customers/${uuid(22)}`);
    await user.click(button('Domains'));
    expect(path()).toContain('sort=domains');
    expect(sent(list).map(({ query }) => query)).toEqual([
      { page: '1', pageSize: '50', sort: '-contact', search: 'a' },
      { page: '1', pageSize: '50', sort: 'domains', search: 'a' },
    ]);
  });

  test('is paged and searched in its address', async () => {
    const { user, sent, path, settled } = await open({ [list]: paged([acme, zeta], { total: 60 }) });
    expect(screen.getByText('1–2 of 60')).toBeDefined();
    expect(sent(list)[0]?.query).toEqual({ page: '1', pageSize: '50', sort: 'organization' });
    // Beside it are the saved views of this list.
    expect(sent('GET /view').map(({ query }) => query)).toEqual([{ screen: 'customers' }]);
    await user.click(button('next page'));
    expect(path()).toBe('/customers?page=2');
    await user.type(screen.getByLabelText('Search customers'), 'ze');
    // The page behind it is asked for ahead, and may come last.
    const asked = () => sent(list).map(({ query }) => query);
    await eventually(() =>
      expect(asked()).toContainEqual(expect.objectContaining({ page: '1', search: 'ze' })),
    );
    await settled();
    expect(path()).toBe('/customers?search=ze');
  });

  test('that could not be read says so and is read again on request', async () => {
    const { user, answer } = await open({ [list]: refused(503, 'unavailable', { message: 'Please wait.' }) });
    expect(screen.getByRole('alert').textContent).toContain('Please wait.');
    expect(screen.queryByText('No customers found')).toBeNull();
    answer(list, paged([acme]));
    await user.click(button('Try again'));
    expect(screen.getByRole('link', { name: 'Acme' })).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('that is empty offers the first customer; one that is on its way says so', async () => {
    const answer = new Held();
    const { settled } = await open({ [list]: answer });
    expect(screen.getByText('Loading customers...')).toBeDefined();
    answer.give(paged([]));
    await settled();
    expect(screen.getByText('No customers found')).toBeDefined();
    expect(screen.getByText(/^Customers own domains and certificates/)).toBeDefined();
    expect(screen.getAllByRole('link', { name: 'Add Customer' })).toHaveLength(2);
  });

  test('in which nothing matches offers to show all', async () => {
    const { user, answer, path } = await open({ [list]: paged([]) }, { path: '/customers?search=zz' });
    expect(screen.getAllByRole('link', { name: 'Add Customer' })).toHaveLength(1);
    expect(screen.queryByText(/^Customers own/)).toBeNull();
    answer(list, paged([acme]));
    await user.click(button('Clear search and filters'));
    expect(path()).toBe('/customers');
    expect(screen.getByRole('link', { name: 'Acme' })).toBeDefined();
  });

  test.each<[Role, boolean]>([
    ['MSP_ADMIN', true],
    ['MSP_EMPLOYEE', false],
  ])('of %s offers to add; to delete and to take everything out: %s', async (role, mayDelete) => {
    const { user } = await open({}, { role });
    expect(screen.getByRole('link', { name: 'Add Customer' })).toBeDefined();
    expect(screen.queryAllByRole('button', { name: /^Delete / })).toHaveLength(mayDelete ? 2 : 0);
    await user.click(button('Upload .csv'));
    expect(button('Select file')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Export all customers' }) !== null).toBe(mayDelete);
  });

  test('is nothing for a customer’s own user, who is led to their own', async () => {
    const { path, sent } = await open({}, { role: 'MSP_CUSTOMER' });
    expect(path()).toBe(`/customers/${uuid(3)}`);
    expect(sent(list)).toEqual([]);
  });

  test.each<[Role, boolean]>([
    ['MSP_OWNER', true],
    ['MSP_EMPLOYEE', false],
  ])(
    'has the form of a new one above it at its address; of %s with direct billing: %s',
    async (role, mayBill) => {
      await open({}, { role, path: '/customers/add' });
      expect(screen.getByRole('region', { name: 'Add Customer' })).toBeDefined();
      expect(screen.queryByRole('link', { name: 'Add Customer' })).toBeNull();
      expect(screen.queryByRole('button', { name: 'Direct billing and markups' }) !== null).toBe(mayBill);
    },
  );
});

test('a customer who was added is answered with the list, read again, and nobody is asked whether to leave', async () => {
  const { user, settled, path, sent, answer } = await open(
    { 'POST /customer': acme },
    { path: '/customers/add' },
  );
  const part = within(screen.getByRole('region', { name: 'Owner' }));
  const field = (label: string) =>
    part.getByLabelText<HTMLInputElement>(new RegExp(`^${label}`), { selector: 'input' });
  for (const [label, value] of Object.entries({
    ...{ Company: 'Acme', 'First name': 'Ann', 'Last name': 'Smith', Email: 'ann@a.example' },
    ...{ 'Address line 1': '1 Main St', City: 'Troy', 'Postal code': '12180', Phone: '(518) 555-0100' },
  })) {
    fireEvent.change(field(label), { target: { value } });
  }
  await settled();
  const state = field('State');
  await user.click(state);
  const states = document.getElementById(state.getAttribute('aria-controls') ?? '');
  await user.click(within(states as HTMLElement).getByRole('option', { name: 'New York (NY)' }));
  answer(list, paged([acme]));
  await user.click(button('Save'));
  await settled();
  expect(sent('POST /customer')).toHaveLength(1);
  expect(path()).toBe('/customers');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent(list)).toHaveLength(2);
});

describe('a deletion', () => {
  const dialog = () => screen.queryByRole('dialog', { name: 'Delete customer' });

  test('asks first, and deletes the one that was asked about', async () => {
    const { user, sent, answer } = await open({ [remove]: {} });
    await user.click(button('Delete Acme'));
    expect(dialog()?.textContent).toContain('Acme will be removed');
    // What nobody sees in the list, and cannot be brought back.
    expect(dialog()?.textContent).toContain('its API tokens and ACME accesses end');
    expect(dialog()?.textContent).toContain('stop renewing their certificates');
    await user.click(button('Cancel'));
    expect(dialog()).toBeNull();
    await user.click(button('Delete Zeta'));
    expect(dialog()?.textContent).toContain('Zeta will be removed');
    expect(sent(remove)).toEqual([]);
    answer(list, paged([acme, busy]));
    await user.click(button('Delete'));
    expect(sent(remove).map(({ params }) => params)).toEqual([{ id: zeta.customerId }]);
    expect(dialog()).toBeNull();
    expect(screen.queryByRole('link', { name: 'Zeta' })).toBeNull();
  });

  test('is not offered of a customer with active domains, and pressing sends and asks nothing', async () => {
    const { user } = await open();
    expect(screen.queryByRole('button', { name: 'Delete Busy' })).toBeNull();
    const blocked = button("Can't delete customers with active domains: Busy");
    expect(blocked.getAttribute('aria-disabled')).toBe('true');
    await user.hover(blocked);
    expect(screen.getByRole('tooltip').textContent).toBe("Can't delete customers with active domains");
    await user.click(blocked);
    expect(dialog()).toBeNull();
  });

  test('is sent once, says that it is under way, and stays until the answer is there', async () => {
    const answer = new Held();
    const { user, sent, settled } = await open({ [remove]: answer });
    await user.click(button('Delete Acme'));
    await user.click(button('Delete'));
    expect(button('Deleting...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await user.click(button('Deleting...'));
    await user.keyboard('{Escape}');
    // Beside it.
    await user.click(document.querySelector('.mantine-Modal-overlay') as HTMLElement);
    expect(dialog()).not.toBeNull();
    answer.give({});
    await settled();
    expect(sent(remove)).toHaveLength(1);
    expect(dialog()).toBeNull();
  });

  test('that a colleague was quicker with is done: the customer is gone', async () => {
    const { user, sent, answer } = await open({ [remove]: refused(404, 'not_found') });
    await user.click(button('Delete Acme'));
    answer(list, paged([zeta]));
    await user.click(button('Delete'));
    expect(sent(remove)).toHaveLength(1);
    expect(dialog()).toBeNull();
    expect(screen.queryByRole('link', { name: 'Acme' })).toBeNull();
  });

  test.each([
    ['refused', refused(409, 'has_active_domains', { message: 'It has domains.' }), 'It has domains.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s stays open, says why, and of another one says nothing', async (_what, how, message) => {
    const { user, sent } = await open({ [remove]: how });
    await user.click(button('Delete Acme'));
    await user.click(button('Delete'));
    expect(screen.getByRole('alert').textContent).toBe(message);
    await user.click(button('Delete'));
    expect(sent(remove)).toHaveLength(2);
    // The list says whether it is still there.
    expect(sent(list)).toHaveLength(3);
    await user.click(button('Cancel'));
    await user.click(button('Delete Zeta'));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

/** What a file is sent with to where it is kept. */
class Upload {
  static put: string[][] = [];
  static status = 200;
  /** It goes on only when the test says so. */
  static held: (() => void) | null = null;
  upload: { onprogress?: (event: object) => void } = {};
  status = 0;
  statusText = '';
  onload = () => undefined;
  getResponseHeader = () => null;
  #to: string[] = [];
  open(...to: string[]) {
    this.#to = to;
  }
  setRequestHeader(...header: string[]) {
    this.#to.push(...header);
  }
  send(sent: File) {
    Upload.put.push([...this.#to, sent.name]);
    this.upload.onprogress?.({ lengthComputable: true, loaded: 1, total: 2 });
    this.status = Upload.status;
    Upload.held = this.onload;
  }
}

describe('a customer file', () => {
  const asked = { signedUrl: 'https://files.test/1', keyName: 'uploads/1' };
  const look = {
    ...{ charsets: [], specified: true, columns: ['a'], rows: [], rowCount: 1, source: null },
    mapping: { columns: {}, values: {} },
  };
  const steps: Answers = {
    ...{ 'GET /customer/upload-csv-url': asked, 'POST /customer/import/look': look },
    'POST /customer/upload-csv-finish': found(41, 'ready'),
  };
  const text = new File(['a;b'], 'of ours.csv', { type: 'text/csv' });

  async function choose(answers: Answers, chosen = text, status = 200) {
    Object.assign(Upload, { put: [], held: null, status });
    const opened = await open({ ...steps, ...answers });
    vi.stubGlobal('XMLHttpRequest', Upload);
    const input = screen.getByLabelText<HTMLInputElement>('Customer file');
    await opened.user.upload(input, chosen);
    return { ...opened, input };
  }
  async function goOn({ settled }: Pick<Opened, 'settled'>) {
    Upload.held?.();
    await settled();
    await settled();
  }
  const failure = () => screen.getByRole('dialog', { name: 'Something went wrong' });

  test('is chosen by the menu, shows how far it is, and its result opens', async () => {
    const opened = await choose({});
    expect(screen.getByText('Uploading... 50%')).toBeDefined();
    await opened.user.keyboard('{Escape}');
    expect(screen.getByRole('dialog', { name: 'Upload .csv' })).toBeDefined();
    await goOn(opened);
    expect(Upload.put).toEqual([['PUT', asked.signedUrl, 'content-type', 'text/csv', 'of ours.csv']]);
    expect(opened.sent('POST /customer/upload-csv-finish').map(({ body }) => body)).toEqual([
      { key: 'uploads/1', fileName: 'of ours.csv', preview: true },
    ]);
    expect(opened.path()).toBe(`/customers/import/${uuid(41)}`);
  });

  test.each([
    ['whose columns are others', { specified: false }],
    ['of an unknown character set', { charsets: [{ charset: 'windows-1252', label: 'Western', cells: [] }] }],
  ])('%s is asked about first, by its key and name', async (_what, more) => {
    const opened = await choose({ 'POST /customer/import/look': { ...look, ...more } });
    await goOn(opened);
    expect(opened.sent('POST /customer/upload-csv-finish')).toEqual([]);
    const [path, query] = opened.path().split('?');
    expect(path).toBe('/customers/import/file');
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      file: 'uploads/1',
      name: 'of ours.csv',
    });
  });

  test('that is empty is not sent; the dialog says why and where to look, and another may be chosen', async () => {
    const opened = await choose({}, new File([], 'none.csv'));
    expect(within(failure()).getByRole('alert').textContent).toBe('The file is empty.empty file');
    expect(within(failure()).getByRole('link').getAttribute('href')).toBe('/customers/csv-format');
    expect(opened.sent('GET /customer/upload-csv-url')).toEqual([]);
    expect(opened.input.value).toBe('');
    await opened.user.click(within(failure()).getByText('Close'));
    expect(screen.queryByRole('dialog')).toBeNull();
    await opened.user.upload(opened.input, text);
    expect(Upload.put).toHaveLength(1);
  });

  test.each([
    [
      'is refused',
      { 'POST /customer/upload-csv-finish': refused(422, 'unprocessable', { message: 'No rows.' }) },
      200,
      'No rows.',
    ],
    ['cannot be kept', {}, 500, 'Something went wrong'],
    ['gets no answer', { 'POST /customer/import/look': silence }, 200, 'Something went wrong'],
  ])('that %s leaves the list as it is and says why', async (_what, answers, status, message) => {
    const opened = await choose(answers, text, status);
    await goOn(opened);
    expect(within(failure()).getByRole('alert').textContent).toBe(message);
    expect(failure().textContent).toContain('Please verify the fields of your file');
    expect(opened.path()).toBe('/customers');
  });

  test.each([
    ['Download sample .csv', 'GET /customer/csv/sample', 'sample.csv'],
    ['Export all customers', 'GET /customer/csv/export', 'customers.csv'],
  ])(
    '“%s” hands out the file; refused, it says why and nothing of a file’s fields',
    async (label, name, fileName) => {
      const { user, sent, saved, answer } = await open({ [name]: file(fileName) });
      await user.click(button('Upload .csv'));
      await user.click(button(label));
      expect(saved()).toEqual([fileName]);
      answer(name, refused(403, 'forbidden', { message: 'Not you.' }));
      await user.click(button('Upload .csv'));
      await user.click(button(label));
      expect(sent(name)).toHaveLength(2);
      expect(within(failure()).getByRole('alert').textContent).toBe('Not you.');
      expect(failure().textContent).not.toContain('verify the fields');
    },
  );

  test('is asked for by “Select file”', async () => {
    const { user } = await open();
    const input = screen.getByLabelText<HTMLInputElement>('Customer file');
    const clicked = vi.fn();
    input.addEventListener('click', clicked);
    await user.click(button('Upload .csv'));
    const format = screen.getByRole('link', { name: 'More information about data format' });
    expect(format.getAttribute('href')).toBe('/customers/csv-format');
    fireEvent.click(button('Select file'));
    expect(clicked).toHaveBeenCalledTimes(1);
  });
});

test('files that wait or are being written are named with the way to each; others are not', async () => {
  await open({
    'GET /customer/import': [
      found(41, 'ready'),
      found(42, 'importing', { progress: { done: 1_200, total: 4_000 } }),
      ...[found(43, 'done'), found(44, 'discarded')],
    ],
  });
  const alerts = screen.getAllByRole('alert').map(({ textContent }) => textContent);
  expect(alerts).toEqual([
    '41.csv has been checked and is not imported yet. See the result',
    '42.csv is being imported: 1,200 of 4,000 customers. See progress',
  ]);
  expect(screen.getByLabelText('Import of 42.csv').getAttribute('aria-valuenow')).toBe('30');
  const hrefs = ['See the result', 'See progress'].map((name) =>
    screen.getByRole('link', { name }).getAttribute('href'),
  );
  expect(hrefs).toEqual([`/customers/import/${uuid(41)}`, `/customers/import/${uuid(42)}`]);
});

test('an import that ends meanwhile has the list read again, and is named no more', async () => {
  const opened = await open({
    'GET /customer/import': [found(42, 'importing', { progress: { done: 1, total: 4 } })],
  });
  expect(opened.sent(list)).toHaveLength(1);
  opened.answer('GET /customer/import', [found(42, 'done')]);
  await eventually(() => expect(screen.queryByText(/is being imported/)).toBeNull());
  await opened.settled();
  expect(opened.sent(list)).toHaveLength(2);
});
