import { expect, test, vi } from 'vitest';
import { openForOperator } from '../../../../tests/support/operator-door.tsx';
import {
  type Answers,
  Held,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { ReconciliationTab } from './reconciliation-tab.tsx';

const runOf = (startedAt: string, more: object = {}) => ({
  ...{ startedAt, endedAt: startedAt, since: '2026-11-01T00:00:00Z', items: 11, registrarOrders: 22 },
  ...{ payments: 33, differences: 2, incomplete: null, ...more },
});
const old = runOf('2026-11-19T12:00:00Z');
const differenceOf = (kind: string, subject: string, text: string) => ({
  ...{ kind, subject, organization: 'Blue Fig', text },
  ...{ firstSeenAt: '2026-11-18T12:00:00Z', lastSeenAt: '2026-11-19T12:00:00Z' },
});
const [read, start] = ['GET /operator/reconciliation', 'POST /operator/reconciliation'];
const open = (runs: unknown[], differences: unknown[] = [], answers: Answers = {}) =>
  openForOperator(ReconciliationTab, { [read]: { runs, differences }, [start]: {}, ...answers });
const button = (name: string) => screen.getByRole('button', { name });

test('what differs is told with what to look for on the other side, and each comparison with its figures', async () => {
  await open(
    [
      runOf('2026-11-20T12:00:00Z', { endedAt: null }),
      runOf('2026-11-18T12:00:00Z', { incomplete: 'No answer.' }),
      old,
    ],
    [
      differenceOf('payment-without-credit', 'pi_1', 'A payment was not credited.'),
      differenceOf('payment-differs', 'pi_2', 'The payment pi_2 differs.'),
      differenceOf('ledger', 'id-of-ours', 'The sums differ.'),
    ],
  );
  expect(screen.getByText('3 open')).toBeDefined();
  const cells = within(screen.getByRole('table', { name: 'Open differences' }))
    .getAllByRole('row')
    .slice(1);
  expect(cells[0]?.textContent).toContain('A payment was not credited.');
  expect(cells[0]?.textContent).toContain('pi_1');
  // The subject is told once, and that of the ledger is no id.
  expect(cells[1]?.textContent?.match(/pi_2/g)).toHaveLength(1);
  expect(cells[2]?.textContent).not.toContain('id-of-ours');
  const runs = within(screen.getByRole('table', { name: 'Comparisons' }))
    .getAllByRole('row')
    .slice(1);
  expect(runs.map(({ textContent }) => textContent?.replace(/^.*(?=Not f|Inc|Com)/, ''))).toEqual([
    'Not finished1122332',
    'Incomplete1122332',
    'Complete1122332',
  ]);
});

test('a comparison that was incomplete warns', async () => {
  await open([runOf('2026-11-20T12:00:00Z', { incomplete: 'The registrar did not answer.' })]);
  expect(
    screen.getByText(/The last comparison was incomplete: The registrar did not answer\./),
  ).toBeDefined();
});

test('a comparison is asked for once, and is followed until another one has ended', async () => {
  const held = new Held();
  const there = await open([old], [], { [start]: held });
  await there.user.click(button('Compare now'));
  expect(button('Compare now')).toHaveProperty('disabled', true);
  await there.user.click(button('Compare now'));
  held.give({});
  await there.settled();
  expect(there.sent(start)).toHaveLength(1);
  expect(button('Comparing...')).toHaveProperty('disabled', true);
});

test.each([
  ['the first one ever', []],
  ['a further one', [old]],
])('a comparison is looked at every two seconds until it has ended: %s', async (_what, earlier) => {
  const every = vi.fn((_look: () => void, _ms?: number) => 1);
  vi.stubGlobal('setInterval', every);
  const there = await open(earlier);
  const follows = () => every.mock.calls.filter(([, ms]) => ms === 2_000);
  expect(follows()).toEqual([]);
  await there.user.click(button('Compare now'));
  const look = async (...runs: unknown[]) => {
    there.answer(read, { runs: [...runs, ...earlier], differences: [] });
    follows().at(-1)?.[0]();
    await there.settled();
  };
  await look();
  expect(button('Comparing...')).toHaveProperty('disabled', true);
  await look(runOf('2026-11-20T12:00:00Z', { endedAt: null }));
  expect(button('Comparing...')).toHaveProperty('disabled', true);
  await look(runOf('2026-11-20T12:00:00Z'));
  expect(button('Compare now')).toHaveProperty('disabled', false);
});

test.each([
  ['refused', refused(502, 'upstream_unavailable', { message: 'Not now.' }), 'Not now.'],
  ['without an answer', silence, 'Something went wrong'],
])('a comparison that is %s says so, and can be asked for again', async (_what, answer, message) => {
  const there = await open([old], [], { [start]: answer });
  await there.user.click(button('Compare now'));
  expect(screen.getByText(message)).toBeDefined();
  expect(button('Compare now')).toHaveProperty('disabled', false);
  there.answer(start, {});
  await there.user.click(button('Compare now'));
  expect(screen.queryByText(message)).toBeNull();
  expect(there.sent(start)).toHaveLength(2);
});

test('differences that cannot be read are not told as none, and are read again', async () => {
  const there = await open([], [], { [read]: refused(500, 'internal', { message: 'No luck.' }) });
  expect(screen.getByText('No luck.')).toBeDefined();
  expect(screen.queryByText(/are compared every night/)).toBeNull();
  there.answer(read, { runs: [old], differences: [] });
  await there.user.click(button('Try again'));
  expect(screen.getByText(/are compared every night/)).toBeDefined();
});

test('only a name without an owner is given to a customer, and is listed no more', async () => {
  const nobodys = differenceOf('name-unknown', 'lost.com', 'the registrar has lost.com for us');
  const missing = differenceOf('name-missing', 'gone.com', 'gone.com is missing');
  const give = 'POST /operator/domains';
  const there = await open([old], [nobodys, missing], {
    [give]: { message: 'It is now listed.' },
    'GET /operator/organizations/:id': {
      ...{ name: 'Blue Fig', closedAt: null, balance: 0, aloneLeft: 0, customers: 1 },
    },
    'GET /operator/organizations/:id/customers': [{ id: uuid(2), name: 'Red Plum' }],
  });
  expect(screen.getAllByRole('button', { name: /^Give to a customer/ })).toHaveLength(1);
  await there.user.click(button('Give to a customer: lost.com'));
  const dialog = within(screen.getByRole('dialog'));
  // What is missing is said in words, and nothing is sent.
  await there.user.click(dialog.getByRole('button', { name: 'Give domain' }));
  expect(dialog.getByText('Please enter the whole ID')).toBeDefined();
  expect(dialog.getByText('Please choose a customer')).toBeDefined();
  expect(there.sent(give)).toEqual([]);
  for (const [label, typed] of [
    ['Organization ID', uuid(1)],
    ['Organization name', 'Blue Fig'],
    ['Reason', 'Lost in the restore'],
  ] as const)
    await there.user.type(dialog.getByLabelText(new RegExp(`^${label}`)), typed);
  await there.user.click(dialog.getByRole('combobox', { name: /^Customer/ }));
  await there.user.click(screen.getByRole('option', { name: 'Red Plum' }));
  there.answer(read, { runs: [old], differences: [missing] });
  await there.user.click(dialog.getByRole('button', { name: 'Give domain' }));
  expect(there.sent(give)).toHaveLength(1);
  expect(screen.getByText('It is now listed.')).toBeDefined();
  expect(screen.queryByText('the registrar has lost.com for us')).toBeNull();
  expect(screen.queryAllByRole('button', { name: /^Give to a customer/ })).toEqual([]);
});
