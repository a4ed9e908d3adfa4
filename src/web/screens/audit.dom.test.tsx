import { fireEvent } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { AuditRow } from '#contracts/operations/audit.ts';
import type { SavedView } from '#contracts/operations/views.ts';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  fieldErrors,
  file,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import AuditScreen from './audit.tsx';

const of = (sequence: number, more: Partial<AuditRow> = {}): AuditRow => ({
  ...{ sequence, at: '2026-11-01T12:00:00Z', actor: 'bob@msp.example', actorId: uuid(11), ip: '192.0.2.7' },
  ...{ action: 'customers.update', objectKind: 'customer', object: 'Acme', customerId: uuid(21) },
  ...{ customer: 'Acme', before: null, after: null, ...more },
});
const changed = of(7, {
  before: { autoRenew: false, note: 'old', same: 1 },
  after: { autoRenew: true, note: '', same: 1 },
});
const plain = of(8, {
  ...{ action: 'tokens.create', objectKind: 'api token', object: uuid(77), customer: '', customerId: null },
  ...{ actor: 'eve@msp.example', actorId: uuid(12), ip: null },
});
const view: SavedView = {
  ...{ id: uuid(41), screen: 'audit', name: 'Acme', query: `customer=${uuid(21)}`, shared: false, own: true },
};
const ofEve: SavedView = {
  ...view,
  id: uuid(42),
  name: 'Tokens',
  query: 'kind=tokens.create',
  own: false,
  shared: true,
};
const list = 'GET /audit';
const verify = 'GET /audit/verification';
const save = 'POST /view';
const remove = 'DELETE /view/:id';

const open = (
  answers: Answers = {},
  { role = 'MSP_OWNER', path = '/audit' }: { role?: Role; path?: string } = {},
) =>
  openScreen(AuditScreen, {
    ...{ route: '/audit', path, role },
    answers: {
      [list]: paged([changed, plain]),
      'GET /user/users': [
        {
          ...{ userId: uuid(13), email: 'zoe@msp.example', username: '', organization: 'Blue Fig' },
          ...{ type: 'MSP_EMPLOYEE', authorizedClientId: null, dailyLimit: null },
        },
      ],
      'GET /customer/choices': [{ customerId: uuid(21), organization: 'Acme', markups: null }],
      'GET /view': [view, ofEve],
      ...answers,
    },
  });
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
type Clicks = { click: (on: HTMLElement) => Promise<void> };
/** Of this filter: the lists of all of them are in the document. */
const optionsOf = async (user: Clicks, label: string) => {
  const box = screen.getByRole('combobox', { name: label });
  await user.click(box);
  return within(document.getElementById(box.getAttribute('aria-controls') ?? '') as HTMLElement);
};
const offered = async (user: Clicks, label: string) =>
  (await optionsOf(user, label)).getAllByRole('option').map(({ textContent }) => textContent);
const choose = async (user: Clicks, label: string, option: string) => {
  await user.click((await optionsOf(user, label)).getByRole('option', { name: option }));
};

describe('the log', () => {
  const all = { page: '1', pageSize: '50', sort: '-at' };

  test.each<[string, object]>([
    ['/audit', {}],
    [
      `/audit?person=${uuid(11)}&customer=${uuid(21)}&kind=tokens.create&from=2026-01-02&to=2026-01-03&search=acme`,
      {
        ...{ person: uuid(11), customerId: uuid(21), action: 'tokens.create' },
        ...{ from: '2026-01-02', to: '2026-01-03', search: 'acme' },
      },
    ],
    ['/audit?kind=no.such&from=yesterday', {}],
    ['/audit?sort=at&page=2', { sort: 'at', page: '2' }],
  ])('at %s is asked for with %o', async (path, query) => {
    const { sent } = await open({}, { path });
    expect(sent(list)[0]?.query).toEqual({ ...all, ...query });
  });

  test('is filtered by what one chooses, each filter for itself, from the first page on', async () => {
    const { user, path, settled } = await open({}, { path: '/audit?page=2' });
    await choose(user, 'Person', 'zoe@msp.example');
    await choose(user, 'Customer', 'Acme');
    await choose(user, 'Action', 'Made an API token');
    for (const [label, day] of [
      ['From', '2026-01-02'],
      ['To', '2026-01-03'],
    ] as const) {
      fireEvent.change(screen.getByLabelText(label), { target: { value: day } });
      await settled();
    }
    const query = Object.fromEntries(new URLSearchParams(path().split('?')[1]));
    expect(query).toEqual({
      ...{ person: uuid(13), customer: uuid(21), kind: 'tokens.create' },
      ...{ from: '2026-01-02', to: '2026-01-03' },
    });
  });

  test('offers current users and people who acted in what is shown, and names one who is gone', async () => {
    const { user } = await open({}, { path: `/audit?person=${uuid(19)}` });
    const people = ['bob@msp.example', 'eve@msp.example', 'zoe@msp.example', 'Former user'];
    expect((await offered(user, 'Person')).sort()).toEqual(people.sort());
  });

  test('says of each entry when, who, from where, what and of what', async () => {
    await open();
    const rows = screen.getAllByRole('row').slice(1);
    const texts = rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    );
    expect(texts.map((cells) => cells.slice(1))).toEqual([
      ['bob@msp.example192.0.2.7', 'Changed a customer', 'Acme', 'Acme', '2 fields'],
      ['eve@msp.example', 'Made an API token', 'API token', '', ''],
    ]);
    expect(texts[0]?.[0]).toContain('2026');
  });

  test('shows an entry whole: each field that changed, before and after, and nothing that did not', async () => {
    const { user } = await open();
    await user.click(button('2 fields, before and after: Auto renew and 1 more'));
    const sheet = within(screen.getByRole('dialog', { name: 'Changed a customer' }));
    expect(sheet.getByLabelText('Before and after').textContent).toBe(
      'Auto renewBefore NoAfter YesNoteBefore oldAfter empty',
    );
    for (const text of ['bob@msp.example', '192.0.2.7', '7']) expect(sheet.getByText(text)).toBeDefined();
    expect(sheet.getByText(/"same": 1/)).toBeDefined();
    const facts = document.querySelectorAll('[role=dialog] dl:first-of-type > *');
    expect([...facts].map(({ textContent }) => textContent).slice(2)).toEqual([
      ...['Who', 'bob@msp.example192.0.2.7', 'Object', 'Acme', 'Customer', 'Acme', 'Entry', '7'],
    ]);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('shows of an entry about a thing without a name its id, and says where nothing changed', async () => {
    const same = { before: { days: 1 }, after: { days: 1 } };
    const { user } = await open({
      [list]: paged([of(9, { ...same, object: uuid(77), customer: '', ip: null })]),
    });
    await user.click(button(/^0 fields/));
    const sheet = within(screen.getByRole('dialog', { name: 'Changed a customer' }));
    expect(sheet.getByText('Nothing changed.')).toBeDefined();
    const facts = document.querySelectorAll('[role=dialog] dl:first-of-type > *');
    expect([...facts].map(({ textContent }) => textContent).slice(2)).toEqual([
      ...['Who', 'bob@msp.example', 'Object', `Customer${uuid(77)}`, 'Entry', '9'],
    ]);
  });

  test.each([
    ['/audit', 'No entries yet'],
    [`/audit?customer=${uuid(21)}`, 'No entries found'],
    ['/audit?from=2026-01-02', 'No entries found'],
    ['/audit?kind=tokens.create', 'No entries found'],
    ['/audit?search=x', 'No entries found'],
  ])('that is empty at %s says %s', async (path, text) => {
    const opened = await open({ [list]: paged([]) }, { path });
    expect(screen.getByText(text)).toBeDefined();
    const clear = screen.queryByRole('button', { name: 'Clear search and filters' });
    expect(clear !== null).toBe(text === 'No entries found');
    if (clear) await opened.user.click(clear);
    expect(opened.path()).toBe('/audit');
  });

  test('that cannot be read says so, and is read again', async () => {
    const opened = await open({ [list]: refused(500, 'internal', { message: 'Out of order' }) });
    opened.answer(list, paged([changed]));
    await opened.user.click(button('Try again'));
    expect(screen.getByText('bob@msp.example', { selector: 'td *' })).toBeDefined();
  });

  test.each<[Role, string[]]>([
    ['MSP_ADMIN', ['Person', 'Customer', 'Action']],
    ['MSP_EMPLOYEE', ['Action']],
    ['MSP_CUSTOMER', ['Action']],
  ])('offers %s the filters %j; the file and the check to managers alone', async (role, filters) => {
    const { user, sent } = await open({}, { role });
    const shown = ['Person', 'Customer', 'Action'].filter((name) => screen.queryByRole('combobox', { name }));
    expect(shown).toEqual(filters);
    const manages = role === 'MSP_ADMIN';
    for (const name of ['Export CSV', 'Verify the log']) {
      expect(screen.queryByRole('button', { name }) !== null).toBe(manages);
    }
    expect(sent('GET /user/users')).toHaveLength(manages ? 1 : 0);
    expect((await offered(user, 'Action')).includes('Made an API token')).toBe(role !== 'MSP_CUSTOMER');
  });
});

describe('the file of the log', () => {
  const csv = 'GET /audit/csv';
  test('has what the filters and the search leave', async () => {
    const opened = await open(
      { [csv]: file('audit.csv') },
      {
        path: `/audit?person=${uuid(11)}&customer=${uuid(21)}&kind=tokens.create&from=2026-01-02&to=2026-01-03&search=acme&page=2`,
      },
    );
    await opened.user.click(button('Export CSV'));
    expect(opened.sent(csv).map(({ query }) => query)).toEqual([
      {
        ...{ person: uuid(11), customerId: uuid(21), action: 'tokens.create' },
        ...{ from: '2026-01-02', to: '2026-01-03', search: 'acme' },
      },
    ]);
    expect(opened.saved()).toEqual(['audit.csv']);
  });

  test('that is under way is not asked for twice; a refusal is shown', async () => {
    const answer = new Held();
    const opened = await open({ [csv]: answer });
    await opened.user.click(button('Export CSV'));
    expect(button('Preparing...').disabled).toBe(true);
    answer.give(refused(500, 'internal', { message: 'Out of order' }));
    await opened.settled();
    expect(screen.getByRole('alert').textContent).toBe('Out of order');
    expect(button('Export CSV').disabled).toBe(false);
  });
});

describe('the check of the log', () => {
  const head = 'a'.repeat(64);
  const whole = { rows: 1_200, head, broken: null, whole: true };

  test.each([
    [whole, 'All 1,200 entries are unchanged.'],
    [{ ...whole, rows: 1 }, 'The only entry is unchanged.'],
    [
      { ...whole, broken: { sequence: 9, reason: 'its text was changed' } },
      'The log cannot be verified from entry 9 on: its text was changed.',
    ],
  ])('says what it found', async (found, text) => {
    const { user } = await open({ [verify]: found });
    await user.click(button('Verify the log'));
    expect(screen.getByText(text)).toBeDefined();
  });

  test('goes on where a part of it ended, to the end', async () => {
    const answers = [{ ...whole, rows: 500, whole: false }, whole];
    const opened = await open({ [verify]: () => answers.shift() });
    await opened.user.click(button('Verify the log'));
    expect(opened.sent(verify).map(({ query }) => query)).toEqual([{}, { rows: '500', head }]);
    expect(screen.getByText('All 1,200 entries are unchanged.')).toBeDefined();
  });

  test('that is under way is not begun twice; one that failed is not taken for a good one', async () => {
    const answer = new Held();
    const opened = await open({ [verify]: answer });
    await opened.user.click(button('Verify the log'));
    expect(button('Verifying...').disabled).toBe(true);
    answer.give(silence);
    await opened.settled();
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
      'Something went wrong',
    ]);
    expect(screen.queryByText(/unchanged/)).toBeNull();
    expect(button('Verify the log').disabled).toBe(false);
  });
});

describe('saved views', () => {
  const panel = async (answers: Answers = {}, who: { role?: Role; path?: string } = {}) => {
    const opened = await open(answers, { path: '/audit?kind=tokens.create&search=x&page=3', ...who });
    await opened.user.click(button('Saved views'));
    return opened;
  };
  const name = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Save this list as' });

  test('keep the filters of this list without its page, and are private unless somebody shares them', async () => {
    const { user, sent } = await panel({ [save]: view });
    expect(sent('GET /view').map(({ query }) => query)).toEqual([{ screen: 'audit' }]);
    expect(button('Save view').disabled).toBe(true);
    await user.type(name(), 'Mine');
    await user.click(button('Save view'));
    expect(screen.queryByRole('button', { name: 'Save view' })).toBeNull();
    await user.click(button('Saved views'));
    await user.type(name(), 'Mine');
    await user.click(screen.getByRole('checkbox', { name: 'Share with my colleagues' }));
    await user.click(button('Save view'));
    const of = { screen: 'audit', name: 'Mine', query: 'kind=tokens.create&search=x' };
    expect(sent(save).map(({ body }) => body)).toEqual([
      { ...of, shared: false },
      { ...of, shared: true },
    ]);
    expect(sent('GET /view')).toHaveLength(3);
  });

  test('are not saved without a name, by Enter neither, and once however often one presses', async () => {
    const { user, sent } = await panel({ [save]: new Held() });
    await user.type(name(), '  {Enter}');
    expect(sent(save)).toEqual([]);
    await user.type(name(), 'x{Enter}');
    expect(button('Saving...').disabled).toBe(true);
    await user.type(name(), '{Enter}');
    expect(sent(save)).toHaveLength(1);
  });

  test.each([
    ['refused', refused(409, 'already_exists', { message: 'There is one.' }), 'There is one.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that are %s say so at the name, which stays until it is changed', async (_what, answer, message) => {
    const { user } = await panel({ [save]: answer });
    await user.type(name(), 'Mine');
    await user.click(button('Save view'));
    expect(fieldErrors()).toEqual({ 'Save this list as': message });
    expect(name().value).toBe('Mine');
    await user.type(name(), '2');
    expect(fieldErrors()).toEqual({});
  });

  test('open with their filters, and the present one is named and not saved again', async () => {
    const opened = await panel();
    expect(screen.getByRole('link', { name: 'Tokens shared with you' })).toBeDefined();
    await opened.user.click(screen.getByRole('link', { name: 'Acme' }));
    expect(opened.path()).toBe(`/audit?customer=${uuid(21)}`);
    expect(button('Saved views').textContent).toBe('Acme');
    await opened.user.click(button('Saved views'));
    expect(screen.getByRole('link', { name: 'Acme' }).getAttribute('aria-current')).toBe('page');
    expect(screen.queryByRole('textbox', { name: 'Save this list as' })).toBeNull();
  });

  test.each<[Role, string[]]>([
    ['MSP_ADMIN', ['Remove the view Acme', 'Remove the view Tokens']],
    ['MSP_EMPLOYEE', ['Remove the view Acme']],
  ])('are removed by %s: %j', async (role, names) => {
    const { user, sent } = await panel({ [remove]: {} }, { role });
    const buttons = screen.getAllByRole('button', { name: /^Remove/ });
    expect(buttons.map((one) => one.getAttribute('aria-label'))).toEqual(names);
    await user.click(buttons.at(-1) as HTMLElement);
    expect(sent(remove).map(({ params }) => params.id)).toEqual([role === 'MSP_ADMIN' ? ofEve.id : view.id]);
    expect(sent('GET /view')).toHaveLength(2);
  });

  test('whose removal is refused say so', async () => {
    const { user } = await panel({ [remove]: refused(404, 'not_found', { message: 'It is gone.' }) });
    await user.click(button('Remove the view Acme'));
    expect(screen.getByRole('alert').textContent).toBe('It is gone.');
  });

  test('say that there are none, or that they cannot be read', async () => {
    const opened = await panel({ 'GET /view': refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.queryByText('No saved views yet.')).toBeNull();
    opened.answer('GET /view', []);
    await opened.user.click(button('Try again'));
    expect(screen.getByText('No saved views yet.')).toBeDefined();
  });

  test("are not for a customer's own users", async () => {
    const { sent } = await open({}, { role: 'MSP_CUSTOMER' });
    expect(screen.queryByRole('button', { name: 'Saved views' })).toBeNull();
    expect(sent('GET /view')).toEqual([]);
  });
});
