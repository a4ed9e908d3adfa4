import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import type { Role } from '#contracts/permissions.ts';
import { ownerText, worseText } from '#contracts/values/put-off.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { cart } from '../features/orders/cart.ts';
import { keepText, readText } from '../lib/storage.ts';
import AttentionScreen from './attention.tsx';

const me = uuid(1);
const of = (n: number, name: string, more: Partial<AttentionItem> = {}): AttentionItem => ({
  ...{
    id: uuid(n),
    cause: 'health',
    severity: 'soon',
    name,
    title: 'is not delegated',
    detail: 'Two of three',
  },
  ...{ when: '3 days', deadline: null, openedAt: '2026-11-01T00:00:00Z', customerId: uuid(21) },
  ...{ customer: 'Acme', owner: null, snoozedUntil: null, version: 4 },
  ...{ action: { label: 'Open', to: `/domain/${name}?tab=health` }, renewal: null, ...more },
});
const acme = of(11, 'acme.com');
const zeta = of(12, 'zeta.com', { version: 7, owner: { userId: uuid(5), name: 'Bob' } });
const mine = of(13, 'mine.com', { owner: { userId: me, name: 'Ann' } });
const later = of(14, 'later.com', { snoozedUntil: '2026-12-24T12:00:00Z' });
const lapsing = of(15, 'lapsing.com', {
  ...{ cause: 'renewal', severity: 'now', title: 'lapses', customerId: uuid(22) },
  ...{ action: { label: 'Renew', to: '/domain/lapsing.com' } },
  renewal: { autoRenew: false, expireDate: '2026-12-01T00:00:00Z' },
});
const counts = {
  ...{ now: 1, soon: 4, snoozed: 1, mine: 1 },
  causes: [
    { cause: 'health' as const, count: 4 },
    { cause: 'renewal' as const, count: 1 },
  ],
};
const list = 'GET /attention';
const change = 'PATCH /attention/:id';
const digest = 'PUT /attention/digest';

const open = (
  items: AttentionItem[],
  answers: Answers = {},
  { role = 'MSP_OWNER', path = '/attention' }: { role?: Role; path?: string } = {},
) =>
  openScreen(AttentionScreen, {
    ...{ route: '/attention', path, role },
    answers: {
      [list]: { items, more: false },
      'GET /attention/counts': counts,
      'GET /attention/digest': { daily: false },
      'GET /customer/choices': [
        { customerId: uuid(21), organization: 'Acme', markups: null },
        { customerId: uuid(22), organization: 'Zeta', markups: null },
      ],
      ...answers,
    },
  });
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
/** A name is drawn in parts, so that it can break. */
const entry = (name: string) =>
  screen.queryAllByRole('listitem').find((one) => one.textContent.includes(name));
const rowOf = (name: string) => within(entry(name) as HTMLElement);

test('a long reason is folded in its entry, and all of it is a step away', async () => {
  const detail = 'The registry refuses. '.repeat(20).trim();
  const { user } = await open([of(11, 'acme.com', { detail }), zeta]);
  await user.click(button(/^Show all/));
  expect(button(/^Show less/).getAttribute('aria-label')).toBe('Show less: acme.com');
});

describe('an act on an entry', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-10T09:00:00Z') }));
  afterEach(() => vi.useRealTimers());

  async function choose(item: AttentionItem, label: string, answers: Answers = {}) {
    const opened = await open([acme, zeta, mine, later], { [change]: item, ...answers });
    const act = async () => {
      await opened.user.click(button(`More for ${item.name} ${item.title}`));
      await opened.user.click(screen.getByRole('menuitem', { name: label }));
    };
    await act();
    return { ...opened, act };
  }

  test.each<[string, AttentionItem, string, object]>([
    ['takes over what is nobody’s', acme, 'Take over', { ownerId: me, shownOwnerId: null }],
    [
      'takes over from a colleague',
      zeta,
      'Take over from Bob',
      { ownerId: me, shownOwnerId: zeta.owner?.userId },
    ],
    ['hands back what is one’s own', mine, 'Hand back', { ownerId: null, shownOwnerId: me }],
    ['shows again what was put off', later, 'Show again now, not on Dec 24', { snoozedUntil: null }],
    [
      'puts off until tomorrow',
      ...([zeta, 'Postpone until tomorrow'] as const),
      { version: 7, snoozedUntil: '2026-11-11T09:00:00.000Z' },
    ],
    [
      'puts off for a week',
      ...([zeta, 'Postpone for a week'] as const),
      { version: 7, snoozedUntil: '2026-11-17T09:00:00.000Z' },
    ],
    [
      'puts off for a month',
      ...([acme, 'Postpone for a month'] as const),
      { version: 4, snoozedUntil: '2026-12-10T09:00:00.000Z' },
    ],
  ])('%s: that entry, once, and the list is read again', async (_what, item, label, body) => {
    const { sent } = await choose(item, label);
    expect(sent(change)).toMatchObject([{ params: { id: item.id } }]);
    expect(sent(change)[0]?.body).toEqual(body);
    expect(sent(list)).toHaveLength(2);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('leaves the keyboard at that entry, also where it takes a while', async () => {
    const held = new Held();
    const { settled } = await choose(acme, 'Take over', { [change]: held });
    held.give(acme);
    await settled();
    await eventually(() => expect(document.activeElement).toBe(button('More for acme.com is not delegated')));
  });

  test('says that it is under way', async () => {
    const { sent } = await choose(acme, 'Take over', { [change]: new Held() });
    expect(button('More for acme.com is not delegated').getAttribute('data-loading')).toBe('true');
    expect(button('More for zeta.com is not delegated').getAttribute('data-loading')).toBeNull();
    expect(sent(change)).toHaveLength(1);
  });

  test.each([
    ['refused', refused(404, 'not_found', { message: 'It is gone.' }), 'It is gone.'],
    ['without an answer', silence, 'Something went wrong'],
    [
      'refused for its day',
      refused(400, 'validation_failed', {
        message: 'Please check the marked fields.',
        details: [{ path: 'snoozedUntil', message: 'Please choose a date within the next year' }],
      }),
      'Please choose a date within the next year',
    ],
  ])('that is %s says so at the entry, and can be tried again', async (_what, answer, message) => {
    const opened = await choose(acme, 'Postpone for a week', { [change]: answer });
    expect(rowOf('acme.com').getByRole('alert').textContent).toBe(message);
    expect(opened.sent(list)).toHaveLength(2);
    opened.answer(change, acme);
    await opened.act();
    expect(opened.sent(change)).toHaveLength(2);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('puts off nothing that has become worse unseen, and says what it is by now', async () => {
    const worse = { ...acme, version: 5, severity: 'now', title: 'is not answered', when: 'today' };
    const opened = await choose(acme, 'Postpone for a week', {
      [change]: refused(409, 'conflict', { message: 'It is worse.', data: worse }),
    });
    const notice = screen.getByRole('alert');
    expect(notice.textContent).toContain('acme.com is not answered');
    expect(notice.textContent).toContain('Two of three · today');
    expect(screen.getAllByRole('alert')).toHaveLength(1);
    await opened.user.click(within(notice).getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('ends the notice of what was worse', async () => {
    const worse = { ...acme, version: 5 };
    const opened = await choose(acme, 'Postpone for a week', {
      [change]: refused(409, 'conflict', { message: worseText, data: worse }),
    });
    expect(screen.getByText('Not postponed')).toBeDefined();
    opened.answer(change, acme);
    await opened.act();
    expect(screen.queryByText('Not postponed')).toBeNull();
  });

  test('offers what fits the entry as the list has it by then, each time the menu is opened', async () => {
    const taken = { ...acme, version: 5, owner: { userId: me, name: 'Ann' } };
    const opened = await choose(acme, 'Take over');
    opened.answer(list, { items: [taken], more: false });
    window.dispatchEvent(new Event('visibilitychange'));
    await opened.settled();
    await opened.user.click(button('More for acme.com is not delegated'));
    await opened.user.click(screen.getByRole('menuitem', { name: 'Hand back' }));
    expect(opened.sent(change)[1]?.body).toEqual({ ownerId: null, shownOwnerId: me });
  });

  test('takes nothing from a colleague who took it over meanwhile, and says who has it', async () => {
    const theirs = { ...acme, owner: { userId: uuid(7), name: 'Bob' } };
    const opened = await open([acme], {
      [change]: refused(409, 'conflict', { message: ownerText(theirs.owner), data: theirs }),
    });
    await opened.user.click(button('More for acme.com is not delegated'));
    opened.answer(list, { items: [theirs], more: false });
    window.dispatchEvent(new Event('visibilitychange'));
    await opened.settled();
    // What is pressed is what was shown.
    await opened.user.click(screen.getByRole('menuitem', { name: 'Take over' }));
    expect(opened.sent(change)[0]?.body).toEqual({ ownerId: me, shownOwnerId: null });
    const notice = screen.getByRole('alert').textContent;
    expect(notice).toContain('Not changed');
    expect(notice).toContain('Bob took this entry over since you saw it.');
  });

  test('is of the entry as the menu showed it, whatever was read meanwhile', async () => {
    const opened = await open([acme], { [change]: acme });
    await opened.user.click(button('More for acme.com is not delegated'));
    opened.answer(list, { items: [{ ...acme, version: 5 }], more: false });
    window.dispatchEvent(new Event('visibilitychange'));
    await opened.settled();
    await opened.user.click(screen.getByRole('menuitem', { name: 'Postpone for a week' }));
    expect(opened.sent(change)[0]?.body).toMatchObject({ version: 4 });
  });

  test('to show again is offered only of what is put off', async () => {
    const { user } = await open([acme]);
    await user.click(button('More for acme.com is not delegated'));
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
      ...['Take over', 'Postpone until tomorrow', 'Postpone for a week', 'Postpone for a month'],
    ]);
  });
});

describe('the act that helps', () => {
  const place = `cart.${me}`;
  const inCart = (): unknown => JSON.parse(readText('local', place) ?? '{}').items;
  // The cart is the module's: the next person loads their own.
  afterEach(() => {
    cart.init('nobody');
    keepText('local', place, null);
  });

  test('leads to where it is done, with its query', async () => {
    const { user, path } = await open([acme]);
    await user.click(screen.getByRole('link', { name: 'Open: acme.com' }));
    expect(path()).toBe('/domain/acme.com?tab=health');
  });

  test('puts a renewal into the cart once, with what the portal knows of it', async () => {
    const { user } = await open([lapsing]);
    await user.click(button('Renew lapsing.com'));
    expect(button('In cart: renewal of lapsing.com').disabled).toBe(true);
    expect(inCart()).toMatchObject([
      {
        ...{ type: 'renewal', address: 'lapsing.com', registration: 1, customerId: uuid(22) },
        ...{ autoRenew: false, expireDate: '2026-12-01T00:00:00Z' },
      },
    ]);
  });

  test('is no renewal for somebody who may not buy', async () => {
    await open([lapsing], {}, { role: 'MSP_CUSTOMER' });
    expect(entry('lapsing.com')).toBeDefined();
    expect(screen.queryByRole('button', { name: /lapsing/ })).toBeNull();
  });
});

describe('the list', () => {
  test('says of each entry how pressing it is, who has it and how much time there is', async () => {
    await open([zeta, lapsing]);
    expect(rowOf('zeta.com').getByRole('img').getAttribute('aria-label')).toBe('Soon');
    expect(entry('zeta.com')?.textContent).toMatch(/is not delegatedBob · Two of three3 days/);
    expect(rowOf('lapsing.com').getByRole('img').getAttribute('aria-label')).toBe('Urgent');
  });

  test.each<[string, object]>([
    ['/attention', {}],
    ['/attention?tab=now', { severity: 'now' }],
    ['/attention?tab=soon', { severity: 'soon' }],
    ['/attention?tab=mine', { mine: 'true' }],
    ['/attention?tab=snoozed', { snoozed: 'true' }],
    [`/attention?kind=renewal&customer=${uuid(21)}`, { cause: 'renewal', customerId: uuid(21) }],
    ['/attention?tab=other&kind=toString', {}],
  ])('at %s asks for %o', async (path, query) => {
    const { sent } = await open([acme], {}, { path });
    expect(sent(list).map((call) => call.query)).toEqual([{ limit: '50', ...query }]);
    // The figures are of the customer, whatever else is filtered.
    const { customerId } = query as { customerId?: string };
    expect(sent('GET /attention/counts').map((call) => call.query)).toEqual([
      customerId ? { customerId } : {},
    ]);
  });

  test('says how many there are of each kind, and offers the causes that wait, and the one that is chosen', async () => {
    const { user } = await open([acme], {}, { path: '/attention?kind=transfer&tab=soon' });
    const chips = ['Now', 'Soon', 'Mine', 'Postponed'].map((name) => button(new RegExp(`^${name}`)));
    expect(chips.map(({ textContent }) => textContent)).toEqual(['Now1', 'Soon4', 'Mine1', 'Postponed1']);
    await user.click(screen.getByRole('combobox', { name: 'Cause' }));
    const causes = document.getElementById(
      screen.getByRole('combobox', { name: 'Cause' }).getAttribute('aria-controls') ?? '',
    );
    expect(
      within(causes as HTMLElement)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['Health', 'Renewals', 'Transfers']);
  });

  test('is filtered by what one chooses, and the filter is in the address', async () => {
    const { user, path } = await open([acme]);
    await user.click(button(/^Mine/));
    expect(path()).toContain('tab=mine');
    await user.click(button(/^Mine/));
    expect(path()).not.toContain('tab');
    for (const [label, option] of [
      ['Cause', 'Renewals'],
      ['Customer', 'Zeta'],
    ] as const) {
      await user.click(screen.getByRole('combobox', { name: label }));
      await user.click(screen.getByRole('option', { name: option }));
    }
    expect(path()).toBe(`/attention?kind=renewal&customer=${uuid(22)}`);
  });

  test('shows no more than fits, and the rest on request', async () => {
    const opened = await open([], { [list]: { items: [acme], more: true } });
    opened.answer(list, { items: [zeta], more: false });
    await opened.user.click(button('Show more'));
    expect(opened.sent(list).at(-1)?.query).toEqual({ limit: '50', after: acme.id });
    expect([entry('acme.com'), entry('zeta.com')]).not.toContain(undefined);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  });

  test.each([
    ['/attention', 'Nothing needs your attention'],
    ['/attention?tab=mine', 'Nothing here needs attention'],
  ])('that is empty at %s says %s', async (path, text) => {
    await open([], {}, { path });
    expect(screen.getByText(text)).toBeDefined();
  });

  test('that cannot be read says so, and nothing else, and is read again', async () => {
    const opened = await open([], { [list]: refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.queryByText('Nothing needs your attention')).toBeNull();
    opened.answer(list, { items: [acme], more: false });
    await opened.user.click(button('Try again'));
    expect(entry('acme.com')).toBeDefined();
  });

  test("of a customer's own user has no acts of staff", async () => {
    await open([acme], {}, { role: 'MSP_CUSTOMER' });
    expect(screen.queryByRole('button', { name: /^More for/ })).toBeNull();
    expect(screen.queryByRole('button', { name: /^(Mine|Postponed)/ })).toBeNull();
    expect(screen.queryByRole('combobox', { name: 'Customer' })).toBeNull();
  });
});

describe('the daily email', () => {
  const box = () => screen.getByRole<HTMLInputElement>('switch', { name: /Email me this list/ });

  test('is switched once, and shows what was asked for meanwhile', async () => {
    const answer = new Held();
    const opened = await open([], { [digest]: answer });
    await opened.user.click(box());
    expect([box().checked, box().disabled]).toEqual([true, true]);
    answer.give({ daily: true });
    await opened.settled();
    expect(opened.sent(digest).map(({ body }) => body)).toEqual([{ daily: true }]);
    expect([box().checked, box().disabled]).toEqual([true, false]);
    opened.answer(digest, { daily: false });
    await opened.user.click(box());
    expect(opened.sent(digest).at(-1)?.body).toEqual({ daily: false });
  });

  test('that could not be switched says so and shows what is', async () => {
    const opened = await open([], { [digest]: silence });
    await opened.user.click(box());
    expect(screen.getByRole('alert').textContent).toBe('Something went wrong');
    expect(box().checked).toBe(false);
    expect(opened.sent('GET /attention/digest')).toHaveLength(2);
  });

  test('cannot be switched while nobody knows what it is', async () => {
    await open([], { 'GET /attention/digest': refused(500, 'internal', { message: 'Out of order' }) });
    expect(box().disabled).toBe(true);
    expect(screen.getByRole('alert').textContent).toBe('Out of order');
  });
});
