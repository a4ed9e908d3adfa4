import { expect, type Page, test } from '@playwright/test';
import { api, enter, openMsp, topUp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** What the jobs of a help desk cost in clicks and keys from the start. */
function counting(page: Page) {
  const counter = { used: 0 };
  return Object.assign(counter, {
    click: async (role: 'button' | 'link', name: string | RegExp) => {
      counter.used += 1;
      await page.getByRole(role, { name }).click();
    },
  });
}

test('five domains that lapse are renewed with seven clicks from the start', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = Array.from({ length: 5 }, () => freshName('lapsing'));
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  await topUp(msp.token, 100);
  const expiresInDays = 5;
  await control(
    'registrar',
    'domains/dates',
    names.map((domain) => ({ domain, ageDays: 300, expiresInDays })),
  );
  // The portal reads what the registrar has.
  for (const name of names) await api(msp.token, 'GET', `domain/details/${name}?type=all_info`);
  await enter(page, msp);
  const job = counting(page);
  for (const name of names) await job.click('button', `Renew ${name}`);
  await job.click('link', 'Cart, 5 items');
  await job.click('button', 'Finalize Purchase');
  await expect(page.getByRole('dialog').getByText('Success', { exact: false }).first()).toBeVisible();
  expect(job.used).toBeLessThanOrEqual(7);
});

test('what renews this month, and whether the money suffices, is one click from the start', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('month');
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await api(msp.token, 'POST', 'domain/auto_renew', { domain: name, enabled: true });
  await control('registrar', 'domains/dates', [{ domain: name, ageDays: 300, expiresInDays: 50 }]);
  await api(msp.token, 'GET', `domain/details/${name}?type=all_info`);
  await enter(page, msp);
  const job = counting(page);
  await job.click('link', /^Renewals/);
  await expect(
    page.getByText('Your balance covers every automatic renewal of the next 90 days.'),
  ).toBeVisible();
  await expect(page.getByText('In the next 30 days 1 domain renews for $12.31.')).toBeVisible();
  expect(job.used).toBe(1);
});
