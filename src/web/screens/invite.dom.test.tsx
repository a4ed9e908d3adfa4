import { describe, expect, test } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  Held,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
  within,
} from '../../../tests/support/screen.tsx';
import { keepReturnPath, peekReturnPath } from '../lib/return-path.ts';
import { forgetTab } from '../lib/storage.ts';
import InviteScreen from './invite.tsx';

const inviteId = '0123456789abcdef';
const check = 'POST /user/subuser/checkinvite/:id';
const accept = 'POST /user/subuser/acceptinvite/:id';
const create = 'POST /user/subuser/create';
const fits = { message: 'ACCEPT', organization: 'Blue Fig', type: 'MSP_EMPLOYEE' };
const member = { message: 'You belong to an organization already.', member: true };

interface Who {
  profile?: object | null;
  role?: Role;
  status?: 'signed-out';
}
const open = (answers: Answers = {}, who: Who = { profile: null }) =>
  openScreen(InviteScreen, {
    ...{ route: '/invite/$inviteId', path: `/invite/${inviteId}`, ...who },
    answers: { [check]: fits, 'GET /user': profileOf('MSP_EMPLOYEE'), ...answers },
  });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const dialog = () => within(screen.getByRole('dialog', { name: 'Invite Status' }));

describe('an invitation', () => {
  test('says to what, and accepts nothing by itself', async () => {
    const { user, sent, path } = await open();
    expect(sent(check).map(({ params }) => params)).toEqual([{ id: inviteId }]);
    expect(dialog().getByText('Join Blue Fig as Employee?')).toBeDefined();
    await user.click(button('Cancel'));
    expect(path()).toBe('/');
    expect([sent(create), sent(accept)]).toEqual([[], []]);
  });

  test('is accepted with an empty profile where the person has none, and leads to the start', async () => {
    const { user, sent, path } = await open({
      [create]: { userId: profileOf('MSP_OWNER').userId },
      [accept]: {},
    });
    await user.click(button('Confirm'));
    expect(sent(create)).toHaveLength(1);
    expect(sent(accept).map(({ params }) => params)).toEqual([{ id: inviteId }]);
    expect(sent('GET /user')).toHaveLength(1);
    expect(path()).toBe('/');
  });

  test('makes no second profile for somebody who has one', async () => {
    const { user, sent } = await open({ [accept]: {} }, { role: 'MSP_EMPLOYEE' });
    await user.click(button('Confirm'));
    expect(sent(create)).toEqual([]);
    expect(sent(accept)).toHaveLength(1);
  });

  test('that is being accepted is neither sent twice nor left', async () => {
    const answer = new Held();
    const opened = await open({ [accept]: answer }, { role: 'MSP_EMPLOYEE' });
    await opened.user.click(button('Confirm'));
    expect(button('Accepting...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await opened.user.click(button('Accepting...'));
    await opened.user.keyboard('{Escape}');
    expect(opened.path()).toBe(`/invite/${inviteId}`);
    expect(opened.sent(accept)).toHaveLength(1);
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'It has ended.' }), 'It has ended.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, stays, and can be accepted again', async (_what, answer, message) => {
    const opened = await open({ [accept]: answer }, { role: 'MSP_EMPLOYEE' });
    await opened.user.click(button('Confirm'));
    expect(dialog().getByRole('alert').textContent).toBe(message);
    // They may be in all the same.
    expect(opened.sent('GET /user')).toHaveLength(1);
    opened.answer(accept, {});
    await opened.user.click(button('Confirm'));
    expect(opened.sent(accept)).toHaveLength(2);
    expect(opened.path()).toBe('/');
  });

  test('that cannot be accepted says why, and cannot be confirmed', async () => {
    await open({ [check]: { message: 'This invitation has expired.' } }, { role: 'MSP_OWNER' });
    expect(dialog().getByText('This invitation has expired.')).toBeDefined();
    expect(button('Confirm').disabled).toBe(true);
    expect(screen.queryByRole('link')).toBeNull();
  });

  test('that cannot be read says so, and is read again', async () => {
    const opened = await open({ [check]: refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain('Out of order');
    opened.answer(check, fits);
    await opened.user.click(button('Try again'));
    expect(dialog().getByText('Join Blue Fig as Employee?')).toBeDefined();
  });

  test.each<[string, object, Role, string | null]>([
    ['an owner who has paid', {}, 'MSP_OWNER', `/account/profile?invite=${inviteId}`],
    ['an owner before the payment', { paidInitialFee: false }, 'MSP_OWNER', `/onboarding?invite=${inviteId}`],
    ['an employee', {}, 'MSP_EMPLOYEE', null],
  ])('to somebody who belongs elsewhere leads %s to the closing: %o', async (_who, profile, role, to) => {
    await open({ [check]: member }, { role, profile });
    expect(screen.queryByRole('link', { name: 'close it first' })?.getAttribute('href') ?? null).toBe(to);
    expect(button('Confirm').disabled).toBe(true);
  });
});

describe('a visitor with an invitation', () => {
  test('is asked who they are before it is looked at, and the way back has served', async () => {
    keepReturnPath(`/invite/${inviteId}`);
    const { user, session, sent } = await open({}, { profile: null, status: 'signed-out' });
    expect(peekReturnPath()).toBeNull();
    expect(sent(check)).toEqual([]);
    await user.click(button('Create Account'));
    expect(session.signIn).toHaveBeenLastCalledWith({ signUp: true });
    await user.click(button('Sign in'));
    expect(session.signIn).toHaveBeenLastCalledWith();
    forgetTab();
  });
});
