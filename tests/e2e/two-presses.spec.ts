import { expect, type Locator, type Page, test } from '@playwright/test';
import { orderCertificate, status } from './support/certificates.ts';
import { managedDomain } from './support/domains.ts';
import { api, enter, enterAs, newAccount, openCart, openMsp, topUp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** Two presses before the page can show what the first one did. */
const pressTwice = (button: Locator) =>
  button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });

/** Counts the calls of the page by method and address. */
function counted(page: Page, method: string, address: RegExp): () => number {
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === method && address.test(request.url())) sent += 1;
  });
  return () => sent;
}

const customers = ['Blue Fig Ltd'];

test('two presses in one frame delete a record once, and no error follows', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [
    { type: 'A', subdomain: 'www', action: 'add', ip_address: '192.0.2.1' },
  ]);
  await enter(page, msp, `/domain/${address}/dns`);
  await page.getByRole('button', { name: `Delete A record for www.${address}` }).click();
  const question = page.getByRole('dialog', { name: 'Are you sure you want to delete this record?' });
  const sent = counted(page, 'PUT', /\/zone$/);
  await pressTwice(question.getByRole('button', { name: 'Delete' }));
  await expect(page.getByText('No records yet')).toBeVisible();
  await expect(question).toBeHidden();
  expect(sent()).toBe(1);
});

test('two presses in one frame cancel a certificate once', async ({ page }) => {
  const msp = await openMsp({ customers });
  await topUp(msp.token, 100);
  const orderId = await orderCertificate(msp, freshName('twice'), { dvAuthMethod: 'File' });
  await enter(page, msp, `/SSL/${orderId}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  await page.getByRole('button', { name: 'Cancel order' }).click();
  const sent = counted(page, 'POST', /\/cancel$/);
  await pressTwice(page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }));
  await expect(status(page, 'cancelled')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(sent()).toBe(1);
});

test('two presses in one frame accept, resend and cancel an invitation, and remove a person, once', async ({
  page,
  browser,
}) => {
  const msp = await openMsp();
  const [guest, other] = [await newAccount(), await newAccount()];
  const invite = (email: string) =>
    api<{ link: string }>(msp.token, 'POST', 'user/subuser', { email, type: 'MSP_EMPLOYEE' });
  const { link } = await invite(guest.person.email);
  await invite(other.person.email);

  const context = await browser.newContext();
  const invited = await context.newPage();
  await enterAs(invited, guest.person, '/onboarding/1');
  await invited.goto(new URL(link).pathname);
  const accepted = counted(invited, 'POST', /\/acceptinvite\//);
  const created = counted(invited, 'POST', /\/subuser\/create$/);
  await pressTwice(invited.getByRole('dialog').getByRole('button', { name: 'Confirm' }));
  await expect(invited).toHaveURL(/\/$/);
  expect([created(), accepted()]).toEqual([1, 1]);
  await context.close();

  await enterAs(page, msp.person, '/users');
  const resent = counted(page, 'POST', /\/resend$/);
  await pressTwice(page.getByRole('button', { name: `Send the invitation to ${other.person.email} again` }));
  await expect(page.getByText('The invitation was sent again.')).toBeVisible();
  expect(resent()).toBe(1);

  const question = page.getByRole('dialog', { name: 'Confirm Removal of user' });
  const cancelled = counted(page, 'DELETE', /\/subuser\/invite\//);
  await page.getByRole('button', { name: `Cancel the invitation of ${other.person.email}` }).click();
  await pressTwice(question.getByRole('button', { name: 'Confirm' }));
  await expect(page.getByText('No invites found')).toBeVisible();
  await expect(question).toBeHidden();
  expect(cancelled()).toBe(1);

  const removed = counted(page, 'DELETE', /\/subuser\/(?!invite\/)/);
  await page.getByRole('button', { name: `Remove ${guest.person.email}` }).click();
  await pressTwice(question.getByRole('button', { name: 'Confirm' }));
  await expect(page.getByRole('cell', { name: guest.person.email, exact: true })).toHaveCount(0);
  await expect(question).toBeHidden();
  expect(removed()).toBe(1);
});

test('two presses in one frame ask once for a new password, a way to the provider and a payment link', async ({
  page,
}) => {
  const msp = await openMsp({ customers });
  await api(msp.token, 'GET', 'account/link');
  const { stripeAccount } = await api<{ stripeAccount: { id: string } }>(msp.token, 'GET', 'account');
  await control('payments', 'account-finish', { account: stripeAccount.id });
  const id = msp.customers[0]?.customerId ?? '';
  await api(msp.token, 'PATCH', `customer/${id}`, { billing: { billDirectly: true, email: 'p@x.example' } });
  await enter(page, msp, '/account/profile');
  const asked = counted(page, 'POST', /\/dbconnections\/change_password$/);
  await pressTwice(page.getByRole('button', { name: 'Reset' }));
  await expect(page.getByText("We've just sent you an email to reset your password.")).toBeVisible();
  expect(asked()).toBe(1);

  const opened = counted(page, 'GET', /\/account\/login$/);
  await pressTwice(page.getByRole('button', { name: 'Edit this information' }));
  await expect(
    page.getByRole('dialog', { name: 'Go to Stripe' }).getByRole('link', { name: 'Go to dashboard' }),
  ).toHaveAttribute('href', /^http/);
  expect(opened()).toBe(1);

  await page.goto(`/customers/${id}/billing`);
  const link = page.getByRole('button', { name: 'Send payment setup link' });
  await expect(link).toHaveAttribute('aria-disabled', 'false');
  const sent = counted(page, 'GET', /\/resend-payment-link\//);
  await pressTwice(link);
  await expect(page.getByText('Payment setup link sent successfully.')).toBeVisible();
  expect(sent()).toBe(1);
});

test('two presses in one frame buy a cart once', async ({ page }) => {
  const msp = await openMsp({ customers });
  await openCart(page, msp, [freshName('press')]);
  const finalize = page.getByRole('button', { name: 'Finalize Purchase' });
  await expect(finalize).toBeEnabled();
  const sent = counted(page, 'POST', /\/cart\/purchase$/);
  await pressTwice(finalize);
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  expect(sent()).toBe(1);
});
