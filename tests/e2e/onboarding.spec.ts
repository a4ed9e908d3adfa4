import { expect, type Page, test } from '@playwright/test';
import { takeBackFirstPayment } from './support/database.ts';
import { api, connectAccount, enter, openMsp } from './support/msp.ts';
import {
  fillHostedPage,
  fillSignIn,
  newPerson,
  password,
  payByCard,
  requirePaymentAccount,
} from './support/person.ts';
import { control } from './support/sandbox.ts';

/** Signs somebody in who is led to the onboarding. */
async function arrive(page: Page, email: string, path = '/domain/list'): Promise<void> {
  await page.goto(path);
  await fillSignIn(page, { email });
}

/** Terms and privacy open from this step, and lead back to it. */
async function readsTerms(page: Page, step: RegExp): Promise<void> {
  await expect(page).toHaveURL(step);
  for (const [link, path] of [
    ['Terms and Conditions', '/terms-and-conditions'],
    ['Privacy policy', '/privacy-policy'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Legal' }).getByRole('link', { name: link }).click();
    await expect(page.getByRole('heading', { level: 1, name: link })).toBeVisible();
    await expect(page).toHaveURL(path);
    await page.goBack();
    await expect(page).toHaveURL(step);
  }
}

test('three steps: details, the provider’s hosted page, the first $100; coming back proves nothing; then finished, and Reset walks them again', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const person = newPerson();
  await control('identity', 'users/add', { email: person.email, password, verified: true, name: 'New' });
  await arrive(page, person.email, '/customers?search=fig');
  await expect(page.getByRole('heading', { name: 'Welcome to Nameward' })).toBeVisible();
  for (const label of ['Enter your business info', 'Set up the payment provider', 'Fund your account']) {
    await expect(page.getByText(label)).toBeVisible();
  }
  await expect(page.getByRole('heading', { name: 'Confirm your details' })).toBeVisible();
  await readsTerms(page, /\/onboarding\/1$/);
  // One click is enough, though the field that is left by it says meanwhile what is wrong.
  await page.getByLabel('Username').fill('a b');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Organization is required')).toBeVisible();
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Organization').fill(person.organization);
  await page.getByRole('button', { name: 'Next' }).click();

  await expect(page).toHaveURL(/\/onboarding\/2$/);
  // No way past it: other screens lead back.
  await page.goto('/customers');
  await readsTerms(page, /\/onboarding\/2$/);
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
  await expect(page.getByText('Individual verification document')).toBeVisible();
  await page.getByRole('button', { name: 'Continue at the payment provider' }).click();
  await fillHostedPage(page);
  await expect(page.getByText('Your payment account is set up.')).toBeVisible();
  // It is one account all the time.
  const state = await control<{ accounts: { email: string }[] }>('payments', 'state');
  expect(state.accounts.filter(({ email }) => email === person.email)).toHaveLength(1);
  await page.getByRole('button', { name: 'Continue' }).click();

  await readsTerms(page, /\/onboarding\/3$/);
  // Step 1 is looked at again: its footer does not lead to a later step.
  await page.goto('/onboarding/1');
  await readsTerms(page, /\/onboarding\/1$/);
  await page.goto('/onboarding/3');
  await expect(page.getByText('Please top your account up with $100 to continue')).toBeVisible();
  await payByCard(page);
  await expect(page.getByText("All steps completed - you're finished")).toBeVisible();
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page.getByLabel('Username')).toHaveValue(person.username);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Finish' }).click();
  // The way that was asked for before the sign-in is kept for the session.
  await page.getByRole('button', { name: 'Go to start' }).click();
  await expect(page).toHaveURL('/customers?search=fig');
});

test('the MSP_OWNER is asked to connect a payment account until there is one, and asked again when the provider wants more', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const msp = await openMsp({ account: false });
  await api(msp.token, 'PATCH', `user/subuser/${msp.userId}`, { type: 'MSP_OWNER' });
  await arrive(page, msp.person.email);
  const dialog = page.getByRole('dialog', { name: 'Create payment account' });
  await expect(dialog).toBeVisible();
  const account = await connectAccount(msp.token);
  await page.goto('/');
  await expect(page.getByRole('link', { name: /^Domains/ })).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await control('payments', 'account-requirements', { account });
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

test('a first payment that is taken back leads to it from an open page', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig'] });
  await enter(page, msp, '/domain/list');
  await takeBackFirstPayment(msp.userId);
  // The page does not know yet; the server's refusal tells it.
  await page.getByRole('link', { name: 'Customers' }).first().click();
  await expect(page).toHaveURL('/onboarding/3');
  await expect(page.getByText('Please top your account up with $100 to continue')).toBeVisible();
});
