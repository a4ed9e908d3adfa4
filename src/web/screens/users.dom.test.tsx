import { describe, expect, test } from 'vitest';
import {
  type Answers,
  fieldErrors,
  type Opened,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import UsersScreen from './users.tsx';

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
const open = (answers: Answers = {}, role: 'MSP_OWNER' | 'MSP_ADMIN' = 'MSP_OWNER') =>
  openScreen(UsersScreen, { route: '/users', role, answers: { ...lists, ...answers } });
const button = (name: string) => screen.getByRole('button', { name });
const choose = async ({ user }: Opened, label: string | RegExp, option: string) => {
  await user.click(screen.getByRole('combobox', { name: label }));
  await user.click(screen.getByRole('option', { name: option }));
};
const made = { ...invite, link: 'https://portal.test/invite/0123456789abcdef' };

describe('an invitation', () => {
  async function fill(answers: Answers, email: string) {
    const opened = await open(answers);
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
    expect(sent('POST /user/subuser')).toEqual([]);
  });

  test('of a colleague is sent, and the form goes', async () => {
    const { send, sent } = await fill({ 'POST /user/subuser': made }, ' dan@msp.example');
    await send();
    expect(sent('POST /user/subuser').map(({ body }) => body)).toEqual([
      { email: 'dan@msp.example', type: 'MSP_EMPLOYEE', authorizedClientId: null },
    ]);
    expect(screen.queryByLabelText(/^Email/)).toBeNull();
  });

  test("of a customer's user needs the customer", async () => {
    const opened = await fill({ 'POST /user/subuser': made }, 'zoe@zeta.example');
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
      { params: { id: bob.userId }, body: { dailyLimit: 8_050 } },
    ]);
    expect(dialog).toBeDefined();
  });

  test('lifts a daily limit where its field is emptied', async () => {
    const { user, save, bodies } = await change(bob);
    await user.clear(screen.getByLabelText('Daily limit'));
    await save();
    expect(bodies()).toEqual([{ dailyLimit: null }]);
  });

  test('refuses a limit that is no amount, at its field', async () => {
    const { user, save, bodies } = await change(bob);
    await user.type(screen.getByLabelText('Daily limit'), 'x');
    await save();
    expect(Object.keys(fieldErrors())).toEqual(['Daily limit']);
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
    expect(screen.getByLabelText('Daily limit')).toHaveProperty('value', '50.01');
  });

  test('that needs a fresh sign-in leads there', async () => {
    const opened = await change(bob, {
      'PATCH /user/subuser/:id': refused(401, 'fresh_sign_in_required'),
    });
    await choose(opened, 'Type', 'Owner');
    await opened.save();
    await opened.user.click(screen.getByRole('button', { name: 'Sign in again' }));
    expect(opened.session.signIn).toHaveBeenCalledWith(expect.objectContaining({ fresh: true }));
  });
});

describe('a removal', () => {
  test('asks first, and removes the one that was asked about', async () => {
    const { user, sent } = await open({ 'DELETE /user/subuser/:id': {} });
    await user.click(button(`Remove ${cid.email}`));
    expect(sent('DELETE /user/subuser/:id')).toEqual([]);
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(button(`Remove ${bob.email}`));
    await user.click(button('Confirm'));
    expect(sent('DELETE /user/subuser/:id').map(({ params }) => params)).toEqual([{ id: bob.userId }]);
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

  test('nobody is offered to remove themselves, nor an administrator to change or remove an owner', async () => {
    await open({}, 'MSP_ADMIN');
    for (const { email } of [self, eve]) {
      expect(screen.queryByRole('button', { name: `Remove ${email}` })).toBeNull();
    }
    expect(screen.queryByRole('button', { name: `Change ${eve.email}` })).toBeNull();
    expect(button(`Remove ${bob.email}`)).toBeDefined();
  });
});
