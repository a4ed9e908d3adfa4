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

test('a registrant who has not confirmed their address is seen on every tab of the domain, and is written to again', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('unsure');
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await control('registrar', 'verify', { domain: name, status: 'unverified', daysLeft: 9 });
  await enter(page, msp, `/domain/${name}`);
  const notice = page.getByRole('status').filter({ hasText: 'The registrant has not confirmed' });
  await expect(notice).toContainText('The registrant has not confirmed their email address: 9 days left');
  await expect(notice).toContainText('Registrant: ann@customer.example');
  await notice.getByRole('button', { name: 'Resend the email' }).click();
  await expect(notice.getByText('The email is on its way.')).toBeVisible();
  const letters = await control<Letter[]>('mail', 'messages', {});
  expect(
    letters.filter(({ subject }) => subject === `Please verify your e-mail address for ${name}`),
  ).toHaveLength(1);
  // Once is enough for now.
  await notice.getByRole('button', { name: 'Resend the email' }).click();
  await expect(notice.getByRole('alert')).toContainText('Please wait ten minutes before you send it again.');
  // On every tab, not on the first alone.
  await page.getByRole('tab', { name: 'Advanced DNS' }).click();
  await expect(notice).toBeVisible();
  await noAxeFindings(page);
  // Once the registrant has confirmed, nothing is said any more.
  await control('registrar', 'verify', { domain: name });
  await page.goto(`/domain/${name}`);
  await expect(
    page.getByRole('region', { name: 'Domain contacts' }).getByText('Ann Smith').first(),
  ).toBeVisible();
  await expect(notice).toHaveCount(0);
});
