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

test('what renews this month is one click from the start, and five domains that lapse are renewed with seven clicks', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const month = freshName('month');
  const names = Array.from({ length: 5 }, () => freshName('lapsing'));
  await own(msp, [month, ...names], msp.customers[0]?.customerId ?? '');
  await topUp(msp.token, 100);
  await api(msp.token, 'POST', 'domain/auto_renew', { domain: month, enabled: true });
  await control('registrar', 'domains/dates', [
    { domain: month, ageDays: 300, expiresInDays: 50 },
    ...names.map((domain) => ({ domain, ageDays: 300, expiresInDays: 5 })),
  ]);
  // The portal reads what the registrar has.
  for (const name of [month, ...names]) await api(msp.token, 'GET', `domain/details/${name}?type=all_info`);
  await enter(page, msp);
  const looking = counting(page);
  await looking.click('link', /^Renewals/);
  await expect(
    page.getByText('Your balance covers every automatic renewal of the next 90 days.'),
  ).toBeVisible();
  await expect(page.getByText('In the next 30 days 1 domain renews for $12.31.')).toBeVisible();
  expect(looking.used).toBe(1);

  await page.goBack();
  const renewing = counting(page);
  for (const name of names) await renewing.click('button', `Renew ${name}`);
  await renewing.click('link', 'Cart, 5 items');
  await renewing.click('button', 'Finalize Purchase');
  await expect(page.getByRole('dialog').getByText('Success', { exact: false }).first()).toBeVisible();
  expect(renewing.used).toBeLessThanOrEqual(7);
});
