import { expect, test } from '@playwright/test';
import { noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface Letter {
  to: string;
  subject: string;
}

async function unverified(word: string, daysLeft: number) {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName(word);
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await control('registrar', 'verify', { domain: name, status: 'unverified', daysLeft });
  return { msp, name };
}

test('a registrant who has not confirmed their address is seen on the domain and in the list, and is written to again', async ({
  page,
}) => {
  const { msp, name } = await unverified('unsure', 9);
  await enter(page, msp, `/domain/${name}`);
  const notice = page.getByRole('status').filter({ hasText: 'The registrant has not confirmed' });
  await expect(notice).toContainText('The registrant has not confirmed their email address: 9 days left');
  await expect(notice).toContainText('(ann@customer.example)');
  await expect(notice).toContainText('Otherwise the registrar suspends the domain');
  await notice.getByRole('button', { name: 'Resend the email' }).click();
  await expect(notice.getByText('The email is on its way.')).toBeVisible();
  const letters = await control<Letter[]>('mail', 'messages', {});
  expect(
    letters.filter(({ subject }) => subject === `Please verify your e-mail address for ${name}`),
  ).toHaveLength(1);
  // Once is enough for now.
  await notice.getByRole('button', { name: 'Resend the email' }).click();
  await expect(notice.getByRole('alert')).toContainText('Please wait ten minutes before you send it again.');
  await notice.getByRole('button', { name: "Change the registrant's address" }).click();
  await expect(page.getByRole('dialog', { name: 'Change the Owner contact' })).toBeVisible();
  await page.keyboard.press('Escape');
  // On every tab, not on the first alone.
  await page.getByRole('tab', { name: 'Advanced DNS' }).click();
  await expect(notice).toBeVisible();
  await noAxeFindings(page);

  await page.goto('/domain/list');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('9 days to verify');
  await page.getByRole('button', { name: 'Suspended' }).click();
  await expect(page.getByText('No domains found')).toBeVisible();
  await page.getByRole('button', { name: 'Registrant not verified' }).click();
  await expect(page).toHaveURL(/kind=unverified/);
  await expect(row).toBeVisible();
});

test('a suspended domain says so loudly; once the registrant has confirmed, nothing is said any more', async ({
  page,
}) => {
  const { msp, name } = await unverified('dark', 0);
  await control('registrar', 'verify', { domain: name, status: 'suspended' });
  await enter(page, msp, `/domain/${name}`);
  const notice = page.getByRole('status').filter({ hasText: `${name} is suspended` });
  await expect(notice).toContainText('The website and mail of this domain do not work.');
  await page.goto('/domain/list');
  await expect(page.getByRole('row', { name: new RegExp(name) }).getByText('Suspended')).toBeVisible();
  await control('registrar', 'verify', { domain: name });
  await page.goto(`/domain/${name}`);
  await expect(
    page.getByRole('region', { name: 'Domain contacts' }).getByText('Ann Smith').first(),
  ).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test('privacy is seen and switched at the registrar; a suffix without it says so', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('private');
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await enter(page, msp, `/domain/${name}`);
  const section = page.getByRole('region', { name: 'Renewal and lock' });
  const privacy = section.getByRole('switch', { name: 'Privacy' });
  await expect(privacy).not.toBeChecked();
  await privacy.click();
  await expect(privacy).toBeChecked();
  const { domains } = await control<{ domains: { domain: string; privacy: boolean }[] }>(
    'registrar',
    'state',
  );
  expect(domains.find(({ domain }) => domain === name)?.privacy).toBe(true);
  await page.reload();
  await expect(privacy).toBeChecked();
  await privacy.click();
  await expect(privacy).not.toBeChecked();

  await page.route(`**/api/domain/details/${name}?type=all_info`, async (route) => {
    const { data } = (await (await route.fetch()).json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, privacy: null } } });
  });
  await page.reload();
  await expect(section.getByText('Privacy is not available for this domain.')).toBeVisible();
});
