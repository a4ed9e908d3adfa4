import { topUp } from './orders.ts';
import { emails, type Seeding, type Who } from './seeding.ts';

/** The MSP's own account and its people. */

/** Everybody's password on a portal that is only looked at. */
export const demoPassword = 'nameward demonstration';

/** One of each role; the account's own first person is the administrator. */
const colleagues: readonly { who: Who; name: string; type: 'MSP_EMPLOYEE' | 'MSP_CUSTOMER' }[] = [
  { who: 'owner', name: 'Olivia Marsh', type: 'MSP_EMPLOYEE' },
  { who: 'employee', name: 'Emil Torres', type: 'MSP_EMPLOYEE' },
  { who: 'customer', name: 'Ann Whitlock', type: 'MSP_CUSTOMER' },
];
const invited = 'newcomer@nameward.example';
const initialFee = 100;

/** Signs up, as onboarding does: the profile, the payment account (without its hosted page), the first payment. */
export async function openAccount(seeding: Seeding): Promise<void> {
  const { portal } = seeding;
  const person = { email: emails.admin, password: demoPassword, verified: true, name: 'Dana Marsh' };
  await portal.control('identity', 'users/add', person);
  await seeding.call('admin', 'POST', 'user', { username: 'danamarsh', organization: 'Marsh Managed IT' });
  await seeding.call('admin', 'GET', 'account/link');
  const { id } = await seeding.call<{ id: string }>('admin', 'POST', 'account/refresh');
  await portal.control('payments', 'account-finish', { account: id });
  await seeding.call('admin', 'POST', 'account/refresh');
  await topUp(seeding, 'admin', initialFee);
  await seeding.call('admin', 'PUT', 'account/statement/recipient', {
    name: 'Marsh Managed IT LLC',
    address: ['410 Larkin Street, Suite 6', 'Albany, NY 12207', 'United States'],
    taxId: '00-1234567',
  });
}

/** Colleagues who have accepted their invitations; the customer's user is of the first customer. */
export async function addPeople(seeding: Seeding): Promise<void> {
  for (const { who, name, type } of colleagues) {
    const email = emails[who];
    await seeding.portal.control('identity', 'users/add', {
      email,
      password: demoPassword,
      verified: true,
      name,
    });
    const { link } = await seeding.call<{ link: string }>('admin', 'POST', 'user/subuser', {
      ...{ email, type },
      ...(type === 'MSP_CUSTOMER' ? { authorizedClientId: seeding.customerIds[0] } : {}),
    });
    await seeding.call(who, 'POST', 'user/subuser/create');
    await seeding.call(who, 'POST', `user/subuser/acceptinvite/${link.split('/').at(-1)}`);
    if (who !== 'owner') continue;
    // An administrator names the first owner (decisions no. 19).
    const { userId } = await seeding.call<{ userId: string }>(who, 'GET', 'user');
    await seeding.call('admin', 'PATCH', `user/subuser/${userId}`, { type: 'MSP_OWNER' });
  }
}

/** Somebody who has not accepted yet. */
export async function inviteNewcomer(seeding: Seeding): Promise<void> {
  await seeding.call('admin', 'POST', 'user/subuser', { email: invited, type: 'MSP_EMPLOYEE' });
}
