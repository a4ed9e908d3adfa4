import { describe, expect, test, vi } from 'vitest';
import {
  type Answers,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { StatementTab, type StatementTabProps } from './statement-tab.tsx';

const lineOf = (n: number, kind: string, amount: number, more: object = {}) => ({
  ...{ entryId: uuid(n), at: '2026-11-20T12:00:00Z', kind, text: `Line ${n}`, amount, balance: 1_000_00 },
  ...{ orderId: null, itemId: null, registrarOrderId: null, customerId: null, customer: '' },
  ...{ topupId: null, payment: null, ...more },
});
const lines = [
  lineOf(1, 'topup', 200_00, { payment: 'pi_123' }),
  lineOf(2, 'purchase', -12_50, { orderId: uuid(61), registrarOrderId: '778', customer: 'Acme' }),
  lineOf(3, 'refund', 5_00, { text: '', balance: -7_25 }),
];
const monthOf = (month: string, more: object) => ({ ...{ month, lines: 3 }, ...more });
const months = [
  monthOf('2026-11', { opening: 100_00, in: 200_00, out: -50_00, closing: 250_00 }),
  monthOf('2026-10', { opening: 0, in: 100_00, out: 0, closing: 100_00 }),
];
const customers = [
  { value: uuid(21), label: 'Acme' },
  { value: uuid(22), label: 'Zeta' },
];
const [list, monthly] = ['GET /account/statement', 'GET /account/statement/months'];
const [csv, pdf] = ['GET /account/statement/csv', 'GET /account/statement/:month/pdf'];
const file = (name: string) => () =>
  new Response('x', { headers: { 'content-disposition': `attachment; filename="${name}"` } });
const query = { page: '1', pageSize: '50', sort: '-at' };

async function open(answers: Answers = {}, search = '', props: Partial<StatementTabProps> = {}) {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:test');
  const all = { balance: { balance: 250_00, held: 50_00 }, customers, mayExport: true, recipient: null };
  const there = await openScreen(() => <StatementTab {...all} {...props} />, {
    route: '/account/statement',
    path: `/account/statement${search}`,
    answers: {
      ...{ [list]: paged(lines), [monthly]: months },
      ...{ [csv]: file('statement.csv'), [pdf]: file('2026-10.pdf'), ...answers },
    },
  });
  return { ...there, queries: () => there.sent(list).map((call) => call.query) };
}
type There = Awaited<ReturnType<typeof open>>;
const button = (name: string) => screen.getByRole('button', { name });
const cells = (label: string) =>
  within(screen.getByRole('table', { name: label }))
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    );
const choose = async ({ user }: There, label: string, option: string) => {
  await user.click(screen.getByRole('combobox', { name: label }));
  await user.click(screen.getByRole('option', { name: option }));
};

describe('the statement', () => {
  test('tells each movement with its sign, what was posted after it, and where it leads', async () => {
    const there = await open();
    expect(there.queries()).toEqual([query]);
    expect(cells('Statement')).toEqual([
      ['Nov 20, 2026', 'Top-up', 'Line 1', '', 'pi_123', '$200.00', '$1,000.00'],
      ['Nov 20, 2026', 'Purchase', 'Line 2', 'Acme', 'Registrar 778', '−$12.50', '$1,000.00'],
      ['Nov 20, 2026', 'Refund', 'Refund', '', '', '$5.00', '−$7.25'],
    ]);
    const links = within(screen.getByRole('table', { name: 'Statement' })).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual([`/orders/${uuid(61)}`]);
  });

  test.each([
    ['known', { balance: 250_00, held: 50_00 }, ['$300.00', '$50.00', '$250.00']],
    ['not to be read', null, ['–', '–', '–']],
  ])('has the sums of what is posted, reserved and available: %s', async (_what, balance, sums) => {
    await open({}, '', { balance });
    expect([...document.querySelectorAll('dd b')].map(({ textContent }) => textContent)).toEqual(sums);
  });

  test('is asked for what is chosen, from its first page on, and the file is the same', async () => {
    const there = await open({}, '?page=2&search=acme');
    await choose(there, 'Kind', 'Correction');
    await choose(there, 'Customer', 'Zeta');
    await there.user.type(screen.getByLabelText('From'), '2026-10-01');
    await there.user.type(screen.getByLabelText('To'), '2026-10-31');
    const kind = { ...query, search: 'acme', kind: 'adjustment' };
    const customer = { ...kind, customer: uuid(22) };
    const days = { from: '2026-10-01', to: '2026-10-31' };
    expect(there.queries()).toEqual([
      { ...query, page: '2', search: 'acme' },
      kind,
      customer,
      { ...customer, from: days.from },
      { ...customer, ...days },
    ]);
    await there.user.click(button('Export CSV'));
    expect(there.sent(csv).map((call) => call.query)).toEqual([
      { kind: 'adjustment', customer: uuid(22), search: 'acme', ...days },
    ]);
    expect(there.saved()).toEqual(['statement.csv']);
  });

  test('is asked for nothing that an address made up', async () => {
    const there = await open({}, '?kind=toString&from=yesterday&to=2026-1-1');
    expect(there.queries()).toEqual([query]);
  });

  test('is turned round by its columns', async () => {
    const there = await open();
    await there.user.click(button('Amount'));
    await there.user.click(button('Date'));
    expect(there.queries().slice(1)).toEqual([
      { ...query, sort: 'amount' },
      { ...query, sort: 'at' },
    ]);
  });

  test.each([
    ['', 'No transactions yet'],
    ['?kind=refund', 'No transactions found'],
    ['?search=acme', 'No transactions found'],
  ])('says whether there is nothing at all or nothing that fits: %s', async (search, title) => {
    await open({ [list]: paged([]) }, search);
    expect(screen.getByText(title)).toBeDefined();
  });

  test.each([
    [list, 'Line 1', paged(lines)],
    [monthly, 'November 2026', months],
  ])('says what cannot be read, and reads it again: %s', async (name, shown, answer) => {
    const there = await open({ [name]: refused(500, 'internal', { message: 'No luck.' }) });
    expect(screen.getByRole('alert').textContent).toContain('No luck.');
    there.answer(name, answer);
    await there.user.click(button('Try again'));
    expect(screen.getByText(shown)).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the files', () => {
  test('of a month are of the month that was pressed', async () => {
    const there = await open();
    expect(cells('Months').map((row) => row.slice(0, 5))).toEqual([
      ['November 2026', '$100.00', '$200.00', '−$50.00', '$250.00'],
      ['October 2026', '$0.00', '$100.00', '$0.00', '$100.00'],
    ]);
    await there.user.click(button('PDF of October 2026'));
    expect(there.sent(pdf).map(({ params }) => params)).toEqual([{ month: '2026-10' }]);
    expect(there.saved()).toEqual(['2026-10.pdf']);
  });

  test.each([
    [csv, 'Export CSV', refused(422, 'unprocessable', { message: 'Too many lines.' }), 'Too many lines.'],
    [csv, 'Export CSV', silence, 'Something went wrong'],
    [pdf, 'PDF of October 2026', refused(404, 'not_found', { message: 'No such month.' }), 'No such month.'],
    [pdf, 'PDF of October 2026', silence, 'Something went wrong'],
  ])('that did not come are told: %s', async (name, label, answer, message) => {
    const there = await open({ [name]: answer });
    await there.user.click(button(label));
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(there.saved()).toEqual([]);
    there.answer(name, file('later'));
    await there.user.click(button(label));
    expect(there.saved()).toEqual(['later']);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('are made once at a time', async () => {
    const [file1, file2] = [new Held(), new Held()];
    const there = await open({ [csv]: file1, [pdf]: file2 });
    await there.user.click(button('Export CSV'));
    await there.user.click(button('Preparing...'));
    for (const month of ['November 2026', 'October 2026']) await there.user.click(button(`PDF of ${month}`));
    expect(button('PDF of October 2026')).toHaveProperty('disabled', true);
    file1.give(file('a'));
    file2.give(file('b'));
    await there.settled();
    expect(there.saved().toSorted()).toEqual(['a', 'b']);
    expect([there.sent(csv), there.sent(pdf)].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('are offered to nobody who may not have them', async () => {
    await open({}, '', { mayExport: false });
    expect(screen.queryByRole('button', { name: 'Export CSV' })).toBeNull();
    expect(screen.queryByRole('button', { name: /^PDF/ })).toBeNull();
  });
});
