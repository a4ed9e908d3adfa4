import { afterEach, describe, expect, test } from 'vitest';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  type Opened,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { showToast } from '../ui/toast-store.ts';
import { Toasts } from '../ui/toasts.tsx';
import UsersScreen from './users.tsx';

afterEach(() => showToast(null));
const WithToasts = () => (
  <>
    <UsersScreen />
    <Toasts />
  </>
);

const of = (n: number, email: string, type: string, more: object = {}) => ({
  ...{ userId: uuid(n), email, username: '', organization: 'Blue Fig', type },
  ...{ authorizedClientId: null, dailyLimit: null, ...more },
});
const self = of(1, profileOf('MSP_OWNER').email, 'MSP_OWNER');
const bob = of(11, 'bob@msp.example', 'MSP_EMPLOYEE', { dailyLimit: 5_000 });
const cid = of(12, 'cid@acme.example', 'MSP_CUSTOMER', { authorizedClientId: uuid(21) });
const eve = of(13, 'eve@msp.example', 'MSP_OWNER');
const invite = {
  ...{ inviteId: uuid(31), email: 'dan@msp.example', type: 'MSP_EMPLOYEE', authorizedClientId: null },
  ...{ expiresAt: '2026-12-01T00:00:00Z', expired: false },
};
const customers = [
  { customerId: uuid(21), organization: 'Acme', markups: null },
  { customerId: uuid(22), organization: 'Zeta', markups: null },
];
const lists: Answers = {
  'GET /user/users': [self, bob, cid, eve],
  'GET /user/invites': [invite],
  'GET /customer/choices': customers,
};
const open = (
  answers: Answers = {},
  role: 'MSP_OWNER' | 'MSP_ADMIN' = 'MSP_OWNER',
  path = '/users',
  shown = UsersScreen,
) => openScreen(shown, { route: '/users', path, role, answers: { ...lists, ...answers } });
const table = (name: string) => within(screen.getByRole('table', { name }));
const heads = (name: string) =>
  table(name)
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent);
const button = (name: string) => screen.getByRole('button', { name });
const choose = async ({ user }: Opened, label: string | RegExp, option: string) => {
  await user.click(screen.getByRole('combobox', { name: label }));
  await user.click(screen.getByRole('option', { name: option }));
};
const made = { ...invite, link: 'https://portal.test/invite/0123456789abcdef' };

describe('the lists', () => {
  test('are who is there and who is invited, each with their type', async () => {
    const late = { ...invite, inviteId: uuid(32), email: 'late@msp.example', expired: true };
    const ada = of(14, 'ada@msp.example', 'MSP_ADMIN');
    await open({ 'GET /user/users': [self, ada, bob, cid], 'GET /user/invites': [invite, late] });
    expect(heads('Your current users')).toEqual(['Organization', 'Email', 'Type', 'Personal data', 'Delete']);
    expect(heads('Your invites')).toEqual(['Email', 'Type', 'Link', 'Delete']);
    const cells = (name: string, at: number) =>
      table(name)
        .getAllByRole('row')
        .slice(1)
        .map((row) => within(row).getAllByRole('cell')[at]?.textContent);
    expect(cells('Your current users', 1)).toEqual([
      `${self.email}You`,
      ...[ada, bob, cid].map(({ email }) => email),
    ]);
    expect(cells('Your current users', 2)).toEqual(['Owner', 'Admin', 'Employee', 'Customer']);
    expect(cells('Your invites', 0)).toEqual([
      expect.stringMatching(/^dan@msp.example until .*2026/),
      'late@msp.example (expired)',
    ]);
  });

  test('offer the data of each, and the erasure of nobody above or of oneself', async () => {
    await open({}, 'MSP_ADMIN');
    const named = (what: RegExp) =>
      screen.getAllByRole('button', { name: what }).map((one) => one.getAttribute('aria-label'));
    expect(named(/^Export the data of/)).toEqual(
      [self, bob, cid, eve].map(({ email }) => `Export the data of ${email}`),
    );
    expect(named(/^Erase the data of/)).toEqual([bob, cid].map(({ email }) => `Erase the data of ${email}`));
  });

  test('that are empty say so', async () => {
    await open({ 'GET /user/users': [], 'GET /user/invites': [] });
    expect(screen.getByText('No users found')).toBeDefined();
    expect(screen.getByText('No invites found')).toBeDefined();
    // And how somebody gets there: the button is on the screen.
    const what = 'People whom you invite are listed here until they accept. Invite them with “Invite User”.';
    expect(screen.getByText(what)).toBeDefined();
    expect(button('Invite User')).toBeDefined();
  });
});

describe('an open invitation', () => {
  const link = 'GET /user/subuser/invite/:id/link';
  const resend = 'POST /user/subuser/invite/:id/resend';
  const cancel = 'DELETE /user/subuser/invite/:id';
  const said = () => screen.getByRole('status').textContent;
  const it = { id: invite.inviteId };

  test('hands its link out when it is copied, and shows it nowhere; one sent again has another', async () => {
    const { user, sent } = await open({ [link]: { link: made.link }, [resend]: made });
    await user.click(button(`Copy the invitation link of ${invite.email}`));
    expect(said()).toBe('The link has been copied.');
    expect(await navigator.clipboard.readText()).toBe(made.link);
    expect(document.body.innerHTML).not.toContain('0123456789abcdef');
    await user.click(button(`Send the invitation to ${invite.email} again`));
    expect(said()).toBe('The invitation was sent again.');
    await user.click(button(`Copy the invitation link of ${invite.email}`));
    // It is asked for each time.
    expect([...sent(link), ...sent(resend)].map(({ params }) => params)).toEqual([it, it, it]);
  });

  test.each([
    [`Copy the invitation link of ${invite.email}`, link],
    [`Send the invitation to ${invite.email} again`, resend],
  ])('says why it could not be done: %s', async (name, call) => {
    const { user } = await open({ [call]: refused(404, 'not_found', { message: 'It is gone.' }) });
    await user.click(button(name));
    expect(said()).toBe('It is gone.');
  });

  test('is cancelled after one question, by its id', async () => {
    const { user, sent, answer } = await open({ [cancel]: {} });
    await user.click(button(`Cancel the invitation of ${invite.email}`));
    expect(screen.getByRole('dialog', { name: 'Confirm Removal of user' }).textContent).toContain(
      invite.email,
    );
    expect(sent(cancel)).toEqual([]);
    answer('GET /user/invites', []);
    await user.click(button('Confirm'));
    expect(sent(cancel).map(({ params }) => params)).toEqual([it]);
    expect(screen.getByText('No invites found')).toBeDefined();
  });

  test('whose end is refused says why in its dialog, which stays; the next question does not', async () => {
    const opened = await open({ [cancel]: refused(404, 'not_found', { message: 'It is accepted.' }) });
    await opened.user.click(button(`Cancel the invitation of ${invite.email}`));
    await opened.user.click(button('Confirm'));
    expect(within(screen.getByRole('dialog')).getByRole('alert').textContent).toBe('It is accepted.');
    expect(button('Confirm')).toHaveProperty('disabled', false);
    await opened.user.click(button('Cancel'));
    await opened.user.click(button(`Remove ${bob.email}`));
    expect(screen.getByRole('dialog').textContent).toContain(bob.email);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('an invitation', () => {
  async function fill(answers: Answers, email: string) {
    const opened = await open(answers, 'MSP_OWNER', '/users', WithToasts);
    await opened.user.click(button('Invite User'));
    if (email) await opened.user.type(screen.getByLabelText(/^Email/), email);
    return { ...opened, send: () => opened.user.click(button('Invite User')) };
  }

  test.each([
    ['', 'This field is required'],
    ['dan', 'Please enter a valid email address'],
  ])('with the address %j is not sent, and its field says why', async (email, message) => {
    const { send, sent } = await fill({}, email);
    await send();
    expect(fieldErrors()).toEqual({ Email: message });
    await faultHasFocus();
    expect(sent('POST /user/subuser')).toEqual([]);
  });

  test('that is given up sends nothing, and leaves the list', async () => {
    const { user, sent } = await fill({}, 'dan@msp.example');
    expect(screen.getByRole('heading', { name: 'Add new user' })).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText(/^Email/));
    expect(screen.getByRole('link', { name: 'Cancel' }).getAttribute('href')).toBe('/users');
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    expect(screen.queryByRole('heading', { name: 'Add new user' })).toBeNull();
    expect(document.activeElement).toBe(button('Invite User'));
    expect(sent('POST /user/subuser')).toEqual([]);
  });

  test('of a colleague is sent and said to be, and the form goes', async () => {
    const { send, sent } = await fill({ 'POST /user/subuser': made }, ' dan@msp.example');
    await send();
    expect(screen.getByText('The invitation to dan@msp.example was sent.')).toBeDefined();
    expect(sent('POST /user/subuser').map(({ body }) => body)).toEqual([
      { email: 'dan@msp.example', type: 'MSP_EMPLOYEE', authorizedClientId: null },
    ]);
    expect(screen.queryByLabelText(/^Email/)).toBeNull();
    expect(document.activeElement).toBe(button('Invite User'));
  });

  test("of a customer's user needs the customer", async () => {
    const opened = await fill({ 'POST /user/subuser': made }, 'zoe@zeta.example');
    expect(screen.getByRole('combobox', { name: 'Type' })).toHaveProperty('value', 'Employee');
    await choose(opened, 'Type', 'Customer');
    await opened.send();
    expect(fieldErrors()).toEqual({ Customer: 'Please choose the customer' });
    await choose(opened, /^Customer/, 'Zeta');
    await opened.send();
    expect(opened.sent('POST /user/subuser').map(({ body }) => body)).toEqual([
      { email: 'zoe@zeta.example', type: 'MSP_CUSTOMER', authorizedClientId: uuid(22) },
    ]);
  });

  test.each([
    [
      'refused',
      refused(409, 'already_exists', { message: 'Somebody with that address is here.' }),
      'Somebody with that address is here.',
    ],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, and nothing typed is lost', async (_what, answer, message) => {
    const { send, sent } = await fill({ 'POST /user/subuser': answer }, 'dan@msp.example');
    await send();
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(screen.getByLabelText(/^Email/)).toHaveProperty('value', 'dan@msp.example');
    await send();
    expect(sent('POST /user/subuser')).toHaveLength(2);
  });

  test('that is refused for its address says so at that field, which has the focus', async () => {
    const details = [{ path: 'email', message: 'Mail does not reach this address' }];
    const { send } = await fill(
      { 'POST /user/subuser': refused(400, 'validation_failed', { details }) },
      'dan@msp.example',
    );
    await send();
    expect(fieldErrors()).toEqual({ Email: 'Mail does not reach this address' });
    await faultHasFocus();
  });

  test('is sent once: while it is on its way nothing can be pressed', async () => {
    const held = new Held();
    const opened = await fill({ 'POST /user/subuser': held }, 'dan@msp.example');
    await opened.send();
    expect(button('Inviting...')).toHaveProperty('disabled', true);
    await opened.user.type(screen.getByLabelText(/^Email/), '{Enter}');
    held.give(made);
    await opened.settled();
    expect(opened.sent('POST /user/subuser')).toHaveLength(1);
    expect(screen.queryByLabelText(/^Email/)).toBeNull();
    expect(opened.sent('GET /user/invites')).toHaveLength(2);
  });

  test('of a colleague does not ask for customers; where they cannot be read that of a customer’s user says so', async () => {
    const broken = refused(500, 'internal', { message: 'Out of order' });
    const opened = await fill({ 'GET /customer/choices': broken }, 'zoe@zeta.example');
    expect(screen.queryByText('Out of order')).toBeNull();
    await choose(opened, 'Type', 'Customer');
    expect(screen.getByText('Out of order')).toBeDefined();
    opened.answer('GET /customer/choices', customers);
    await opened.user.click(button('Try again'));
    await choose(opened, /^Customer/, 'Acme');
    expect(screen.queryByText('Out of order')).toBeNull();
  });
});

describe('a change of a user', () => {
  async function change(who: { email: string; userId: string }, answers: Answers = {}) {
    const opened = await open({ 'PATCH /user/subuser/:id': who, ...answers });
    await opened.user.click(button(`Change ${who.email}`));
    const dialog = within(screen.getByRole('dialog', { name: `Change ${who.email}` }));
    const save = () => opened.user.click(dialog.getByRole('button', { name: 'Save' }));
    return {
      ...opened,
      dialog,
      save,
      bodies: () => opened.sent('PATCH /user/subuser/:id').map(({ body }) => body),
    };
  }

  test('sends what was changed and nothing else, and nothing at all where nothing was', async () => {
    const { user, dialog, save, sent } = await change(bob);
    await save();
    expect(sent('PATCH /user/subuser/:id')).toEqual([]);
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(button(`Change ${bob.email}`));
    await user.clear(screen.getByLabelText('Daily limit'));
    await user.type(screen.getByLabelText('Daily limit'), '80.50');
    await user.click(button('Save'));
    expect(sent('PATCH /user/subuser/:id')).toMatchObject([
      { params: { id: bob.userId }, body: { dailyLimit: 8_050, shown: { dailyLimit: 5_000 } } },
    ]);
    expect(dialog).toBeDefined();
  });

  test('lifts a daily limit where its field is emptied', async () => {
    const { user, save, bodies } = await change(bob);
    await user.clear(screen.getByLabelText('Daily limit'));
    await save();
    expect(bodies()).toEqual([{ dailyLimit: null, shown: { dailyLimit: 5_000 } }]);
  });

  test('refuses a limit that is no amount, at its field', async () => {
    const { user, save, bodies } = await change(bob);
    await user.type(screen.getByLabelText('Daily limit'), 'x');
    await save();
    expect(fieldErrors()).toEqual({ 'Daily limit': 'Please enter an amount such as 250.00' });
    await faultHasFocus();
    expect(bodies()).toEqual([]);
  });

  test('shows what the portal says of a field at that field, and keeps what was typed', async () => {
    const details = [{ path: 'dailyLimit', message: 'Above the limit of the provider' }];
    const { user, save } = await change(bob, {
      'PATCH /user/subuser/:id': refused(400, 'validation_failed', { details }),
    });
    await user.type(screen.getByLabelText('Daily limit'), '{Backspace}1');
    await save();
    expect(fieldErrors()).toEqual({ 'Daily limit': 'Above the limit of the provider' });
    await faultHasFocus();
    expect(screen.getByLabelText('Daily limit')).toHaveProperty('value', '50.01');
  });

  test.each([
    ['refused', refused(403, 'forbidden', { message: 'Only an owner can.' }), 'Only an owner can.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, keeps what was typed, and can be sent again', async (_what, answer, message) => {
    const {
      user,
      dialog,
      save,
      bodies,
      answer: next,
      sent,
      path,
    } = await change(bob, {
      'PATCH /user/subuser/:id': answer,
    });
    await user.clear(screen.getByLabelText('Daily limit'));
    await user.type(screen.getByLabelText('Daily limit'), '80');
    await save();
    expect(dialog.getByRole('alert').textContent).toBe(message);
    expect(screen.getByLabelText('Daily limit')).toHaveProperty('value', '80');
    expect(path()).toBe(`/users?person=${bob.userId}`);
    const reads = sent('GET /user/users').length;
    next('PATCH /user/subuser/:id', { ...bob, dailyLimit: 8_000 });
    await save();
    const wanted = { dailyLimit: 8_000, shown: { dailyLimit: 5_000 } };
    expect(bodies()).toEqual([wanted, wanted]);
    // The address names nobody any more, and the list shows what they are now.
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(path()).toBe('/users');
    expect(sent('GET /user/users')).toHaveLength(reads + 1);
  });

  test('over what a colleague has set meanwhile shows it, and replaces it only when it is asked again', async () => {
    const overtaken = (present: object) =>
      refused(409, 'conflict', { message: 'Someone else changed this in the meantime.', data: present });
    const { user, dialog, save, bodies, answer } = await change(bob, {
      'PATCH /user/subuser/:id': overtaken({ ...bob, dailyLimit: 1_000 }),
    });
    await user.clear(screen.getByLabelText('Daily limit'));
    await user.type(screen.getByLabelText('Daily limit'), '80');
    await save();
    expect(dialog.getByRole('alert').textContent).toBe('Someone else changed this in the meantime.');
    expect(dialog.getByRole('status').textContent).toBe(
      'They are now: Employee, at most $10.00 a day. Save again to replace it.',
    );
    expect(screen.getByLabelText('Daily limit')).toHaveProperty('value', '80');
    answer('PATCH /user/subuser/:id', { ...bob, dailyLimit: 8_000 });
    await save();
    expect(bodies()).toEqual([
      { dailyLimit: 8_000, shown: { dailyLimit: 5_000 } },
      { dailyLimit: 8_000, shown: { dailyLimit: 1_000 } },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('is sent once: while it is on its way nothing can be pressed', async () => {
    const held = new Held();
    const opened = await change(bob, { 'PATCH /user/subuser/:id': held });
    await opened.user.type(screen.getByLabelText('Daily limit'), '{Backspace}1{Enter}');
    for (const name of ['Saving...', 'Cancel']) {
      expect(opened.dialog.getByRole('button', { name })).toHaveProperty('disabled', true);
    }
    await opened.user.type(screen.getByLabelText('Daily limit'), '{Enter}');
    held.give(bob);
    await opened.settled();
    expect(opened.bodies()).toEqual([{ dailyLimit: 5_001, shown: { dailyLimit: 5_000 } }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('of a customer’s user begins with their customer, and sends another one', async () => {
    const opened = await change(cid);
    expect(screen.getByRole('combobox', { name: /^Customer/ })).toHaveProperty('value', 'Acme');
    expect(screen.queryByLabelText('Daily limit')).toBeNull();
    await choose(opened, /^Customer/, 'Zeta');
    await opened.save();
    expect(opened.bodies()).toEqual([
      { authorizedClientId: uuid(22), shown: { authorizedClientId: uuid(21) } },
    ]);
  });

  test('to a customer’s user needs the customer; where they cannot be read it says so', async () => {
    const broken = refused(500, 'internal', { message: 'Out of order' });
    const opened = await change(bob, { 'GET /customer/choices': broken });
    expect(screen.queryByText('Out of order')).toBeNull();
    await choose(opened, 'Type', 'Customer');
    expect(screen.getByText('Out of order')).toBeDefined();
    expect(screen.queryByLabelText('Daily limit')).toBeNull();
    await opened.save();
    expect(fieldErrors()).toEqual({ Customer: 'Please choose the customer' });
    expect(opened.bodies()).toEqual([]);
  });

  test.each([
    ['MSP_OWNER', [self, bob, eve], ['Owner', 'Admin', 'Employee', 'Customer']],
    ['MSP_ADMIN', [self, bob], ['Employee', 'Customer']],
    ['MSP_ADMIN', [{ ...self, type: 'MSP_ADMIN' }, bob], ['Owner', 'Employee', 'Customer']],
  ] as const)('by an %s offers the types that they may give: %#', async (role, people, offered) => {
    const opened = await open({ 'GET /user/users': people }, role);
    await opened.user.click(button(`Change ${bob.email}`));
    await opened.user.click(screen.getByRole('combobox', { name: 'Type' }));
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(offered);
  });

  test('that needs a fresh sign-in leads there', async () => {
    const opened = await change(bob, {
      'PATCH /user/subuser/:id': refused(403, 'fresh_sign_in_required'),
    });
    await choose(opened, 'Type', 'Owner');
    await opened.save();
    const text = 'For your safety, please sign in again to change the owner.';
    expect(opened.dialog.getByText(text)).toBeDefined();
    await opened.user.click(screen.getByRole('button', { name: 'Sign in again' }));
    const returnPath = `/users?person=${bob.userId}&kind=MSP_OWNER`;
    expect(opened.session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath });
  });

  test('after that sign-in is open again, with the type that was chosen', async () => {
    await open({}, 'MSP_OWNER', `/users?person=${bob.userId}&kind=MSP_OWNER`);
    const dialog = within(screen.getByRole('dialog', { name: `Change ${bob.email}` }));
    expect(dialog.getByRole('combobox', { name: 'Type' })).toHaveProperty('value', 'Owner');
  });

  test('after that sign-in is sent with the type that was chosen', async () => {
    const change = 'PATCH /user/subuser/:id';
    const opened = await open(
      { [change]: refused(409, 'conflict') },
      'MSP_OWNER',
      `/users?person=${bob.userId}&kind=MSP_OWNER`,
    );
    await opened.user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save' }));
    expect(opened.sent(change).map(({ params, body }) => [params.id, body])).toEqual([
      [bob.userId, { type: 'MSP_OWNER', shown: { type: 'MSP_EMPLOYEE' } }],
    ]);
  });
});

describe('a removal', () => {
  test('asks first, and removes the one that was asked about', async () => {
    const { user, sent } = await open({ 'DELETE /user/subuser/:id': {} });
    await user.click(button(`Remove ${cid.email}`));
    expect(screen.getByRole('dialog', { name: 'Confirm Removal of user' }).textContent).toContain(
      `Please confirm the deletion of user ${cid.email} this cannot be undone`,
    );
    expect(sent('DELETE /user/subuser/:id')).toEqual([]);
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(button(`Remove ${bob.email}`));
    await user.click(button('Confirm'));
    expect(sent('DELETE /user/subuser/:id').map(({ params }) => params)).toEqual([{ id: bob.userId }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('that a colleague was quicker with is done: the person is gone', async () => {
    const { user, sent } = await open({ 'DELETE /user/subuser/:id': refused(404, 'not_found') });
    await user.click(button(`Remove ${bob.email}`));
    await user.click(button('Confirm'));
    expect(sent('DELETE /user/subuser/:id')).toHaveLength(1);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('that is refused stays open and says why', async () => {
    const { user } = await open({
      'DELETE /user/subuser/:id': refused(422, 'unprocessable', { message: 'The last owner stays.' }),
    });
    await user.click(button(`Remove ${eve.email}`));
    await user.click(button('Confirm'));
    expect(screen.getByRole('alert').textContent).toContain('The last owner stays.');
    expect(button('Confirm')).toHaveProperty('disabled', false);
  });

  test('of an owner that needs a fresh sign-in says so in its dialog, and nowhere else', async () => {
    const remove = 'DELETE /user/subuser/:id';
    const { user, sent, session, answer } = await open({ [remove]: refused(403, 'fresh_sign_in_required') });
    await user.click(button(`Remove ${eve.email}`));
    await user.click(button('Confirm'));
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
      'For your safety, please sign in again to remove an owner.Sign in again',
    ]);
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath: '/users' });
    await user.click(button('Cancel'));
    answer(remove, {});
    await user.click(button(`Remove ${eve.email}`));
    expect(screen.queryByRole('alert')).toBeNull();
    await user.click(button('Confirm'));
    expect(sent(remove)).toHaveLength(2);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('nobody is offered to remove themselves, nor an administrator to change or remove an owner', async () => {
    await open({}, 'MSP_ADMIN');
    for (const { email } of [self, eve]) {
      expect(screen.queryByRole('button', { name: `Remove ${email}` })).toBeNull();
    }
    expect(screen.queryByRole('button', { name: `Change ${eve.email}` })).toBeNull();
    expect(button(`Remove ${bob.email}`)).toBeDefined();
  });
});
