import { expect, test } from '@playwright/test';
import { expectHue } from './support/colour.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';

test('billing: chip, email, link with every condition, markups that are kept as they are meant', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const id = msp.customers[0]?.customerId;
  await enter(page, msp, `/customers/${id}/billing`);
  await expect(page.getByRole('heading', { name: 'Direct billing and markups' })).toBeVisible();
  await expect(page.locator('[data-chip]')).toHaveText('Disabled');
  const email = page.getByLabel('Billing email');
  const link = page.getByRole('button', { name: 'Send payment setup link' });
  await expect(email).toBeDisabled();
  await expect(link).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('Direct billing is not enabled for this customer.')).toBeVisible();
  await expect(page.getByText('is invited to set up their own payment sub-account')).toBeVisible();
  await expect(page.getByText('need not equal the domain billing contact email')).toBeVisible();
  await link.hover();
  await expect(page.getByRole('tooltip')).toHaveText(
    'You need to save the customer with direct billing enabled and email added before sending the payment setup link.',
  );
  await page.getByLabel('Enable direct billing').check();
  await email.fill('pay');
  await email.blur();
  await expect(page.getByText('Please enter a valid email address')).toBeVisible();
  await email.fill('pay@bluefig.example');
  const place = page.getByRole('textbox', { name: 'Domain purchase' });
  await expect(place).toHaveValue('0');
  await place.fill('12.5');
  await page
    .getByRole('radiogroup', { name: 'Certificate renewal: type of markup' })
    .getByText('Fixed')
    .click();
  await page.getByRole('textbox', { name: 'Certificate renewal' }).fill('3');
  await page.getByRole('textbox', { name: 'Domain renewal' }).fill('');
  // Without an answer nothing typed is lost.
  await page.route(`**/api/customer/${id}`, (route) => route.abort());
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectHue(page.getByText('Something went wrong. Please try again.'), 'red');
  await inspect(page, 'billing that was not saved');
  await expect(email).toHaveValue('pay@bluefig.example');
  await page.unroute(`**/api/customer/${id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(page.locator('[data-chip]')).toHaveText('Pending');
  const saved = await api<{ markups: unknown; billing: object }>(msp.token, 'GET', `customer/${id}`);
  expect(saved.billing).toMatchObject({ billDirectly: true, email: 'pay@bluefig.example' });
  expect(saved.markups).toEqual({
    domain: { purchase: { type: 'percentage', value: 12.5 }, renewal: { type: 'percentage', value: 0 } },
    certificate: { purchase: { type: 'percentage', value: 0 }, renewal: { type: 'fixed', value: 3 } },
  });
  await noAxeFindings(page);
});

test('payment setup link: sending, sent, failed, and off for unsaved changes and when it is active', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const id = msp.customers[0]?.customerId ?? '';
  await api(msp.token, 'PATCH', `customer/${id}`, { billing: { billDirectly: true, email: 'p@x.example' } });
  let shown = { stripeId: 'cus_1', paymentMethodSet: false };
  // As the provider would have it: its id, and later a payment method.
  await page.route(`**/api/customer/${id}`, async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: { billing: object } };
    const billing = { ...data.billing, stripeId: shown.stripeId };
    await route.fulfill({ json: { data: { ...data, billing, paymentMethodSet: shown.paymentMethodSet } } });
  });
  let answer: (status: number) => void = () => undefined;
  await page.route('**/api/customer/resend-payment-link/cus_1', async (route) => {
    const status = await new Promise<number>((resolve) => {
      answer = resolve;
    });
    await route.fulfill({
      status,
      json: status === 200 ? { data: {} } : { message: 'No.', code: 'unprocessable', requestId: 'r' },
    });
  });
  await enter(page, msp, `/customers/${id}/billing`);
  await expect(page.locator('[data-chip]')).toHaveText('Pending');
  const link = page.getByRole('button', { name: 'Send payment setup link' });
  await expect(link).toHaveAttribute('aria-disabled', 'false');
  await page.getByLabel('Billing email').fill('q@x.example');
  await expect(link).toHaveAttribute('aria-disabled', 'true');
  await page.getByLabel('Billing email').fill('p@x.example');
  await link.click();
  await expect(page.getByRole('button', { name: 'Sending...' })).toHaveAttribute('aria-disabled', 'true');
  answer(422);
  await expect(page.getByText('Something went wrong when sending request. Please try again.')).toBeVisible();
  await expect(link).toHaveAttribute('aria-disabled', 'false');
  // The tooltip of the button under the pointer stands beside the page's regions.
  await page.mouse.move(0, 0);
  await expect(page.getByRole('tooltip')).toHaveCount(0);
  await noAxeFindings(page);
  await link.click();
  await expect(page.getByRole('button', { name: 'Sending...' })).toBeVisible();
  answer(200);
  await expect(page.getByText('Payment setup link sent successfully.')).toBeVisible();
  await expect(link).toHaveAttribute('aria-disabled', 'true');
  // It was sent to that address, and to no other.
  const address = await page.getByLabel('Billing email').inputValue();
  await page.getByLabel('Billing email').fill('other@customer.example');
  await expect(page.getByText('Payment setup link sent successfully.')).toHaveCount(0);
  await page.getByLabel('Billing email').fill(address);
  await expect(page.getByText('Payment setup link sent successfully.')).toBeVisible();
  shown = { stripeId: 'cus_1', paymentMethodSet: true };
  await page.reload();
  await expect(page.locator('[data-chip]')).toHaveText('Active');
  await expect(link).toHaveAttribute('aria-disabled', 'true');
});
