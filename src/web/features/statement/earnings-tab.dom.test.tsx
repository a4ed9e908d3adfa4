import { expect, test, vi } from 'vitest';
import {
  type Answers,
  openScreen,
  refused,
  screen,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { EarningsTab } from './earnings-tab.tsx';

const rowOf = (key: string, label: string, received: number, cost: number, otherCost = 0) => ({
  ...{ key, label, items: 3, received, cost, otherCost, earned: received - cost },
});
const months = [rowOf('2026-11', '2026-11', 120_00, 100_00, 7_00), rowOf('2026-09', '2026-09', 10_00, 30_00)];
const byCustomer = [rowOf(uuid(21), 'Acme', 130_00, 130_00)];
const [read, csv] = ['GET /account/earnings', 'GET /account/earnings/csv'];

async function open(answers: Answers = {}, { search = '', mayExport = true } = {}) {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:test');
  const there = await openScreen(() => <EarningsTab mayExport={mayExport} />, {
    route: '/account/earnings',
    path: `/account/earnings${search}`,
    answers: {
      [read]: ({ query }: { query: Record<string, string> }) => (query.by === 'month' ? months : byCustomer),
      ...answers,
    },
  });
  return { ...there, queries: () => there.sent(read).map(({ query }) => query) };
}
const cells = () =>
  within(screen.getByRole('table', { name: 'Earnings' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    );
const sums = () => [...document.querySelectorAll('dd b')].map(({ textContent }) => textContent);

test('what was earned is told by month, with the sums of all rows', async () => {
  const there = await open();
  expect(there.queries()).toEqual([{ by: 'month' }]);
  expect(sums()).toEqual(['$130.00', '$130.00', '$0.00', '$7.00']);
  expect(cells()).toEqual([
    ['November 2026', '3', '$120.00', '$100.00', '$20.00', '$7.00'],
    ['September 2026', '3', '$10.00', '$30.00', '−$20.00', '$0.00'],
  ]);
  expect(screen.getByText('Received and cost')).toBeDefined();
  // Of the month between them, in which nothing was booked, nothing is drawn.
  const bars = [...document.querySelectorAll('[aria-hidden] span[title]')].map((bar) =>
    bar.getAttribute('title'),
  );
  expect(bars).toEqual(['$10.00 received', '$30.00 cost', '$120.00 received', '$100.00 cost']);
});

test('one month alone is not drawn: there is nothing to compare it with', async () => {
  await open({ [read]: months.slice(0, 1) });
  expect(cells()).toHaveLength(1);
  expect(screen.queryByText('Received and cost')).toBeNull();
});

test('what was earned is asked for by group and by days, and the file is of the same days', async () => {
  const there = await open({ [csv]: () => new Response('x') }, { search: '?kind=constructor&from=soon' });
  expect(there.queries()).toEqual([{ by: 'month' }]);
  await there.user.click(screen.getByLabelText('Customer'));
  expect(cells()).toEqual([['Acme', '3', '$130.00', '$130.00', '$0.00', '$0.00']]);
  expect(screen.queryByText('Received and cost')).toBeNull();
  await there.user.type(screen.getByLabelText('From'), '2026-10-01');
  await there.user.type(screen.getByLabelText('To'), '2026-10-31');
  const days = { from: '2026-10-01', to: '2026-10-31' };
  expect(there.queries().at(-1)).toEqual({ by: 'customer', ...days });
  await there.user.click(screen.getByRole('button', { name: 'Export CSV' }));
  expect(there.sent(csv).map(({ query }) => query)).toEqual([days]);
  expect(there.saved()).toEqual(['download']);
  await there.user.click(screen.getByLabelText('Month'));
  expect(there.path()).not.toContain('kind');
  expect(there.queries().at(-1)).toEqual({ by: 'month', ...days });
  // The rows of customers, which were there until then, are no months.
  expect(cells().map(([label]) => label)).toEqual(['November 2026', 'September 2026']);
});

test('what cannot be read has no sums, and is read again', async () => {
  const there = await open({ [read]: refused(500, 'internal', { message: 'No luck.' }) });
  expect(screen.getByRole('alert').textContent).toContain('No luck.');
  expect(sums()).toEqual(['–', '–', '–', '–']);
  there.answer(read, months);
  await there.user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(sums()[0]).toBe('$130.00');
});

test.each([
  ['', 'No bookings yet'],
  ['?from=2026-10-01', 'No bookings on these days'],
])('nothing at all is told otherwise than nothing on these days: %s', async (search, title) => {
  await open({ [read]: [] }, { search, mayExport: false });
  expect(screen.getByText(title)).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Export CSV' })).toBeNull();
});

test('a file that did not come is told', async () => {
  const there = await open({ [csv]: refused(422, 'unprocessable', { message: 'Too many lines.' }) });
  await there.user.click(screen.getByRole('button', { name: 'Export CSV' }));
  expect(screen.getByRole('alert').textContent).toBe('Too many lines.');
  expect(there.saved()).toEqual([]);
});
