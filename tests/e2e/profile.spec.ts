import { expect, type Page, test } from '@playwright/test';
import sharp from 'sharp';
import { noAxeFindings } from './support/inspect.ts';
import { api, enter, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn } from './support/person.ts';
import { control } from './support/sandbox.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Drops pictures of these names onto the logo's place. */
async function drop(page: Page, names: readonly string[]): Promise<void> {
  const files = await page.evaluateHandle(
    ([base64, all]) => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      for (const name of all) transfer.items.add(new File([bytes], name, { type: 'image/png' }));
      return transfer;
    },
    [png.toString('base64'), names] as const,
  );
  await page.getByRole('region', { name: 'Logo upload' }).dispatchEvent('drop', { dataTransfer: files });
}

test('the profile shows who I am, mails a link for a new password, and says why when it cannot', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  await page.getByRole('tab', { name: 'Manage Profile' }).click();
  await expect(page).toHaveURL('/account/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'Manage Profile' })).toBeVisible();
  await expect(page.getByLabel('Account Name')).toHaveValue(msp.person.organization);
  await expect(page.getByLabel('Account Name')).not.toBeEditable();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(msp.person.email);
  await expect(page.getByLabel('Email', { exact: true })).not.toBeEditable();
  await noAxeFindings(page);

  const asked = page.waitForRequest('**/dbconnections/change_password');
  await page.getByRole('button', { name: 'Reset' }).click();
  expect((await asked).postDataJSON()).toMatchObject({
    email: msp.person.email,
    connection: 'Username-Password-Authentication',
  });
  await expect(page.getByText("We've just sent you an email to reset your password.")).toBeVisible();
  await expect(async () => {
    const letters = await control<{ links: string[] }[]>('mail', 'messages', { to: msp.person.email });
    expect(letters.flatMap(({ links }) => links).some((link) => link.includes('reset'))).toBe(true);
  }).toPass();

  await page.route('**/dbconnections/change_password', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'access-control-allow-origin': '*' },
      json: { description: 'Too many requests. Try again later.' },
    }),
  );
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page.getByText('Too many requests. Try again later.')).toBeVisible();
  await page.unroute('**/dbconnections/change_password');
  await page.route('**/dbconnections/change_password', (route) => route.abort());
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page.getByText('Not able to change password')).toBeVisible();
});

test('a logo is taken, shown and replaced; each rule has its message and nothing faulty is sent', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account/profile');
  await expect(page.getByText('No logo yet')).toBeVisible();
  const input = page.getByLabel('Logo file');
  const refused = [
    {
      file: { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: png },
      text: 'Invalid file type. Only .png, and .jpg files are allowed.',
    },
    { file: { name: 'logo.png', mimeType: 'text/plain', buffer: png }, text: 'File is invalid' },
    {
      file: { name: 'logo.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(2 * 1024 * 1024 + 1) },
      text: 'Max file size is 2MB',
    },
  ];
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('upload-logo-url')) asked += 1;
  });
  for (const { file, text } of refused) {
    await input.setInputFiles(file);
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  }
  // Exactly one file: two that are dropped together are refused.
  await drop(page, ['one.png', 'two.png']);
  await expect(page.getByText('File is invalid', { exact: true })).toBeVisible();
  expect(asked).toBe(0);
  // Looks right from here; the server looks inside.
  await input.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<script>') });
  await expect(page.getByText('File is invalid', { exact: true })).toBeVisible();
  expect(asked).toBe(1);

  const photo = await sharp({ create: { width: 600, height: 300, channels: 3, background: '#2450c0' } })
    .jpeg()
    .toBuffer();
  await input.setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo });
  await expect(page.getByText('Your logo has been updated.')).toBeVisible();
  const picture = page.getByRole('img', { name: `Logo of ${msp.person.organization}` });
  await expect(picture).toBeVisible();
  const first = await picture.getAttribute('src');
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await noAxeFindings(page);

  await page.route('**/uploads/**', (route) => route.abort());
  await input.setInputFiles({ name: 'other.png', mimeType: 'image/png', buffer: png });
  await expect(page.getByText('Error uploading Logo')).toBeVisible();
  await page.unroute('**/uploads/**');
  await input.setInputFiles({ name: 'other.png', mimeType: 'image/png', buffer: png });
  await expect(page.getByText('Your logo has been updated.')).toBeVisible();
  await expect(picture).not.toHaveAttribute('src', first ?? '');
  const second = (await picture.getAttribute('src')) ?? '';
  await drop(page, ['dropped.png']);
  await expect(picture).not.toHaveAttribute('src', second);
});

test('the billing address comes from the payment provider, where a one-time link leads', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/account/profile');
  await expect(page.getByRole('heading', { name: 'Billing Address' })).toBeVisible();
  await expect(page.getByText('There is no payment account yet.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit this information' })).toHaveCount(0);

  const setUp = await api<unknown>(msp.token, 'GET', 'account/link');
  expect(setUp).toBeTruthy();
  const { stripeAccount } = await api<{ stripeAccount: { id: string } }>(msp.token, 'GET', 'account');
  await control('payments', 'account-finish', { account: stripeAccount.id });
  await page.reload();
  for (const label of ['Name', 'Address line 1', 'City', 'State', 'Postal code', 'Country']) {
    const field = page.getByLabel(label, { exact: false }).and(page.locator(':disabled'));
    await expect(field.first()).not.toHaveValue('');
    await expect(field.first()).toHaveAttribute('required');
  }
  await noAxeFindings(page);
  await page.getByRole('button', { name: 'Edit this information' }).click();
  const dialog = page.getByRole('dialog', { name: 'Go to Stripe' });
  const button = dialog.getByRole('link', { name: 'Go to dashboard' });
  await expect(button).toHaveAttribute('href', /^http/);
  await noAxeFindings(page);
  const opened = page.waitForEvent('popup');
  await button.click();
  const dashboard = await opened;
  await expect(dashboard.locator('body')).toContainText(msp.person.organization);
  await expect(dialog).toHaveCount(0);

  // A sign-in of longer ago does not open the provider's door.
  const undo = await withOldSignIn(page, msp.person, '**/api/account/login');
  await page.getByRole('button', { name: 'Edit this information' }).click();
  await expect(dialog.getByText('Please sign in again to continue.')).toBeVisible();
  await expect(button).toHaveCount(0);
  await undo();
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await page.getByRole('button', { name: 'Edit this information' }).click();
  await expect(button).toHaveAttribute('href', /^http/);
});
