import { expect, test } from '@playwright/test';
import { expectHue } from './support/colour.ts';
import { api, balanceOf, enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** The portal's copy takes over what the registrar says. */
async function expiring(token: string, name: string, days: number): Promise<void> {
  await control('registrar', 'domains/dates', [{ domain: name, ageDays: 300, expiresInDays: days }]);
  await api(token, 'GET', `domain/details/${name}?type=all_info`);
}

test('what falls due stands against the money there is, in the colours of its risk, and gets into the cart from there', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = ['urgent', 'hand', 'one', 'two', 'far'].map(freshName);
  const [urgent = '', hand = '', one = '', two = '', far = ''] = names;
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  await enter(page, msp, '/domain/renewals');
  await expect(page.getByText('Nothing falls due in the next 90 days')).toBeVisible();
  await expiring(msp.token, urgent, 5);
  await expiring(msp.token, one, 40);
  await expiring(msp.token, two, 80);
  await expiring(msp.token, hand, 50);
  await expiring(msp.token, far, 200);
  for (const domain of [one, two]) {
    await api(msp.token, 'POST', 'domain/auto_renew', { domain, enabled: true });
  }
  await page.reload();
  await expect(
    page.getByText('Your balance covers every automatic renewal of the next 90 days.'),
  ).toContainText('2 domains do not renew automatically.');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  // What lapses is above what renews by itself, each in its own table.
  const lapsing = page.getByRole('table', { name: 'Will lapse', exact: true });
  const automatic = page.getByRole('table', { name: 'Renews automatically', exact: true });
  await expect(lapsing.getByRole('row')).toHaveCount(3);
  await expect(automatic.getByRole('row')).toHaveCount(3);
  await expect(row(one).getByText(/^Renews /)).toBeVisible();
  await expect(row(hand).getByText('Auto renew is off')).toBeVisible();
  const left = (name: string) => row(name).getByText(/^\d+ days? left$/);
  await expect(left(hand)).toHaveText(/^(49|50) /);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectHue(left(urgent), 'red');
    await expectHue(left(hand), 'amber');
    await expectHue(left(one), 'none');
    await expectHue(page.getByText('Your balance covers every automatic renewal'), 'none');
  }
  const spendable = await balanceOf(msp.token);
  await expect(page.getByText(`$${(spendable / 100).toFixed(2)}`, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: `Renew ${hand}` }).click();
  await expect(page.getByRole('button', { name: `In cart: renewal of ${hand}` })).toBeDisabled();
  await page.goto('/cart');
  const line = page.getByRole('region', { name: hand });
  // P1 §9: red in under 60 days.
  await expectHue(line.getByText(/^Expires /), 'red');
  await expect(page.getByRole('combobox', { name: `Owner of ${hand}` })).toBeDisabled();
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  await page.goto(`/domain/${hand}`);
  await expect(page.getByText('Last renewed')).toBeVisible();
  await expect(page.getByText(/^Expires in 41[3-6] days$/)).toBeVisible();
});
