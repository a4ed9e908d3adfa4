import { expect, type Page, test } from '@playwright/test';
import { takeBackFirstPayment } from './support/database.ts';
import { addMember, api, enter, enterAs, type Msp, openMsp } from './support/msp.ts';
import {
  fillHostedPage,
  newPerson,
  password,
  payByCard,
  requirePaymentAccount,
  signIn,
} from './support/person.ts';
import { control } from './support/sandbox.ts';

/** Signs somebody in who is led to the onboarding. */
async function arrive(page: Page, email: string, path = '/domain/list'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const accountOf = async (msp: Msp) =>
  (await api<{ stripeAccount: { id: string } }>(msp.token, 'GET', 'account')).stripeAccount.id;

test('three steps: details, the provider’s hosted page, the first $100; then finished, and Reset walks them again', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const person = newPerson();
  await control('identity', 'users/add', { email: person.email, password, verified: true, name: 'New' });
  await arrive(page, person.email, '/customers?search=fig');
  await expect(page).toHaveURL(/\/onboarding\/1$/);
  await expect(page.getByRole('heading', { name: 'Welcome to Nameward' })).toBeVisible();
  for (const label of ['Enter your business info', 'Set up the payment provider', 'Fund your account']) {
    await expect(page.getByText(label)).toBeVisible();
  }
  await expect(page.getByRole('heading', { name: 'Confirm your details' })).toBeVisible();
  await expect(page.getByLabel('Email')).toBeDisabled();
  // One click is enough, though the field that is left by it says meanwhile what is wrong.
  await page.getByLabel('Username').fill('a b');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Organization is required')).toBeVisible();
  await page.getByLabel('Username').fill('');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Username is required')).toBeVisible();
  await expect(page.getByText('Organization is required')).toBeVisible();
  await page.getByLabel('Username').fill('abc');
  await page.getByLabel('Organization').fill('x'.repeat(25));
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Username must be at least 6 characters')).toBeVisible();
  await expect(page.getByText('Organization cannot exceed 24 characters')).toBeVisible();
  await page.getByLabel('Username').fill('x'.repeat(25));
  await page.getByLabel('Organization').fill('abc');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Username cannot exceed 24 characters')).toBeVisible();
  await expect(page.getByText('Organization must be at least 6 characters')).toBeVisible();
  await page.getByLabel('Username').fill('bad_name');
  await page.getByLabel('Organization').fill('Acme & Co');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Only numbers and letters')).toHaveCount(2);
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Organization').fill(person.organization);
  await page.getByRole('button', { name: 'Next' }).click();

  await expect(page).toHaveURL(/\/onboarding\/2$/);
  // No way past it: other screens lead back.
  await page.goto('/customers');
  await expect(page).toHaveURL(/\/onboarding\/2$/);
  await page.getByRole('button', { name: 'Go to the payment provider' }).click();
  await fillHostedPage(page);
  await expect(page.getByText('Your payment account is set up.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();

  await expect(page).toHaveURL(/\/onboarding\/3$/);
  await expect(page.getByText('Please top your account up with $100 to continue')).toBeVisible();
  await payByCard(page);
  await expect(page.getByText("All steps completed - you're finished")).toBeVisible();
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page.getByLabel('Username')).toHaveValue(person.username);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Finish' }).click();
  await expect(page.getByText("All steps completed - you're finished")).toBeVisible();
  // The way that was asked for before the sign-in is kept for the session.
  await page.getByRole('button', { name: 'Go to start' }).click();
  await expect(page).toHaveURL('/customers?search=fig');
  await page.goto('/');
  await expect(page.getByRole('link', { name: /^Domains/ })).toBeVisible();
});

test('coming back proves nothing: saved for later, more information wanted, a link that has expired', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const msp = await openMsp({ paid: false, account: false });
  await arrive(page, msp.person.email);
  await expect(page).toHaveURL(/\/onboarding\/2$/);
  await page.getByRole('button', { name: 'Go to the payment provider' }).click();
  await expect(page.getByRole('heading', { name: 'Set up your payment account' })).toBeVisible();
  const hosted = page.url();
  await page.getByRole('button', { name: 'Save for later' }).click();
  await expect(page.getByText('The payment provider needs more information')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Continue', exact: true })).toHaveCount(0);
  // The link opened once: the provider sends a person back who opens it again.
  await page.goto(hosted);
  await expect(page.getByText('The link to the payment provider is no longer valid.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue at the payment provider' }).click();
  await fillHostedPage(page, { more: true });
  await expect(page.getByText('The payment provider needs more information')).toBeVisible();
  await expect(page.getByText('Individual verification document')).toBeVisible();
  await page.getByRole('button', { name: 'Continue at the payment provider' }).click();
  await fillHostedPage(page);
  await expect(page.getByText('Your payment account is set up.')).toBeVisible();
  // It is one account all the time.
  const state = await control<{ accounts: { id: string; email: string }[] }>('payments', 'state');
  expect(state.accounts.filter(({ email }) => email === msp.person.email)).toHaveLength(1);
});

test('a provider that does not answer is told, and tried again', async ({ page }) => {
  await requirePaymentAccount(page);
  const msp = await openMsp({ paid: false, account: false });
  await arrive(page, msp.person.email);
  await page.route('**/api/account/link', (route) =>
    route.fulfill({
      status: 502,
      json: {
        message: 'The payment provider does not answer at the moment. Please try again.',
        code: 'upstream_unavailable',
        requestId: 'r',
      },
    }),
  );
  await page.getByRole('button', { name: 'Go to the payment provider' }).click();
  await expect(page.getByRole('alert')).toContainText('The payment provider does not answer at the moment.');
  await page.unroute('**/api/account/link');
  await page.getByRole('button', { name: 'Go to the payment provider' }).click();
  await expect(page.getByRole('heading', { name: 'Set up your payment account' })).toBeVisible();
});

test('a user that exists already is a success: the onboarding goes on', async ({ page }) => {
  const person = newPerson();
  await signIn(page, person);
  await expect(page.getByRole('heading', { name: 'Confirm your details' })).toBeVisible();
  // Created meanwhile, in another tab.
  const { token } = await control<{ token: string }>('identity', 'tokens/mint', { email: person.email });
  await api(token, 'POST', 'user', { username: person.username, organization: person.organization });
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Organization').fill(person.organization);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page).toHaveURL(/\/onboarding\/[23]$/);
  await expect(page.getByRole('alert').filter({ hasText: 'exists' })).toHaveCount(0);
});

test('"Create Account" opens a dialog that only its close icon closes, with links to terms and privacy', async ({
  page,
}) => {
  const person = newPerson();
  await control('identity', 'users/add', { email: person.email, password, verified: true, name: 'New' });
  await page.goto('/');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('button', { name: 'Create Account' }).click();
  // The provider offers the sign-up; this person has an account there and no profile here.
  const signInInstead = page.getByRole('link', { name: /sign in/i });
  await expect(page.getByLabel('Password', { exact: true }).first()).toBeVisible();
  if (await signInInstead.count()) await signInInstead.first().click();
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Account' });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByLabel('Email')).toBeDisabled();
  await expect(dialog.getByLabel('Email')).toHaveValue(person.email);
  await expect(dialog.getByRole('link', { name: 'Terms and Conditions' })).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'Privacy policy' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Create Account' }).click();
  await expect(dialog.getByText('Username is required')).toBeVisible();
  await dialog.getByLabel('Username').fill(person.username);
  await dialog.getByLabel('Organization').fill(person.organization);
  await dialog.getByRole('button', { name: 'Create Account' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/\/onboarding\/[23]$/);
});

test('the dialog closes by its icon, and the same form stands behind it', async ({ page }) => {
  const person = newPerson();
  await page.addInitScript(() => localStorage.setItem('nameward.creating-account', '1'));
  await signIn(page, person);
  const dialog = page.getByRole('dialog', { name: 'Create Account' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Confirm your details' })).toBeVisible();
});

test('the MSP_OWNER is asked to connect a payment account, and asked again when the provider wants more', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const msp = await openMsp({ account: false });
  await api(msp.token, 'PATCH', `user/subuser/${msp.userId}`, { type: 'MSP_OWNER' });
  await arrive(page, msp.person.email);
  const dialog = page.getByRole('dialog', { name: 'Create payment account' });
  await expect(dialog).toContainText('A payment processor account is required');
  await expect(dialog).toContainText('This may appear again if the payment provider needs more information.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const question = "You will be logged out if you don't connect the payment provider. Are you sure?";
  await expect(page.getByText(question)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Go to the payment provider' }).click();
  await fillHostedPage(page);
  await expect(page.getByText('Your payment account is set up.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('link', { name: /^Domains/ })).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await control('payments', 'account-requirements', { account: await accountOf(msp) });
  await expect(async () => {
    const { stripeAccount } = await api<{ stripeAccount: { finishedRequirement: boolean } }>(
      msp.token,
      'GET',
      'account',
    );
    expect(stripeAccount.finishedRequirement).toBe(false);
  }).toPass();
  await page.reload();
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('button', { name: 'Get Started Today' })).toBeVisible();
});

test('terms and privacy open from each step, and a click on them leads nowhere else', async ({ page }) => {
  const person = newPerson();
  await control('identity', 'users/add', { email: person.email, password, verified: true, name: 'New' });
  await arrive(page, person.email);
  const legal = page.getByRole('navigation', { name: 'Legal' });
  const reads = async (step: RegExp) => {
    await expect(page).toHaveURL(step);
    for (const [link, path] of [
      ['Terms and Conditions', '/terms-and-conditions'],
      ['Privacy policy', '/privacy-policy'],
    ] as const) {
      await legal.getByRole('link', { name: link }).click();
      await expect(page.getByRole('heading', { level: 1, name: link })).toBeVisible();
      await expect(page).toHaveURL(path);
      await page.goBack();
      await expect(page).toHaveURL(step);
    }
  };
  await reads(/\/onboarding\/1$/);
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Organization').fill(person.organization);
  await page.getByRole('button', { name: 'Next' }).click();
  await reads(/\/onboarding\/3$/);
  // Step 1 is looked at again: its footer does not lead to a later step.
  await page.goto('/onboarding/1');
  await reads(/\/onboarding\/1$/);
});

test('a first payment that is taken back leads everyone on the staff to it from an open page; who cannot pay reads who can', async ({
  page,
  browser,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig'] });
  const employee = await addMember(msp, 'MSP_EMPLOYEE');
  await enter(page, msp, '/domain/list');
  await takeBackFirstPayment(msp.userId);
  // The page does not know yet; the server's refusal tells it.
  await page.getByRole('link', { name: 'Customers' }).first().click();
  await expect(page).toHaveURL('/onboarding/3');
  await expect(page.getByText('Please top your account up with $100 to continue')).toBeVisible();
  const other = await browser.newContext();
  const theirs = await other.newPage();
  const refused: string[] = [];
  theirs.on('response', (reply) => void (reply.status() === 402 && refused.push(reply.url())));
  await enterAs(theirs, employee.person, '/customers');
  await expect(theirs).toHaveURL('/onboarding/3');
  await expect(
    theirs.getByRole('heading', { level: 1, name: 'Your account is not active yet' }),
  ).toBeVisible();
  await expect(theirs.getByText(/Please ask an owner or administrator to top up/)).toBeVisible();
  // Led there by the profile, and not by what was refused.
  expect(refused).toEqual([]);
  await theirs.screenshot({ path: 'test-results/awaiting-payment.png' });
  await other.close();
});
