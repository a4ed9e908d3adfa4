import { afterEach, describe, expect, test } from 'vitest';
import type { WatchedName } from '#contracts/operations/health.ts';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { namesToMove } from '../features/moves/names-to-move.ts';
import { forgetTab } from '../lib/storage.ts';
import WatchedScreen from './watched.tsx';

const of = (domain: string, more: Partial<WatchedName> = {}): WatchedName => ({
  ...{ domain, registrar: 'Other Inc.', expiresAt: '2027-01-02T12:00:00Z', customerId: uuid(21) },
  ...{ customer: 'Acme', checkedAt: '2026-11-01T00:00:00Z', problems: 2, ...more },
});
const acme = of('acme.com');
const fresh = of('fresh.org', {
  registrar: null,
  expiresAt: null,
  checkedAt: null,
  customerId: null,
  customer: '',
});
const silent = of('silent.com', { registrar: null, problems: 0 });
const list = 'GET /health/watched';
const watch = 'POST /health/watched';
const assign = 'PATCH /health/watched';
const remove = 'POST /health/watched/remove';

const open = (
  answers: Answers = {},
  { role = 'MSP_OWNER', path = '/health/watched' }: { role?: Role; path?: string } = {},
) =>
  openScreen(WatchedScreen, {
    ...{ route: '/health/watched', path, role },
    answers: {
      [list]: paged([acme, fresh, silent]),
      'GET /customer/choices': [
        { customerId: uuid(21), organization: 'Acme', markups: null },
        { customerId: uuid(22), organization: 'Zeta', markups: null },
      ],
      ...answers,
    },
  });
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const names = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Domain names' });
type Clicks = { click: (on: HTMLElement) => Promise<void> };
const pick = async (user: Clicks, box: HTMLElement, option: string) => {
  await user.click(box);
  // Of this field: the lists of all of them are in the document.
  const list = document.getElementById(box.getAttribute('aria-controls') ?? '') as HTMLElement;
  await user.click(within(list).getByRole('option', { name: option }));
};
/** The form's; the list below has a filter of that name. */
const customerOf = (root: HTMLElement = document.body) =>
  within(root).getAllByRole('combobox', { name: 'Customer' })[0] as HTMLElement;

afterEach(forgetTab);

describe('names that are to be watched', () => {
  test('are not sent where there are none, and the field says so until it is changed', async () => {
    const { user, sent } = await open();
    await user.click(button('Watch'));
    expect(fieldErrors()).toEqual({ 'Domain names': 'Please enter at least one name' });
    await faultHasFocus();
    await user.type(names(), 'a');
    expect(fieldErrors()).toEqual({});
    expect(sent(watch)).toEqual([]);
  });

  test('are sent as they were pasted, for no customer or the chosen one; what was not added stays', async () => {
    const left = [{ name: 'b.example', reason: 'It is watched already' }];
    const opened = await open({ [watch]: { added: 1, left } });
    const { user, sent } = opened;
    await user.type(names(), 'a.example, b.example');
    await user.click(button('Watch'));
    expect(names().value).toBe('b.example');
    expect(
      screen.getByText(
        /^1 domain is watched from now on. The first check takes a few minutes. Not added: 1.$/,
      ),
    ).toBeDefined();
    expect(screen.getByText('b.example: It is watched already')).toBeDefined();
    expect(sent(list)).toHaveLength(2);
    opened.answer(watch, { added: 2, left: [] });
    await pick(user, customerOf(), 'Zeta');
    await user.click(button('Watch'));
    expect(names().value).toBe('');
    expect(sent(watch).map(({ body }) => body)).toEqual([
      { text: 'a.example, b.example', customerId: null },
      { text: 'b.example', customerId: uuid(22) },
    ]);
  });

  test('are sent once however often somebody presses', async () => {
    const { user, sent } = await open({ [watch]: new Held() });
    await user.type(names(), 'a.example');
    await user.click(button('Watch'));
    expect(button('Adding...').disabled).toBe(true);
    await user.click(button('Adding...'));
    expect(sent(watch)).toHaveLength(1);
  });

  test.each([
    [
      'refused',
      refused(404, 'not_found', { message: 'Please choose a customer' }),
      'Please choose a customer',
    ],
    ['without an answer', silence, 'Something went wrong'],
  ])('that are %s say so, and stay', async (_what, answer, message) => {
    const { user, sent } = await open({ [watch]: answer });
    await user.type(names(), 'a.example');
    await user.click(button('Watch'));
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(names().value).toBe('a.example');
    await user.click(button('Watch'));
    expect(sent(watch)).toHaveLength(2);
  });

  test('are not left before they are added unless that is confirmed', async () => {
    const { user, path } = await open();
    await user.type(names(), 'a.example');
    await user.click(screen.getByRole('link', { name: 'Health' }));
    expect(screen.getByRole('dialog', { name: 'Leave without adding these names?' })).toBeDefined();
    await user.click(button('Stay'));
    expect([path(), names().value]).toEqual(['/health/watched', 'a.example']);
  });

  test('that the portal finds wrong say so at the field', async () => {
    const details = [{ path: 'text', message: 'Too many names' }];
    const { user } = await open({ [watch]: refused(400, 'validation_failed', { details }) });
    await user.type(names(), 'a.example');
    await user.click(button('Watch'));
    expect(fieldErrors()).toEqual({ 'Domain names': 'Too many names' });
  });
});

describe('chosen names', () => {
  async function choose(domains: string[], answers: Answers = {}) {
    const opened = await open(answers);
    for (const domain of domains)
      await opened.user.click(screen.getByRole('checkbox', { name: `Select ${domain}` }));
    return opened;
  }
  const bar = () => within(screen.getByRole('region', { name: 'Selected domains' }));
  const dialog = () => screen.getByRole('dialog');

  test('are watched no more once somebody has said so, those alone, and are no longer chosen', async () => {
    const { user, sent } = await choose(['acme.com', 'fresh.org'], { [remove]: { removed: 2 } });
    await user.click(bar().getByRole('button', { name: 'Stop watching' }));
    expect(dialog().textContent).toContain('Stop watching 2 domains?');
    expect(dialog().textContent).toContain('acme.com, fresh.org');
    await user.click(within(dialog()).getByRole('button', { name: 'Cancel' }));
    expect(sent(remove)).toEqual([]);
    await user.click(bar().getByRole('button', { name: 'Stop watching' }));
    await user.click(within(dialog()).getByRole('button', { name: 'Stop watching' }));
    expect(sent(remove).map(({ body }) => body)).toEqual([{ domains: ['acme.com', 'fresh.org'] }]);
    expect(screen.queryByRole('region', { name: 'Selected domains' })).toBeNull();
    expect(sent(list)).toHaveLength(2);
  });

  test('are named before their watch ends, the first five of many', async () => {
    const many = Array.from({ length: 7 }, (_, n) => of(`n${n}.com`));
    const { user } = await choose(
      many.map(({ domain }) => domain),
      { [list]: paged(many) },
    );
    await user.click(bar().getByRole('button', { name: 'Stop watching' }));
    expect(dialog().textContent).toContain('n0.com, n1.com, n2.com, n3.com, n4.com and 2 more');
    expect(dialog().textContent).toContain('Stop watching 7 domains?');
  });

  test('stay chosen over the pages, and are let go one by one', async () => {
    const pages = ({ query }: { query: Record<string, string | undefined> }) =>
      paged(query.page === '2' ? [silent] : [acme], { total: 52, page: Number(query.page) });
    const { user, sent } = await choose(['acme.com'], { [list]: pages, [remove]: { removed: 1 } } as Answers);
    await user.click(button('2'));
    await user.click(screen.getByRole('checkbox', { name: 'Select silent.com' }));
    expect(screen.getByText('2 domains selected')).toBeDefined();
    await user.click(button('1'));
    await user.click(screen.getByRole('checkbox', { name: 'Select acme.com' }));
    await user.click(bar().getByRole('button', { name: 'Stop watching' }));
    await user.click(within(dialog()).getByRole('button', { name: 'Stop watching' }));
    expect(sent(remove).map(({ body }) => body)).toEqual([{ domains: ['silent.com'] }]);
  });

  test('stay chosen where the end of their watch is refused, which says why', async () => {
    const answer = new Held();
    const { user, sent, settled } = await choose(['acme.com'], { [remove]: answer });
    await user.click(bar().getByRole('button', { name: 'Stop watching' }));
    await user.click(within(dialog()).getByRole('button', { name: 'Stop watching' }));
    expect(button('Removing...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await user.click(button('Removing...'));
    answer.give(refused(404, 'not_found', { message: 'They are gone.' }));
    await settled();
    expect(within(dialog()).getByRole('alert').textContent).toBe('They are gone.');
    expect(sent(remove)).toHaveLength(1);
    expect(screen.getByText('1 domain selected')).toBeDefined();
  });

  test('are assigned to a customer, or to none', async () => {
    const opened = await choose(['acme.com'], { [assign]: { changed: 1 } });
    const { user, sent } = opened;
    await user.click(button('Assign to customer'));
    await pick(user, customerOf(dialog()), 'Zeta');
    await user.click(button('Assign'));
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(screen.getByRole('checkbox', { name: 'Select fresh.org' }));
    await user.click(button('Assign to customer'));
    opened.answer(assign, silence);
    await user.click(button('Assign'));
    expect(within(dialog()).getByRole('alert').textContent).toBe('Something went wrong');
    expect(sent(assign).map(({ body }) => body)).toEqual([
      { domains: ['acme.com'], customerId: uuid(22) },
      { domains: ['fresh.org'], customerId: null },
    ]);
  });

  test('go along to the transfer, as far as they can come, with their one customer', async () => {
    const { user, path } = await choose(['acme.com', 'fresh.org', 'silent.com']);
    expect(screen.getByText('3 domains selected, 1 is not offered for transfer here')).toBeDefined();
    await user.click(button('Transfer here'));
    expect(path()).toBe(`/domain/moves?customer=${uuid(21)}`);
    expect(namesToMove()).toBe('acme.com, \nsilent.com, ');
  });

  test('of several customers go along with none; those that cannot come are not offered to', async () => {
    const opened = await choose(['acme.com', 'silent.com'], {
      [list]: paged([acme, fresh, { ...silent, customerId: uuid(22) }]),
    });
    await opened.user.click(button('Transfer here'));
    expect(opened.path()).toBe('/domain/moves');
  });

  test('that cannot come here are not offered the transfer, and are let go by one press', async () => {
    const { user } = await choose(['fresh.org']);
    expect(screen.queryByRole('button', { name: 'Transfer here' })).toBeNull();
    await user.click(button('Clear selection'));
    expect(screen.queryByRole('region', { name: 'Selected domains' })).toBeNull();
  });
});

describe('the list of watched names', () => {
  test('says of each where it is held, until when, for whom and what is wrong, or that nobody knows yet', async () => {
    await open();
    const rows = screen.getAllByRole('row').slice(1);
    const texts = rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .slice(1)
        .map(({ textContent }) => textContent),
    );
    expect(texts).toEqual([
      ['acme.com', 'Other Inc.', 'Jan 2, 2027', 'Acme', '2'],
      ['fresh.org', 'Not checked yet', '–', '–', '–'],
      ['silent.com', 'Not known', 'Jan 2, 2027', 'Acme', '0'],
    ]);
  });

  test('is read with the filter of its address, and begins again when that is changed', async () => {
    const { user, sent, path } = await open({}, { path: `/health/watched?customer=${uuid(22)}&page=2` });
    expect(sent(list)[0]?.query).toEqual({
      ...{ page: '2', pageSize: '50', sort: 'domain', customerId: uuid(22) },
    });
    const filter = screen.getAllByRole('combobox', { name: 'Customer' }).at(-1) as HTMLElement;
    await pick(user, filter, 'Acme');
    expect(path()).toBe(`/health/watched?customer=${uuid(21)}`);
  });

  test("of a customer's own user is to be read alone", async () => {
    await open({}, { role: 'MSP_CUSTOMER' });
    expect(screen.queryByRole('button', { name: 'Watch' })).toBeNull();
    expect(screen.queryAllByRole('checkbox')).toEqual([]);
    expect(screen.queryByRole('columnheader', { name: 'Customer' })).toBeNull();
  });

  test('that is empty says so; one that cannot be read is read again', async () => {
    const opened = await open({ [list]: refused(500, 'internal', { message: 'Out of order' }) });
    opened.answer(list, paged([]));
    await opened.user.click(button('Try again'));
    expect(screen.getByText('No watched domains found')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Clear search and filters' })).toBeNull();
  });

  test('in which nothing matches offers to show all', async () => {
    const { user, path } = await open(
      { [list]: paged([]) },
      { path: `/health/watched?customer=${uuid(21)}` },
    );
    await user.click(button('Clear search and filters'));
    expect(path()).toBe('/health/watched');
  });
});
