import type { Portal } from './portal.ts';

/** Everybody's password on a portal that is only looked at. */
export const demoPassword = 'nameward demonstration';

interface Colleague {
  email: string;
  name: string;
  role: 'MSP_OWNER' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER';
}

/** One of each role; the account's own first person is the administrator. */
export const colleagues: readonly Colleague[] = [
  { email: 'owner@nameward.example', name: 'Olivia Marsh', role: 'MSP_OWNER' },
  { email: 'employee@nameward.example', name: 'Emil Torres', role: 'MSP_EMPLOYEE' },
  { email: 'customer@nameward.example', name: 'Carla Reyes', role: 'MSP_CUSTOMER' },
];
const invited = 'newcomer@nameward.example';

/** Colleagues who have accepted their invitations, and one who has not yet; `customerId`: whom the customer's user is of. */
export async function addPeople(portal: Portal, token: string, customerId: string): Promise<void> {
  for (const colleague of colleagues) await join(portal, token, colleague, customerId);
  await portal.call(token, 'POST', 'user/subuser', { email: invited, type: 'MSP_EMPLOYEE' });
}

async function join(portal: Portal, token: string, { email, name, role }: Colleague, customerId: string) {
  await portal.control('identity', 'users/add', { email, password: demoPassword, verified: true, name });
  const own = await portal.control<{ token: string }>('identity', 'tokens/mint', { email });
  const { link } = await portal.call<{ link: string }>(token, 'POST', 'user/subuser', {
    email,
    ...(role === 'MSP_CUSTOMER' ? { type: role, authorizedClientId: customerId } : { type: 'MSP_EMPLOYEE' }),
  });
  await portal.call(own.token, 'POST', 'user/subuser/create');
  await portal.call(own.token, 'POST', `user/subuser/acceptinvite/${link.split('/').at(-1)}`);
  if (role !== 'MSP_OWNER') return;
  // An administrator names the first owner (decisions no. 19).
  const { userId } = await portal.call<{ userId: string }>(own.token, 'GET', 'user');
  await portal.call(token, 'PATCH', `user/subuser/${userId}`, { type: role });
}
