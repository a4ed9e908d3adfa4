import { expect, test } from '@playwright/test';
import sharp from 'sharp';
import { noAxeFindings } from './support/inspect.ts';
import { connectAccount, enter, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn } from './support/person.ts';
import { control } from './support/sandbox.ts';

test('the profile mails a link for a new password, takes a logo, and leads to the provider’s page for the address, freshly signed in', async ({
  page,
}) => {
  const msp = await openMsp();
  await connectAccount(msp.token);
  await enter(page, msp, '/account');
  await page.getByRole('tab', { name: 'Manage Profile' }).click();
  await expect(page).toHaveURL('/account/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'Manage Profile' })).toBeVisible();

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

  const photo = await sharp({ create: { width: 600, height: 300, channels: 3, background: '#2450c0' } })
    .jpeg()
    .toBuffer();
  await page.getByLabel('Logo file').setInputFiles({
    ...{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo },
  });
  await expect(page.getByText('Your logo has been updated.')).toBeVisible();
  const picture = page.getByRole('img', { name: `Logo of ${msp.person.organization}` });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);

  // A sign-in of longer ago does not open the provider's door.
  const edit = page.getByRole('button', { name: 'Edit this information' });
  const dialog = page.getByRole('dialog', { name: 'Go to Stripe' });
  const link = dialog.getByRole('link', { name: 'Go to dashboard' });
  const undo = await withOldSignIn(page, msp.person, '**/api/account/login');
  await edit.click();
  await expect(dialog.getByText('Please sign in again to continue.')).toBeVisible();
  await expect(link).toHaveCount(0);
  await undo();
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await edit.click();
  await expect(link).toHaveAttribute('href', /^http/);
  await noAxeFindings(page);
  const opened = page.waitForEvent('popup');
  await link.click();
  await expect((await opened).locator('body')).toContainText(msp.person.organization);
  await expect(dialog).toHaveCount(0);
});
