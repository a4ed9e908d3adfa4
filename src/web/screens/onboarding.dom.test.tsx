import { afterEach, describe, expect, test } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
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
  within,
} from '../../../tests/support/screen.tsx';
import { closedHere, keepClosed } from '../features/users/closing-api.ts';
import { sessionMarks } from '../lib/session-marks.ts';
// The part that comes when it is shown.
import '../features/billing/top-up.tsx';
import OnboardingScreen from './onboarding.tsx';

const create = 'POST /user';

interface Who {
  profile?: object | null;
  role?: Role;
  path?: string;
  accountRequired?: boolean;
  appType?: 'msp' | 'client';
}
const open = (
  answers: Answers = {},
  { profile = null, role, path = '/onboarding/1', accountRequired = false, appType = 'msp' }: Who = {},
) =>
  openScreen(OnboardingScreen, {
    ...{ route: '/onboarding/{-$step}', path, profile, ...(role ? { role } : {}) },
    config: { productName: 'Nameward', paymentAccountRequired: accountRequired, appType },
    answers: { 'GET /account/balancev2': silence, ...answers },
  });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
const unpaid = { paidInitialFee: false };

afterEach(() => {
  sessionMarks.setCreatingAccount(false);
  keepClosed(null);
});

describe('the details of a new organization', () => {
  async function fill(answers: Answers, username: string, organization: string, who: Who = {}) {
    const opened = await open({ 'GET /user': profileOf('MSP_ADMIN', unpaid), ...answers }, who);
    if (username) await opened.user.type(field('Username'), username);
    if (organization) await opened.user.type(field('Organization'), organization);
    return { ...opened, next: () => opened.user.click(button('Next')) };
  }
  const bodies = ({ sent }: Pick<Opened, 'sent'>) => sent(create).map(({ body }) => body);

  test('say that the organization before has been closed, until there is another one', async () => {
    keepClosed('Green Pear');
    const { next } = await fill({ [create]: profileOf('MSP_ADMIN', unpaid) }, 'AnnSmith', 'Blue Fig');
    expect(screen.getByText('Green Pear has been closed.')).toBeDefined();
    await next();
    expect(closedHere()).toBeNull();
  });

  test.each([
    ['', '', { Username: 'Username is required', Organization: 'Organization is required' }],
    ['ann', 'Blue Fig', { Username: 'Username must be at least 6 characters' }],
    ['AnnSmith', 'Fig', { Organization: 'Organization must be at least 6 characters' }],
    ['AnnSmith', 'a'.repeat(25), { Organization: 'Organization cannot exceed 24 characters' }],
    ['Ann-Smith', 'Blue Fig', { Username: 'Only numbers and letters' }],
    ['AnnSmith', 'Blue & Fig', { Organization: 'Only numbers and letters' }],
    ['a'.repeat(25), 'Blue Fig', { Username: 'Username cannot exceed 24 characters' }],
  ])('are not sent as %j and %j, and each field says why', async (username, organization, errors) => {
    const opened = await fill({}, username, organization);
    await opened.next();
    expect(fieldErrors()).toEqual(errors);
    await faultHasFocus();
    expect(bodies(opened)).toEqual([]);
  });

  test('tell who was removed from an organization, or invited to one, that they would create another', async () => {
    await open();
    const told =
      'This creates a new organization. To join an existing one, open the link in your invitation.';
    expect(document.body.textContent).toContain(told);
    expect(document.body.textContent).toContain(
      'If you have lost access to one, please ask its administrator.',
    );
  });

  test('say so as soon as a field is left', async () => {
    const { user } = await fill({}, 'ann', '');
    await user.tab();
    expect(fieldErrors()).toEqual({ Username: 'Username must be at least 6 characters' });
  });

  test.each([
    [false, '/onboarding/3'],
    [true, '/onboarding/2'],
  ])(
    'are sent, and the next step follows: with a payment account required %s, %s',
    async (accountRequired, to) => {
      const opened = await fill({ [create]: profileOf('MSP_ADMIN', unpaid) }, 'AnnSmith', 'Blue Fig', {
        accountRequired,
      });
      await opened.next();
      expect(bodies(opened)).toEqual([{ username: 'AnnSmith', organization: 'Blue Fig' }]);
      expect(opened.sent('GET /user')).toHaveLength(1);
      expect(opened.path()).toBe(to);
    },
  );

  test('that are there already, from a try whose answer was lost, are as good as new ones', async () => {
    const opened = await fill({ [create]: refused(409, 'user_already_exists') }, 'AnnSmith', 'Blue Fig');
    await opened.next();
    expect(opened.path()).toBe('/onboarding/3');
  });

  test('are sent once however often somebody presses', async () => {
    const answer = new Held();
    const opened = await fill({ [create]: answer }, 'AnnSmith', 'Blue Fig');
    await opened.next();
    expect(button('Creating account...').disabled).toBe(true);
    await opened.user.type(field('Organization'), '{Enter}');
    expect(bodies(opened)).toHaveLength(1);
    answer.give(profileOf('MSP_ADMIN', unpaid));
    await opened.settled();
    expect(opened.path()).toBe('/onboarding/3');
  });

  test('that the portal finds wrong say so at the field, and stay', async () => {
    const details = [{ path: 'username', message: 'Somebody has this name' }];
    const opened = await fill(
      { [create]: refused(400, 'validation_failed', { details }) },
      ...(['AnnSmith', 'Blue Fig'] as const),
    );
    await opened.next();
    expect(fieldErrors()).toEqual({ Username: 'Somebody has this name' });
    expect(field('Username').value).toBe('AnnSmith');
  });

  test.each([
    ['refused', refused(429, 'rate_limited', { message: 'Too many.' }), 'Too many.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that are %s say so, stay, and can be sent again', async (_what, answer, message) => {
    const opened = await fill({ [create]: answer }, 'AnnSmith', 'Blue Fig');
    await opened.next();
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(field('Organization').value).toBe('Blue Fig');
    await opened.next();
    expect(bodies(opened)).toHaveLength(2);
    expect(opened.path()).toBe('/onboarding/1');
  });
});

describe('somebody who came by "Create Account"', () => {
  const dialog = () => within(screen.getByRole('dialog', { name: 'Create Account' }));
  const come = async (answers: Answers = {}) => {
    sessionMarks.setCreatingAccount(true);
    return open({ 'GET /user': profileOf('MSP_ADMIN', unpaid), ...answers });
  };

  test('is asked in a dialog, which sends the same and leads on', async () => {
    const { user, sent, path } = await come({ [create]: profileOf('MSP_ADMIN', unpaid) });
    const email = dialog().getByRole<HTMLInputElement>('textbox', { name: 'Email' });
    expect([email.value, email.disabled]).toEqual(['ann@msp.example', true]);
    const links = ['Terms and Conditions', 'Privacy policy'].map((name) =>
      dialog().getByRole('link', { name }).getAttribute('href'),
    );
    expect(links).toEqual(['/terms-and-conditions', '/privacy-policy']);
    await user.click(dialog().getByRole('button', { name: 'Create Account' }));
    expect(fieldErrors(screen.getByRole('dialog', { name: 'Create Account' }))).toEqual({
      ...{ Username: 'Username is required', Organization: 'Organization is required' },
    });
    await user.type(dialog().getByRole('textbox', { name: 'Username' }), 'AnnSmith');
    await user.type(dialog().getByRole('textbox', { name: 'Organization' }), 'Blue Fig');
    await user.click(dialog().getByRole('button', { name: 'Create Account' }));
    expect(sent(create).map(({ body }) => body)).toEqual([
      { username: 'AnnSmith', organization: 'Blue Fig' },
    ]);
    expect(path()).toBe('/onboarding/3');
    expect(sessionMarks.creatingAccount()).toBe(false);
  });

  test('does not lose what they typed to Escape; the icon closes the dialog for good', async () => {
    const { user, sent } = await come();
    await user.type(dialog().getByRole('textbox', { name: 'Username' }), 'Ann{Escape}');
    // Beside it.
    await user.click(document.querySelector('.mantine-Modal-overlay') as HTMLElement);
    expect(dialog().getByRole<HTMLInputElement>('textbox', { name: 'Username' }).value).toBe('Ann');
    await user.click(dialog().getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    // The same form is behind it.
    expect(screen.getByRole('heading', { name: 'Confirm your details' })).toBeDefined();
    expect(field('Username').value).toBe('');
    expect(sessionMarks.creatingAccount()).toBe(false);
    expect(sent(create)).toEqual([]);
  });

  test('with an address that is not theirs can sign out', async () => {
    const { user, session } = await come();
    await user.click(dialog().getByRole('button', { name: 'Sign out' }));
    expect(session.signOut).toHaveBeenCalledOnce();
  });
});

describe('the steps', () => {
  const shown = () =>
    [
      ['Confirm your details', 1],
      ['Your payment account', 2],
      ['Please top your account up with $100 to continue', 3],
      ["All steps completed - you're finished", 4],
      ['Your account is not active yet', 'others pay'],
      ['You have no access yet', 'no invitation'],
    ].find(([text]) => screen.queryByText(text as string))?.[1] ?? null;
  const noAccount = { ...unpaid, stripeAccount: { id: null, finishedRequirement: false } };
  const account = { ...unpaid, stripeAccount: { id: 'acct_1', finishedRequirement: true } };

  test.each<[string, unknown, Who]>([
    ['a person without a profile', 1, { path: '/onboarding/3' }],
    ['an admin without an account', 2, { role: 'MSP_ADMIN', profile: noAccount, path: '/onboarding/3' }],
    ['an admin with one', 3, { role: 'MSP_ADMIN', profile: account, path: '/onboarding/3' }],
    ['an admin who looks back', 2, { role: 'MSP_ADMIN', profile: account, path: '/onboarding/2' }],
    [
      'an admin at an address that is none',
      3,
      { role: 'MSP_ADMIN', profile: account, path: '/onboarding/9' },
    ],
    ['an owner who has paid', 4, { role: 'MSP_OWNER', profile: {}, path: '/onboarding' }],
    ['an employee before the payment', 'others pay', { role: 'MSP_EMPLOYEE', profile: unpaid }],
    ['a stranger in the portal of customers', 'no invitation', { appType: 'client' }],
  ])('of %s: %s', async (_who, step, who) => {
    await open({}, { accountRequired: true, ...who });
    expect(shown()).toBe(step);
  });

  test.each<[string, Who]>([
    ['an employee who has nothing to do here', { role: 'MSP_EMPLOYEE', profile: {} }],
    ["a customer's own user", { role: 'MSP_CUSTOMER', profile: {} }],
  ])('lead %s to the start', async (_who, who) => {
    expect((await open({}, who)).path()).toBe('/');
  });

  test('show what is known already, and do not ask for it again', async () => {
    const { user, path } = await open({}, { role: 'MSP_ADMIN', profile: noAccount, accountRequired: true });
    expect(['Email', 'Username', 'Organization'].map((label) => field(label).value)).toEqual([
      ...['ann@msp.example', 'AnnSmith', 'Blue Fig'],
    ]);
    expect(field('Organization').disabled).toBe(true);
    await user.click(button('Next'));
    expect(path()).toBe('/onboarding/2');
  });

  test('are walked again after a reset, and nothing of it is sent', async () => {
    const who = { role: 'MSP_OWNER', profile: {}, path: '/onboarding' } as const;
    const { user, sent, path } = await open({}, who);
    await user.click(button('Reset'));
    const walked = [shown()];
    for (const name of ['Next', 'Later', 'Finish']) {
      await user.click(button(name));
      walked.push(shown());
    }
    expect(walked).toEqual([1, 2, null, 4]);
    expect(sent(create)).toEqual([]);
    await user.click(button('Go to start'));
    expect(path()).toBe('/');
  });

  test('can be ended before the payment by people who may close the organization', async () => {
    const { user } = await open({}, { role: 'MSP_OWNER', profile: unpaid, path: '/onboarding' });
    await user.click(button('Close organization'));
    expect(screen.getByRole('dialog').textContent).toContain('Blue Fig will be closed');
  });

  test('begin again once the organization is closed', async () => {
    const { user, answer } = await open(
      { 'DELETE /user/organization': {} },
      { role: 'MSP_OWNER', profile: unpaid, path: '/onboarding' },
    );
    answer('GET /user', refused(403, 'no_profile'));
    await user.click(button('Close organization'));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Close organization' }));
    expect(shown()).toBe(1);
    expect([field('Username').value, field('Organization').value]).toEqual(['', '']);
    expect(screen.queryByRole('button', { name: 'Close organization' })).toBeNull();
  });

  test('that others have to do, or nobody may do here, leave the way out', async () => {
    const { user, session } = await open({}, { role: 'MSP_EMPLOYEE', profile: unpaid });
    expect(screen.getByText(/Please ask an owner or administrator to top up/)).toBeDefined();
    await user.click(button('Sign out'));
    expect(session.signOut).toHaveBeenCalledOnce();
  });
});
