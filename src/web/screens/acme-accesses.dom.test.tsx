import { cleanup } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { accessOf, certificatePrices } from '../../../tests/support/acme-samples.ts';
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
import { newAccessForm } from '../features/acme/form-values.ts';
import { forgetKey, keyOf } from '../features/acme/made-key.ts';
import { keepDraft } from '../lib/drafts.ts';
import AcmeAccessesScreen from './acme-accesses.tsx';

const list = 'GET /acme/access';
const make = 'POST /acme/access';
const revoke = 'DELETE /acme/access/:id';
const allowanceOf = 'GET /acme/allowance/:customerId';
const customers = [
  { customerId: uuid(21), organization: 'Acme', markups: null },
  { customerId: uuid(22), organization: 'Zeta', markups: null },
];
const made = { ...accessOf({ id: uuid(49) }), hmacKey: 'the-only-key' };
const allowed = { mostAccesses: 2, productType: 'rapidssl', product: 'RapidSSL' };

interface Opening {
  path?: string;
  role?: 'MSP_OWNER' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER';
  fresh?: number;
}
const open = (
  answers: Answers = {},
  { path = '/certificates/acme', role = 'MSP_OWNER', fresh = 900 }: Opening = {},
) =>
  openScreen(AcmeAccessesScreen, {
    ...{ route: '/certificates/acme', path, role, profile: { freshForSeconds: fresh } },
    answers: {
      ...{ [list]: paged([accessOf()]), 'GET /customer/choices': customers },
      ...{ 'GET /ssl/prices': certificatePrices, ...answers },
    },
  });
const button = (name: string) => screen.getByRole('button', { name });
const buttons = (name: string | RegExp) => screen.queryAllByRole('button', { name });
/** Of one choice: what others offer is in the page as well. */
const optionsOf = (box: HTMLElement) =>
  within(document.getElementById(box.getAttribute('aria-controls') ?? '') ?? box);
const field = (name: RegExp) =>
  within(screen.getByRole('dialog')).getByLabelText<HTMLInputElement>(name, { selector: 'input, textarea' });
const values = () =>
  [...screen.getByRole('dialog').querySelectorAll('input, textarea')]
    .filter((input) => input.getAttribute('role') !== 'switch' && !input.matches('[type="hidden"]'))
    .map((input) => (input as HTMLInputElement).value);

afterEach(() => {
  sessionStorage.clear();
  forgetKey();
});

/** The dialog, and what is done in it. */
async function begin(answers: Answers = {}, opening: Opening = {}) {
  const opened = await open(answers, opening);
  await opened.user.click(button('New access'));
  return { ...opened, ...acts(opened) };
}

function acts({ user, sent }: Awaited<ReturnType<typeof open>>) {
  const choose = async (label: RegExp, option: string) => {
    const box = within(screen.getByRole('dialog')).getByRole('combobox', { name: label });
    await user.click(box);
    await user.click(optionsOf(box).getByRole('option', { name: option }));
  };
  return {
    choose,
    toggle: (name: RegExp) => user.click(screen.getByRole('switch', { name })),
    submit: () => user.click(button('Make access')),
    bodies: () => sent(make).map(({ body }) => body),
    /** All that staff must say. */
    fill: async () => {
      await choose(/^Customer/, 'Zeta');
      await user.type(field(/^Name/), ' Mail ');
      await choose(/^Certificate/, 'Wild');
      await user.clear(field(/^Certificates a month/));
      await user.type(field(/^Certificates a month/), '3');
      await user.type(field(/^Money a month/), '60.55');
    },
  };
}

describe('a new access', () => {
  test('that says nothing is not sent, and each field says what it needs', async () => {
    const { submit, toggle, bodies, user } = await begin();
    await toggle(/^Only some names/);
    await user.clear(field(/^Certificates a month/));
    await submit();
    expect(fieldErrors()).toEqual({
      Customer: 'Please choose a customer',
      Name: 'Please enter a name',
      'Allowed names': 'Please enter at least one name',
      Certificate: 'Please choose a certificate',
      'Certificates a month': expect.stringMatching(/./),
      'Money a month': 'Please enter an amount',
    });
    await faultHasFocus();
    expect(bodies()).toEqual([]);
  });

  test.each<[string, RegExp, string, Record<string, string>]>([
    [
      'names that are none',
      /^Allowed names/,
      'www.acme.example\nno name',
      { 'Allowed names': 'This is not a valid domain name' },
    ],
    ['no certificates', /^Certificates a month/, '0', { 'Certificates a month': 'At least 1' }],
    ['no money', /^Money a month/, '0', { 'Money a month': 'Please enter an amount' }],
    ['too much money', /^Money a month/, '1000000.01', { 'Money a month': 'At most $1,000,000' }],
  ])('with %s is not sent', async (_what, label, text, errors) => {
    const { fill, toggle, submit, bodies, user } = await begin();
    await fill();
    await toggle(/^Only some names/);
    await user.click(field(/^Allowed names/));
    await user.paste('www.zeta.example');
    await user.clear(field(label));
    await user.type(field(label), text);
    await submit();
    expect(fieldErrors()).toEqual(errors);
    expect(bodies()).toEqual([]);
  });

  test('is sent as it was filled in, and its key goes to its own page, once', async () => {
    const { fill, toggle, submit, bodies, user, path } = await begin({ [make]: made });
    await fill();
    await toggle(/^Only some names/);
    await user.click(field(/^Allowed names/));
    await user.paste('www.zeta.example, Mail.Zeta.Example\n*.zeta.example');
    await user.type(field(/^Last day/), '2077-05-06');
    await submit();
    expect(bodies()).toEqual([
      {
        ...{ name: ' Mail ', customerId: uuid(22), productType: 'wild', lastDay: '2077-05-06' },
        hosts: ['www.zeta.example', 'Mail.Zeta.Example', '*.zeta.example'],
        mayBuy: { ordersPerMonth: 3, centsPerMonth: 6_055 },
      },
    ]);
    expect(path()).toBe(`/certificates/acme/${uuid(49)}`);
    expect(keyOf(uuid(49))).toBe('the-only-key');
  });

  test('that buys nothing and has no end says so, for all names of the customer that the list is filtered by', async () => {
    const { choose, toggle, submit, bodies, user } = await begin(
      { [make]: made },
      { path: `/certificates/acme?customer=${uuid(21)}`, role: 'MSP_EMPLOYEE' },
    );
    await user.type(field(/^Name/), 'Mail');
    await choose(/^Certificate/, 'RapidSSL');
    expect(screen.getByText('$9.95 a year')).toBeDefined();
    await toggle(/^May buy certificates/);
    expect(screen.queryByLabelText(/a month/)).toBeNull();
    // With an amount left in a field that is not shown, and without one.
    await submit();
    expect(fieldErrors()).toEqual({});
    expect(bodies()).toEqual([
      {
        ...{ name: 'Mail', customerId: uuid(21), productType: 'rapidssl' },
        ...{ hosts: null, mayBuy: null, lastDay: null },
      },
    ]);
  });

  test('offers no product that people have to check, and tells the price of the one that is chosen', async () => {
    const { user, choose } = await begin();
    const box = screen.getByRole('combobox', { name: /^Certificate/ });
    await user.click(box);
    const offered = optionsOf(box).getAllByRole('option');
    expect(offered.map(({ textContent }) => textContent)).toEqual(['RapidSSL', 'Wild']);
    await choose(/^Certificate/, 'Wild');
    expect(screen.getByText('$99.50 a year, for wildcards')).toBeDefined();
  });

  test('says at the field when the prices could not be read', async () => {
    await begin({ 'GET /ssl/prices': refused(500, 'internal') });
    expect(screen.getByText('The price list could not be read. Please try again.')).toBeDefined();
  });

  test('shows what the portal says of each field at that field', async () => {
    const details = [
      { path: 'name', message: 'Taken' },
      { path: 'customerId', message: 'Gone' },
      { path: 'hosts.1', message: 'Not theirs' },
      { path: 'productType', message: 'Not sold' },
      { path: 'mayBuy.ordersPerMonth', message: 'Too many' },
      { path: 'mayBuy.centsPerMonth', message: 'Too much' },
      { path: 'lastDay', message: 'Too early' },
    ];
    const { fill, toggle, submit, user, answer, bodies } = await begin({
      [make]: refused(400, 'validation_failed', { message: 'Look at the fields.', details }),
    });
    await fill();
    await toggle(/^Only some names/);
    await user.click(field(/^Allowed names/));
    await user.paste('a.example b.example');
    await submit();
    expect(fieldErrors()).toEqual({
      ...{ Name: 'Taken', Customer: 'Gone', 'Allowed names': 'Not theirs', Certificate: 'Not sold' },
      ...{ 'Certificates a month': 'Too many', 'Money a month': 'Too much', 'Last day': 'Too early' },
    });
    const typed = ['Zeta', ' Mail ', 'a.example b.example', 'Wild', '3', '$60.55', ''];
    expect(values()).toEqual(typed);
    answer(make, silence);
    await submit();
    expect(screen.getByRole('alert').textContent).toBe('Something went wrong');
    expect(values()).toEqual(typed);
    expect(button('Make access')).toHaveProperty('disabled', false);
    expect(bodies()).toHaveLength(2);
  });

  test('is sent once, and its dialog stays until the key has come', async () => {
    const answer = new Held();
    const { fill, bodies, user, settled } = await begin({ [make]: answer });
    await fill();
    await user.dblClick(button('Make access'));
    expect(button('Making access...')).toHaveProperty('disabled', true);
    await user.click(button('Cancel'));
    await user.keyboard('{Escape}');
    expect(screen.getByRole('dialog')).toBeDefined();
    answer.give(made);
    await settled();
    expect(bodies()).toHaveLength(1);
    expect(keyOf(uuid(49))).toBe('the-only-key');
  });

  test('that is given up sends nothing', async () => {
    const { fill, user, bodies } = await begin();
    await fill();
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bodies()).toEqual([]);
  });

  test('is not lost over the sign-in that is asked for when it is sent', async () => {
    const first = await begin({ [make]: refused(403, 'fresh_sign_in_required') });
    await first.fill();
    await first.submit();
    expect(screen.getByRole('alert').textContent).toContain('please sign in again to make an access');
    const typed = values();
    await first.user.click(button('Sign in again'));
    expect(first.session.signIn).toHaveBeenCalledWith({ fresh: true });
    // The sign-in takes the whole page away.
    const kept = { ...sessionStorage };
    cleanup();
    await Promise.resolve();
    expect(Object.keys(sessionStorage)).toEqual([]);
    for (const [name, text] of Object.entries(kept)) sessionStorage.setItem(name, text);
    await open();
    expect(values()).toEqual(typed);
  });

  test('asks for the sign-in first where it is an old one, before anything is typed', async () => {
    const { user, session } = await begin({}, { fresh: 60 });
    expect(buttons('Make access')).toEqual([]);
    expect(screen.getByRole('dialog').querySelector('input')).toBeNull();
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledWith({ fresh: true });
  });

  test('says that the customers could not be read, and reads them again', async () => {
    const { user, answer, choose } = await begin({ 'GET /customer/choices': refused(500, 'internal') });
    answer('GET /customer/choices', customers);
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Try again' }));
    await choose(/^Customer/, 'Acme');
    expect(field(/^Customer/).value).toBe('Acme');
  });
});

describe("a customer's own user", () => {
  const role = 'MSP_CUSTOMER';
  const own = (allowance: unknown, answers: Answers = {}) => ({ [allowanceOf]: allowance, ...answers });

  test('makes an access for their customer, without product or amount, as far as the provider allows', async () => {
    const mayBuy = { ordersPerMonth: 4, centsPerMonth: null };
    const { user, submit, bodies, sent } = await begin(own({ ...allowed, mayBuy }, { [make]: made }), {
      role,
    });
    expect(sent(allowanceOf).map(({ params }) => params)).toEqual([{ customerId: uuid(3) }]);
    expect(screen.queryByLabelText(/^(Customer|Certificate$|Money)/)).toBeNull();
    await user.type(field(/^Name/), 'Mail');
    await submit();
    expect(bodies()).toEqual([
      {
        ...{ name: 'Mail', customerId: uuid(3), hosts: null, lastDay: null },
        mayBuy: { ordersPerMonth: 1 },
      },
    ]);
    expect(sent('GET /ssl/prices')).toEqual([]);
  });

  test('whose accesses may not buy is told so, and sends that', async () => {
    const { user, submit, bodies } = await begin(own({ ...allowed, mayBuy: null }, { [make]: made }), {
      role,
    });
    expect(
      screen.getByText('It renews certificates within their paid terms and buys nothing.'),
    ).toBeDefined();
    expect(screen.queryByRole('switch', { name: /^May buy/ })).toBeNull();
    await user.type(field(/^Name/), 'Mail');
    await submit();
    expect(bodies()).toEqual([
      { name: 'Mail', customerId: uuid(3), hosts: null, mayBuy: null, lastDay: null },
    ]);
  });

  test('who may make none is offered none, nor a choice of customers', async () => {
    await open(own(null), { role });
    expect(buttons('New access')).toEqual([]);
    expect(document.body.textContent).toContain('Your provider makes the accesses for you.');
    expect(screen.queryByLabelText('Customer')).toBeNull();
    expect(screen.queryByRole('columnheader', { name: 'Customer' })).toBeNull();
  });

  test('comes back from a sign-in to what they typed, once it is known what they may', async () => {
    keepDraft(newAccessForm(uuid(3)), { name: 'Mail' }, { name: '' });
    const answer = new Held();
    const { settled } = await open(own(answer), { role });
    expect(screen.queryByRole('dialog')).toBeNull();
    answer.give({ ...allowed, mayBuy: null });
    await settled();
    expect(field(/^Name/).value).toBe('Mail');
  });

  test('is offered none while nobody knows what they may, and it can be read again', async () => {
    const { user, answer } = await open(own(refused(500, 'internal', { message: 'Not now.' })), { role });
    expect(screen.getByRole('alert').textContent).toContain('Not now.');
    expect(buttons('New access')).toEqual([]);
    expect(document.body.textContent).not.toContain('Your provider makes');
    answer(allowanceOf, { ...allowed, mayBuy: null });
    await user.click(button('Try again'));
    expect(buttons('New access')).toHaveLength(1);
  });
});

describe('the list', () => {
  const rows = [
    accessOf(),
    accessOf({
      ...{ id: uuid(42), name: 'Mail', customer: 'Zeta', hosts: null, mayChange: true, mayBuy: null },
      ...{ buysNow: null, problem: { at: '2026-11-01T00:00:00Z', text: 'x' } },
    }),
    accessOf({
      ...{
        id: uuid(43),
        name: 'Old',
        state: 'revoked',
        mayChange: false,
        lastUsedAt: '2026-11-02T12:00:00Z',
      },
      ...{ hosts: ['a.example'], buysNow: { ordersPerMonth: 5, centsPerMonth: null } },
    }),
    accessOf({ id: uuid(44), name: 'Gone', state: 'expired', mayChange: false }),
  ];

  test('tells of each who has it, how it is, its last use and what it has bought', async () => {
    await open({ [list]: paged(rows) });
    const [, ...shown] = screen
      .getAllByRole('row')
      .map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent));
    expect(shown).toEqual([
      [
        'Web serverwww.acme.example and 1 more',
        'Acme',
        'Works',
        'Never',
        '1 of 2, $29.95 of $60.50',
        'Revoke',
      ],
      ['MailAll names of the customer', 'Zeta', 'Last request failed', 'Never', 'Does not buy', 'Revoke'],
      ['Olda.example', 'Acme', 'Revoked', 'Nov 2, 2026', '1 of 5', ''],
      ['Gonewww.acme.example and 1 more', 'Acme', 'Ended', 'Never', '1 of 2, $29.95 of $60.50', ''],
    ]);
    expect(screen.getByRole('link', { name: 'Mail' }).getAttribute('href')).toBe(
      `/certificates/acme/${uuid(42)}`,
    );
  });

  test('asks before a revocation, revokes the one that was asked about, and reads the list again', async () => {
    const answer = new Held();
    const { user, sent, settled } = await open({ [list]: paged(rows), [revoke]: answer });
    await user.click(button('Revoke Web server'));
    expect(screen.getByRole('dialog').textContent).toContain('Machines that use “Web server” are refused');
    await user.click(button('Cancel'));
    expect(sent(revoke)).toEqual([]);
    await user.click(button('Revoke Mail'));
    expect(screen.getByRole('dialog').textContent).toContain('“Mail”');
    await user.dblClick(within(screen.getByRole('dialog')).getByRole('button', { name: 'Revoke' }));
    expect(button('Revoking...')).toHaveProperty('disabled', true);
    answer.give({});
    await settled();
    expect(sent(revoke).map(({ params }) => params)).toEqual([{ id: uuid(42) }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(list)).toHaveLength(2);
  });

  test('a revocation that is refused stays open and says why, and the next question begins without it', async () => {
    const { user } = await open({
      [list]: paged(rows),
      [revoke]: refused(403, 'forbidden', { message: 'Made by your provider.' }),
    });
    await user.click(button('Revoke Mail'));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Revoke' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByRole('alert').textContent).toBe('Made by your provider.');
    expect(dialog.getByRole('button', { name: 'Revoke' })).toHaveProperty('disabled', false);
    await user.click(button('Cancel'));
    await user.click(button('Revoke Web server'));
    expect(within(screen.getByRole('dialog')).queryByRole('alert')).toBeNull();
  });

  test('is asked for by customer and status, and begins at its first page', async () => {
    const { user, sent } = await open({}, { path: '/certificates/acme?page=2' });
    await user.click(screen.getByRole('combobox', { name: 'Customer' }));
    await user.click(screen.getByRole('option', { name: 'Zeta' }));
    await user.click(screen.getByRole('combobox', { name: 'Status' }));
    await user.click(screen.getByRole('option', { name: 'Ended' }));
    expect(sent(list).map(({ query }) => query)).toEqual([
      { page: '2', pageSize: '50' },
      { page: '1', pageSize: '50', customerId: uuid(22) },
      { page: '1', pageSize: '50', customerId: uuid(22), state: 'expired' },
    ]);
  });

  test('is sorted by what is pressed, from its first page on, and keeps what was searched', async () => {
    const { user, sent } = await open({}, { path: '/certificates/acme?search=web&page=2&kind=active' });
    const kept = { pageSize: '50', search: 'web', state: 'active' };
    for (const name of ['Name', 'Name', 'Customer', 'Last used']) await user.click(button(name));
    expect(sent(list).map(({ query }) => query)).toEqual([
      { ...kept, page: '2' },
      ...['name', '-name', 'customer', 'lastUsedAt'].map((sort) => ({ ...kept, page: '1', sort })),
    ]);
  });

  test('takes no status from the address that there is none of', async () => {
    const { sent } = await open({}, { path: '/certificates/acme?kind=nothing' });
    expect(sent(list).map(({ query }) => query)).toEqual([{ page: '1', pageSize: '50' }]);
  });

  test.each([`customer=${uuid(21)}`, 'search=nobody'])(
    'of %s without rows offers to show all',
    async (filter) => {
      await open({ [list]: paged([]) }, { path: `/certificates/acme?${filter}` });
      expect(screen.getByText('No accesses found')).toBeDefined();
    },
  );

  test('without rows offers to make the first one; one that is filtered offers to show all', async () => {
    const first = await open({ [list]: paged([]) });
    expect(screen.getByText('No accesses yet')).toBeDefined();
    await first.user.click(buttons('New access').at(-1) ?? document.body);
    expect(screen.getByRole('dialog', { name: 'New ACME access' })).toBeDefined();
  });

  test('that is filtered and has no rows offers to show all', async () => {
    await open({ [list]: paged([]) }, { path: '/certificates/acme?kind=revoked' });
    expect(screen.getByText('No accesses found')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Show all' }).getAttribute('href')).toBe('/certificates/acme');
  });

  test('that cannot be read says so, and is read again', async () => {
    const { user, answer } = await open({ [list]: refused(500, 'internal', { message: 'Not now.' }) });
    expect(screen.getByRole('alert').textContent).toContain('Not now.');
    answer(list, paged(rows));
    await user.click(button('Try again'));
    expect(screen.getByRole('link', { name: 'Mail' })).toBeDefined();
  });
});
