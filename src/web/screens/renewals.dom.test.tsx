import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Answers,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import type { Role } from '../../contracts/permissions.ts';
import { cart, cartNow } from '../features/orders/cart.ts';
import RenewalsScreen from './renewals.tsx';

const soon = (days: number) => new Date(Date.now() + days * 86_400_000 + 3_600_000).toISOString();
const rowOf = (address: string, state: string, days: number, more: object = {}) => ({
  ...{
    address,
    customerId: null,
    customer: '',
    expireDate: soon(days),
    autoRenew: state !== 'manual',
    state,
  },
  ...{ renewAt: null, reason: null, price: 12.5, covered: true, ...more },
});
const manual = rowOf('acme.example', 'manual', 5, {
  customerId: uuid(21),
  customer: 'Acme',
  autoRenew: false,
});
const unable = rowOf('zeta.example', 'unable', 40, { reason: 'The card was declined.', price: null });
const bare = rowOf('late.example', 'planned', 20, { covered: false });
const planned = rowOf('fine.example', 'planned', 30, { renewAt: '2099-01-02T12:00:00Z' });
const ordered = rowOf('run.example', 'ordered', 3);
const dueOf = (rows: object[], more: object = {}) => ({
  ...{ rows, spendable: 250_00, total: 50, automaticTotal: 25, automaticCount: 2, unpriced: 0, more: false },
  ...{ shortFrom: null, missing: 0, ...more },
});
const all = dueOf([manual, unable, bare, planned, ordered]);
const [read, change] = ['GET /renewals/due', 'POST /changes'];
const made = {
  ...{
    id: uuid(77),
    title: 'x',
    reason: '',
    request: { kind: 'auto-renew' },
    sentence: 'x',
    state: 'draft',
  },
  ...{ note: '', author: 'Ann', createdAt: '2026-11-20T12:00:00Z', startedAt: null, endedAt: null },
  ...{ undoes: null, undoneBy: null, leftByUndo: null, round: 1 },
  counts: Object.fromEntries(
    [
      ...['total', 'waiting', 'ready', 'warned', 'leftOut', 'same', 'barred'],
      ...['queued', 'applying', 'done', 'failed', 'moved', 'cancelled'],
    ].map((name) => [name, 0]),
  ),
};

beforeEach(() => {
  cart.init(profileOf('MSP_OWNER').userId as string);
  cart.clear();
  return () => cart.clear();
});

const open = (due: unknown = all, answers: Answers = {}, role: Role = 'MSP_OWNER') =>
  openScreen(RenewalsScreen, { route: '/domain/renewals', role, answers: { [read]: due, ...answers } });
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const rows = (label: string) =>
  within(screen.getByRole('table', { name: label }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => ({
      name: within(row).getByRole('link').textContent,
      text: row.textContent ?? '',
      acts: within(row)
        .queryAllByRole('button')
        .map((act) => act.getAttribute('aria-label'))
        .filter((name) => name?.match(/renew|cart/i)),
    }));
const text = () => document.body.textContent ?? '';

describe('what falls due', () => {
  test('is told apart: what lapses unless somebody acts, and what renews by itself', async () => {
    const there = await open();
    expect(there.sent(read).map(({ query }) => query)).toEqual([{ days: '90' }]);
    const lapsing = rows('Will lapse');
    expect(lapsing.map(({ name }) => name)).toEqual(['acme.example', 'zeta.example', 'late.example']);
    expect(lapsing.map(({ text: said }) => said.replace(/^.*days left/, ''))).toEqual([
      'Auto renew is off$12.50Renew',
      'The card was declined.–Renew',
      'Not covered$12.50Renew',
    ]);
    expect(lapsing.every(({ text: said }, at) => said.includes(`${[5, 40, 20][at]} days left`))).toBe(true);
    expect(lapsing[0]?.text).toContain('Acme');
    const automatic = rows('Renews automatically');
    expect(automatic.map(({ name, acts }) => [name, acts])).toEqual([
      ['fine.example', ['Renew fine.example']],
      // Nobody buys what is being bought.
      ['run.example', []],
    ]);
    expect(automatic[0]?.text).toContain('Renews Jan 2, 2099');
    expect(automatic[1]?.text).toContain('Being renewed');
    expect(text()).toContain('3 domains do not renew automatically.');
    expect(screen.getByText('3 domains')).toBeDefined();
    expect(text()).toContain('$25.00');
    const weeks = within(screen.getByRole('table', { name: /by week/ }))
      .getAllByRole('row')
      .slice(1);
    expect(weeks).toHaveLength(13);
    expect(
      weeks.slice(0, 3).map((week) =>
        within(week)
          .getAllByRole('cell')
          .map(({ textContent }) => textContent),
      ),
    ).toEqual([
      ['1', '1'],
      ['0', '0'],
      ['0', '1'],
    ]);
  });

  test.each([
    [-2, 'Expired 2 days ago'],
    [-1, 'Expired 1 day ago'],
    [0, 'Within a day'],
    [1, '1 day left'],
  ])('says how long is left: %i days', async (days, said) => {
    await open(
      dueOf([
        rowOf('acme.example', 'manual', days, {
          expireDate: new Date(Date.now() + days * 86_400_000 + 1_800_000).toISOString(),
        }),
      ]),
    );
    expect(text()).toContain(said);
  });

  test('is nothing, or cannot be read, and is read again', async () => {
    const there = await open(refused(500, 'internal', { message: 'No luck.' }));
    expect(screen.getByRole('alert').textContent).toContain('No luck.');
    expect(screen.queryByRole('table')).toBeNull();
    there.answer(read, dueOf([]));
    await there.user.click(button('Try again'));
    expect(screen.getByText('Nothing falls due in the next 90 days')).toBeDefined();
  });
});

test('colours of risk: what lapses is amber, red in its last week; what renews automatically has none, and nothing above is green', async () => {
  const later = rowOf('later.example', 'manual', 50);
  await open(dueOf([manual, later, planned]));
  const colour = (text: string | RegExp) =>
    /--badge-color: var\(--([\w-]+)\)/.exec(
      screen.getByText(text).closest('.mantine-Badge-root')?.getAttribute('style') ?? '',
    )?.[1];
  expect([5, 50, 30].map((days) => colour(`${days} days left`))).toEqual(['bad', 'warn', 'text-2']);
});

describe('what the balance covers', () => {
  const short = { shortFrom: '2027-01-05T12:00:00Z', missing: 34.5 };
  test.each([
    [
      'all of it',
      {},
      'Your balance covers every automatic renewal of the next 90 days. You can spend $250.00.',
    ],
    [
      'what has a price',
      { unpriced: 1 },
      'Your balance covers the automatic renewals whose price is known. 1 has no price',
    ],
    ['what is shown', { more: true }, 'Only the first 2 renewals are shown.'],
  ])('is told: %s', async (_what, more, said) => {
    await open(dueOf([planned, ordered], more));
    expect(text()).toContain(said);
    expect(text()).not.toContain('Your balance will run out');
    expect(screen.queryByRole('table', { name: 'Will lapse' })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Turn on/ })).toBeNull();
  });

  test.each([
    ['MSP_OWNER', true, '$34.50 more is needed'],
    ['MSP_EMPLOYEE', false, '$34.50 more is needed'],
  ] as const)('warns where it is not enough, and tells %s how to get more', async (role, mayTopUp, said) => {
    await open(dueOf([bare, planned], short), {}, role);
    expect(text()).toContain('Your balance will run out');
    expect(text()).toContain('From Jan 5, 2027');
    expect(text()).toContain(`${said} to cover all of them.`);
    expect(screen.queryByRole('link', { name: 'Top up' })?.getAttribute('href') ?? null).toBe(
      mayTopUp ? '/account' : null,
    );
    expect(text().includes('An owner or administrator can top up')).toBe(!mayTopUp);
  });

  test('is the least where prices are not known', async () => {
    await open(dueOf([bare], { ...short, unpriced: 2 }));
    expect(text()).toContain('At least $34.50 more is needed to cover all of them. 2 have no price');
  });

  test('is told with what renews within 30 days', async () => {
    await open(dueOf([{ ...planned, renewAt: soon(4) }, rowOf('far.example', 'planned', 80)]));
    expect(text()).toContain('In the next 30 days 1 domain renews for $12.50.');
  });
});

describe('a renewal by hand', () => {
  const item = { type: 'renewal', address: 'acme.example', registration: 1, autoRenew: false };
  test('puts the very domain into the cart, once', async () => {
    const there = await open();
    await there.user.click(button('Renew acme.example'));
    expect(cartNow().items).toEqual([{ ...item, customerId: uuid(21), expireDate: manual.expireDate }]);
    expect(button('In cart: renewal of acme.example')).toHaveProperty('disabled', true);
    expect(button('Renew zeta.example')).toHaveProperty('disabled', false);
    expect(there.path()).toBe('/domain/renewals');
  });

  test('is not in the cart because something else of the name is', async () => {
    const certificate = { type: 'certificate', address: 'acme.example' } as never;
    cart.add(certificate);
    await open();
    expect(button('Renew acme.example')).toHaveProperty('disabled', false);
  });

  test('of all puts those that lapse into the cart, and leads there', async () => {
    const there = await open();
    await there.user.click(screen.getByRole('link', { name: 'Renew all 3' }));
    expect(cartNow().items.map(({ address }) => address)).toEqual([
      'acme.example',
      'zeta.example',
      'late.example',
    ]);
    expect(there.path()).toBe('/cart');
  });

  test('is offered to nobody who may not buy', async () => {
    await open(all, {}, 'MSP_CUSTOMER');
    expect(screen.queryByRole('button', { name: /^Renew / })).toBeNull();
    expect(screen.queryByRole('link', { name: /^Renew/ })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Turn on/ })).toBeNull();
  });
});

describe('auto renew for what lapses', () => {
  const turnOn = 'Turn on auto renew';
  test('is described for those that have it off, and leads to the change', async () => {
    const there = await open(all, { [change]: made });
    await there.user.click(button(turnOn));
    expect(there.sent(change).map(({ body }) => body)).toEqual([
      {
        ...{ title: expect.any(String), request: { kind: 'auto-renew', enabled: true } },
        targets: { kind: 'names', names: ['acme.example'] },
      },
    ]);
    expect(there.path()).toBe(`/changes/${made.id}`);
  });

  test('of several says how many', async () => {
    await open(dueOf([manual, { ...manual, address: 'b.example' }, unable]));
    expect(button(`${turnOn} for all 2`)).toBeDefined();
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'Too many changes.' }), 'Too many changes.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, and stays here', async (_what, answer, message) => {
    const there = await open(all, { [change]: answer });
    await there.user.click(button(turnOn));
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(there.path()).toBe('/domain/renewals');
    expect(button(turnOn)).toHaveProperty('disabled', false);
  });
});
