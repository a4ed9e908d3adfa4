import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Permission } from '#contracts/permissions.ts';
import { Held, openScreen, profileOf, screen } from '../../../../tests/support/screen.tsx';
import { keepReturnPath, peekReturnPath } from '../../lib/return-path.ts';
import { sessionMarks } from '../../lib/session-marks.ts';
import { forgetTab } from '../../lib/storage.ts';
import { Shell } from '../../shell/shell.tsx';
import { Guard } from './guard.tsx';

/** While nobody has said yet who is there, screens are drawn for whom this browser had the last time. */

const hadLast = (...who: Parameters<typeof profileOf>) =>
  sessionMarks.keepProfile({ build: '', email: 'ann@msp.example', profile: profileOf(...who) });

beforeEach(() => {
  sessionMarks.setSignedIn(true);
  hadLast('MSP_OWNER');
});
afterEach(() => {
  forgetTab();
  localStorage.clear();
});

interface Who {
  path?: string;
  status?: 'loading' | 'signed-in' | 'signed-out';
  needs?: Permission;
  answer?: unknown;
}
const open = ({ path = '/tokens', status = 'loading', needs, answer = new Held() }: Who = {}) =>
  openScreen(() => <Guard {...(needs ? { needs } : {})}>The screen</Guard>, {
    ...{ route: path, path, isKnown: false, config: { appType: 'msp', paymentAccountRequired: false } },
    ...{ status, answers: { 'GET /user': answer } },
  });

test.each(['loading', 'signed-in'] as const)(
  'a screen is drawn for who may see it, while they are %s',
  async (status) => {
    const { session, path, sent } = await open({ status, needs: 'tokens.manage' });
    expect(screen.getByText('The screen')).toBeDefined();
    expect([path(), session.signIn.mock.calls]).toEqual(['/tokens', []]);
    expect(sent('GET /user')).toHaveLength(status === 'loading' ? 0 : 1);
  },
);

test.each<[string, () => void, Who]>([
  ['who may not', () => hadLast('MSP_EMPLOYEE'), { needs: 'tokens.manage' }],
  ['who has not paid', () => hadLast('MSP_OWNER', { paidInitialFee: false }), {}],
])(
  'it is not drawn for people %s, and they are led nowhere before it is known',
  async (_who, arrange, who) => {
    arrange();
    const { path } = await open(who);
    expect(screen.queryByText('The screen')).toBeNull();
    expect(screen.getByRole('status', { name: 'Loading' })).toBeDefined();
    expect(path()).toBe('/tokens');
  },
);

test('where they were before stays until it is known', async () => {
  keepReturnPath('/customers');
  expect((await open({ path: '/' })).path()).toBe('/');
  expect(peekReturnPath()).toBe('/customers');
});

test('who may not after all is led home when it is known', async () => {
  const answer = new Held();
  const { path, settled } = await open({ status: 'signed-in', needs: 'tokens.manage', answer });
  expect(screen.getByText('The screen')).toBeDefined();
  answer.give(profileOf('MSP_EMPLOYEE'));
  await settled();
  expect([screen.queryByText('The screen'), path()]).toEqual([null, '/']);
});

test('the shell has everything in its place, and nobody can act before it is known', async () => {
  const answer = new Held();
  const { settled } = await openScreen(Shell, {
    ...{ route: '/orders', path: '/orders', isKnown: false, status: 'signed-in' },
    config: { appType: 'msp', productName: 'Nameward', paymentAccountRequired: false },
    answers: { 'GET /user': answer, 'GET /overview': new Held(), 'GET /attention/counts': new Held() },
  });
  const inert = () =>
    ['main', '[class*=end]', '[class*=search]'].map((part) =>
      document.querySelector(part)?.hasAttribute('inert'),
    );
  expect(screen.getByRole('button', { name: 'Account menu, Blue Fig' })).toBeDefined();
  expect(inert()).toEqual([true, true, true]);
  expect(screen.getByRole('main').getAttribute('aria-busy')).toBe('true');
  answer.give(profileOf('MSP_OWNER'));
  await settled();
  expect(inert()).toEqual([false, false, false]);
  expect(screen.getByRole('main').getAttribute('aria-busy')).toBe('false');
});
