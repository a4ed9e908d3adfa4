import { describe, expect, test } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import { openScreen, profileOf, screen } from '../../../tests/support/screen.tsx';
// The part that comes when it is shown.
import './landing-more.tsx';
import HomeScreen from './home.tsx';

const figures = {
  domains: { held: 12, expiring: 3, lapsing: 0, unverified: 0, manual: 0, unlocked: 0, transferring: 0 },
  ...{ certificates: null, customers: { total: 5, billedDirectly: 2 }, people: { users: 1, invites: 2 } },
  ...{ charges: null, attention: null },
};
interface Who {
  role?: Role;
  profile?: object;
  status?: 'signed-out' | 'loading';
  appType?: 'msp' | 'client';
}
const open = ({ appType = 'msp', ...who }: Who = {}) =>
  openScreen(() => <HomeScreen overview={<p>The overview</p>} />, {
    ...who,
    config: { appType, brand: { name: 'Blue Fig', logoPath: null }, productName: 'Nameward' },
    answers: { 'GET /overview': figures, 'GET /user': profileOf('MSP_OWNER') },
  });
const tiles = () =>
  screen
    .queryAllByRole('listitem')
    .map((tile) => [tile.querySelector('a')?.getAttribute('href'), tile.textContent]);

describe('the start', () => {
  const domains = ['/domain/list', 'Domains12 held · 3 expire in 60 days'];
  const customers = ['/customers', 'Customers5 in all · 2 billed directly'];
  test.each<[string, Who, unknown[]]>([
    [
      'an administrator',
      { role: 'MSP_ADMIN' },
      [domains, customers, ['/users', 'Users1 person · 2 open invites']],
    ],
    [
      'an administrator in the portal of customers',
      { role: 'MSP_ADMIN', appType: 'client' },
      [domains, customers],
    ],
    ['an owner', { role: 'MSP_OWNER' }, [domains, customers]],
    [
      "a customer's own user",
      { role: 'MSP_CUSTOMER' },
      [
        domains,
        [`/customers/${profileOf('MSP_CUSTOMER').authorizedClientId}`, 'ContactsWho owns and manages them'],
      ],
    ],
  ])('leads %s to what is theirs', async (_who, who, expected) => {
    await open(who);
    expect(tiles()).toEqual(expected);
    expect(screen.getByText('The overview')).toBeDefined();
  });

  test('leads a person who has a step to do to that step first', async () => {
    const { path } = await open({ role: 'MSP_OWNER', profile: { paidInitialFee: false } });
    expect(path()).toBe('/onboarding/3');
    expect(screen.queryByText('The overview')).toBeNull();
  });
});

describe('a visitor', () => {
  test('is told what this is, and signs in', async () => {
    const { user, session, sent } = await open({ status: 'signed-out' });
    expect(screen.getByText(/One place for managed service providers/)).toBeDefined();
    await user.click(screen.getAllByRole('button', { name: 'Get Started Today' })[0] as HTMLElement);
    expect(session.signIn).toHaveBeenCalledWith();
    expect([sent('GET /overview'), tiles().some(([to]) => to === '/domain/list')]).toEqual([[], false]);
  });

  test('of the portal of customers is told whose it is', async () => {
    await open({ status: 'signed-out', appType: 'client' });
    expect(screen.getByText(/looked after by Blue Fig/)).toBeDefined();
    expect(screen.queryByText(/One place for managed service providers/)).toBeNull();
  });

  test('is shown nothing while nobody knows who they are', async () => {
    await open({ status: 'loading' });
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.queryByText('The overview')).toBeNull();
  });
});
