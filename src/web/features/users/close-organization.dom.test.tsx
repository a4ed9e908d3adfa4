import { afterEach, describe, expect, test } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import type { ClosingReason } from '#contracts/values/closing.ts';
import {
  type Answers,
  Held,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { forgetTab } from '../../lib/storage.ts';
import { CloseOrganization } from './close-organization.tsx';
import { closedHere } from './closing-api.ts';

const closing = 'DELETE /user/organization';
const cancelled = 'POST /account/topup/:id/cancel';

interface Wish {
  role?: Role;
  profile?: object;
  path?: string;
}
const open = (
  answers: Answers = {},
  { role = 'MSP_OWNER', profile = {}, path = '/account/profile' }: Wish = {},
) => {
  const at = path.startsWith('/onboarding') ? '/onboarding' : '/account/profile';
  return openScreen(() => <CloseOrganization at={at} />, {
    ...{ route: at, path, role, profile, config: { paymentAccountRequired: false } },
    answers: { 'GET /user': refused(403, 'no_profile'), ...answers },
  });
};
/** The person still belongs to it: what was cancelled may have changed their profile. */
const here = { 'GET /user': profileOf('MSP_OWNER') };
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const dialog = () => within(screen.getByRole('dialog'));

afterEach(forgetTab);

describe('the closing of the organization', () => {
  async function ask(answers: Answers = {}, wish: Wish = {}) {
    const opened = await open(answers, wish);
    await opened.user.click(button('Close organization'));
    return {
      ...opened,
      confirm: () => opened.user.click(dialog().getByRole('button', { name: 'Close organization' })),
    };
  }
  const inUse = (reasons: [ClosingReason, number][], topUpIds: string[] = []) =>
    refused(409, 'organization_in_use', {
      message: 'It is in use.',
      data: { reasons: reasons.map(([reason, count]) => ({ reason, count })), topUpIds },
    });

  test('asks first, and names the organization', async () => {
    const { user, sent } = await ask();
    expect(screen.getByRole('dialog').textContent).toContain('Blue Fig will be closed');
    expect(screen.getByText(/Statements, receipts and the audit log stay with the portal/)).toBeDefined();
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(closing)).toEqual([]);
  });

  test('is sent once, and asks afterwards who the person is now', async () => {
    const answer = new Held();
    const opened = await ask({ [closing]: answer });
    await opened.confirm();
    expect(button('Closing...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await opened.user.click(button('Closing...'));
    answer.give({});
    await opened.settled();
    expect(opened.sent(closing)).toHaveLength(1);
    expect(opened.sent('GET /user')).toHaveLength(1);
    expect(screen.queryByText('Close organization')).toBeNull();
    // For the screen that follows.
    expect(closedHere()).toBe('Blue Fig');
  });

  test('that was done by a try whose answer was lost is as good as this one', async () => {
    const opened = await ask({ [closing]: silence });
    await opened.confirm();
    expect(screen.getByRole('alert').textContent).toBe('Something went wrong');
    opened.answer(closing, refused(403, 'no_profile'));
    await opened.confirm();
    expect(opened.sent('GET /user')).toHaveLength(1);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('leads back to the invitation for whose sake it was done', async () => {
    const opened = await ask({ [closing]: {} }, { path: '/account/profile?invite=0123456789abcdef' });
    await opened.confirm();
    expect(opened.path()).toBe('/invite/0123456789abcdef');
  });

  test.each<[ClosingReason, number, string, string]>([
    ['users', 1, '1 other user', '/users'],
    ['invitations', 2, '2 open invitations', '/users'],
    ['customers', 1, '1 customer', '/customers'],
    ['imports', 1, '1 import under way', '/customers'],
    ['domains', 3, '3 domains', '/domain/list'],
    ['orders', 1, '1 order under way', '/orders'],
    ['certificates', 1, '1 certificate that has not ended', '/certificates'],
    ['balance', 1_050, 'a balance of $10.50', '/account/statement'],
    ['reserved', 1_050, '$10.50 reserved for orders', '/orders'],
    ['pending', 1_050, '$10.50 on the way to the balance', '/account'],
    ['topups', 1, '1 open top-up', '/account'],
    ['charges', 1, '1 open direct charge', '/direct-billing'],
    ['refunds', 1, '1 refund under way', '/direct-billing'],
  ])('that is refused for %s says so, and where it is dealt with', async (reason, count, text, to) => {
    const opened = await ask({ [closing]: inUse([[reason, count]]) });
    await opened.confirm();
    const told = dialog().getByRole('alert').textContent;
    expect(told).toBe(`It cannot be closed while it has:${text}`);
    expect(dialog().getByRole('link').getAttribute('href')).toBe(to);
    expect(dialog().queryByRole('button', { name: 'Cancel unpaid top-ups' })).toBeNull();
    // The screen that it leads to pays nothing back.
    expect(dialog().queryByText(/^The balance is paid back by the portal’s support/) !== null).toBe(
      reason === 'balance',
    );
  });

  test('says of a debt what it is, and of nobody that they pay it back', async () => {
    const opened = await ask({ [closing]: inUse([['balance', -500]]) });
    await opened.confirm();
    expect(dialog().getByRole('alert').textContent).toContain('a balance of −$5.00');
    expect(dialog().queryByText(/paid back/)).toBeNull();
  });

  test('leads to no screen that leads back: before the first payment billing alone is open', async () => {
    const profile = { paidInitialFee: false };
    const reasons: [ClosingReason, number][] = [
      ['customers', 1],
      ['topups', 1],
    ];
    const opened = await ask({ [closing]: inUse(reasons) }, { profile, path: '/onboarding' });
    await opened.confirm();
    expect(
      dialog()
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['1 customer', '1 open top-up']);
    expect(
      dialog()
        .getAllByRole('link')
        .map((one) => one.getAttribute('href')),
    ).toEqual(['/account']);
  });

  test('that has unpaid top-ups in its way can cancel them, each one, and then be confirmed again', async () => {
    const of = (call: { params: Record<string, string> }) => ({
      ...{ topupId: call.params.id, amount: 10_000, state: 'cancelled', charged: false },
    });
    const answer = new Held();
    const opened = await ask({
      [closing]: inUse([['topups', 2]], [uuid(41), uuid(42)]),
      [cancelled]: answer,
      ...here,
    });
    await opened.confirm();
    await opened.user.click(button('Cancel unpaid top-ups'));
    expect(button('Cancel unpaid top-ups').disabled).toBe(true);
    expect(button('Cancelling the top-ups...').disabled).toBe(true);
    opened.answer(cancelled, of);
    answer.give(of);
    await opened.settled();
    expect(opened.sent(cancelled).map(({ params }) => params.id)).toEqual([uuid(41), uuid(42)]);
    expect(dialog().getByRole('status').textContent).toBe('Unpaid top-ups were cancelled.');
    expect(dialog().queryByRole('alert')).toBeNull();
    opened.answer(closing, {});
    opened.answer('GET /user', refused(403, 'no_profile'));
    await opened.confirm();
    expect(opened.sent(closing)).toHaveLength(2);
  });

  test('says that a top-up was paid meanwhile, and that one could not be cancelled', async () => {
    const paid = { topupId: uuid(41), amount: 10_000, state: 'succeeded', charged: true };
    const opened = await ask({
      ...{ [closing]: inUse([['topups', 1]], [uuid(41)]) },
      [cancelled]: refused(502, 'upstream_unavailable', { message: 'No answer there.' }),
      ...here,
    });
    await opened.confirm();
    await opened.user.click(button('Cancel unpaid top-ups'));
    expect(dialog().getByText('No answer there.')).toBeDefined();
    opened.answer(cancelled, paid);
    await opened.user.click(button('Cancel unpaid top-ups'));
    expect(dialog().getByRole('status').textContent).toBe(
      'A top-up was paid meanwhile. It is in the balance.',
    );
  });

  test.each([
    ['refused', refused(403, 'forbidden', { message: 'Owners only.' }), 'Owners only.'],
    ['without an answer', silence, 'Something went wrong'],
  ])(
    'that is %s says so, stays open, and says nothing of it the next time',
    async (_what, answer, message) => {
      const opened = await ask({ [closing]: answer });
      await opened.confirm();
      expect(dialog().getByRole('alert').textContent).toBe(message);
      await opened.confirm();
      expect(opened.sent(closing)).toHaveLength(2);
      await opened.user.click(button('Cancel'));
      await opened.user.click(button('Close organization'));
      expect(dialog().queryByRole('alert')).toBeNull();
    },
  );

  test.each([
    ['/account/profile', '/account/profile'],
    ['/account/profile?invite=0123456789abcdef', '/account/profile?invite=0123456789abcdef'],
    ['/onboarding', '/onboarding'],
  ])('that needs a fresh sign-in leads there, and back to %s', async (path, returnPath) => {
    const opened = await ask({ [closing]: refused(403, 'fresh_sign_in_required') }, { path });
    await opened.confirm();
    expect(dialog().getByRole('alert').textContent).toContain('sign in again to close the organization');
    await opened.user.click(button('Sign in again'));
    expect(opened.session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath });
  });

  test.each<[Role, boolean]>([
    ['MSP_OWNER', true],
    // While there is no owner: the portal checks that.
    ['MSP_ADMIN', true],
    ['MSP_EMPLOYEE', false],
    ['MSP_CUSTOMER', false],
  ])('is offered to %s: %s', async (role, offered) => {
    await open({}, { role });
    expect(screen.queryByRole('button', { name: 'Close organization' }) !== null).toBe(offered);
  });
});
