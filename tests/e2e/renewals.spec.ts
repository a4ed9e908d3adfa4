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

test('what falls due stands against the money there is, and gets into the cart from there', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = ['one', 'two', 'hand', 'far'].map(freshName);
  const [one = '', two = '', hand = '', far = ''] = names;
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  await enter(page, msp, '/domain/renewals');
  await expect(page.getByText('Nothing falls due in the next 90 days')).toBeVisible();
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
  ).toContainText('1 domain does not renew automatically.');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  // What lapses is above what renews by itself, each in its own table.
  const lapsing = page.getByRole('table', { name: 'Will lapse', exact: true });
  const automatic = page.getByRole('table', { name: 'Renews automatically', exact: true });
  await expect(lapsing.getByRole('row')).toHaveCount(2);
  await expect(automatic.getByRole('row')).toHaveCount(3);
  await expect(row(one).getByText(/^Renews /)).toBeVisible();
  await expect(row(hand).getByText('Auto renew is off')).toBeVisible();
  await expect(row(hand).getByText(/^(49|50) days left$/)).toBeVisible();
  const spendable = await balanceOf(msp.token);
  await expect(page.getByText(`$${(spendable / 100).toFixed(2)}`, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: `Renew ${hand}` }).click();
  await expect(page.getByRole('button', { name: `In cart: renewal of ${hand}` })).toBeDisabled();
  await page.goto('/cart');
  const line = page.getByRole('region', { name: hand });
  await expect(line.getByText(/^Expires /)).toBeVisible();
  await expect(page.getByRole('combobox', { name: `Owner of ${hand}` })).toBeDisabled();
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  await page.goto(`/domain/${hand}`);
  await expect(page.getByText('Last renewed')).toBeVisible();
  await expect(page.getByText(/^Expires in 41[3-6] days$/)).toBeVisible();
});

test('a cart that renews what was renewed in the meantime is refused, and says so', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('twice');
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await expiring(msp.token, name, 40);
  await enter(page, msp, `/domain/${name}`);
  await page.getByRole('button', { name: 'Renew', exact: true }).click();
  const renewal = { address: name, period: 1 };
  const [price] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [
    { ...renewal, kind: 'renewal' },
  ]);
  await api(msp.token, 'POST', 'cart/purchase', { domainRenewals: [renewal], price: price?.price });
  const before = await balanceOf(msp.token);
  await page.goto('/cart');
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  // At its row, and above the order.
  await expect(
    page.getByText(`${name} was renewed in the meantime and now expires on`).first(),
  ).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(before);
});

test('a balance that does not last is named with the day and the sum', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  // Six registrations leave too little of the first $100 for their renewals.
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => freshName(`short${letter}`));
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  for (const name of names) await expiring(msp.token, name, 60);
  for (const domain of names) {
    await api(msp.token, 'POST', 'domain/auto_renew', { domain, enabled: true });
  }
  await enter(page, msp, '/domain/renewals');
  await expect(page.getByText('Your balance will run out')).toBeVisible();
  await expect(
    page.getByText(/^From .+ automatic renewals are not covered\. \$\d+\.\d\d more is needed/),
  ).toBeVisible();
  await expect(page.getByText('Not covered').first()).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Top up' }).click();
  await expect(page).toHaveURL('/account');
});

test('the start shows what lapses with its one act: the renewal gets into the cart from there, and what is done is gone', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [urgent = '', later = ''] = ['urgent', 'later'].map(freshName);
  await own(msp, [urgent, later], msp.customers[0]?.customerId ?? '');
  await expiring(msp.token, urgent, 3);
  await expiring(msp.token, later, 20);
  // The portal learns the price when somebody looks at the renewals.
  await api(msp.token, 'GET', 'renewals/due');
  await api(msp.token, 'POST', 'domain/auto_renew', { domain: urgent, enabled: true });
  await api(msp.token, 'POST', 'domain/auto_renew', { domain: urgent, enabled: false });
  await enter(page, msp, '/');
  const list = page.getByRole('region', { name: 'Needs attention' });
  const lapses = list.getByRole('listitem').filter({ hasText: 'auto renew is off' });
  await expect(lapses).toHaveCount(2);
  await expect(lapses.first()).toContainText('auto renew is off · renewing costs $');
  await expect(lapses.first().getByRole('img', { name: 'Urgent' })).toBeVisible();
  await expect(lapses.last().getByRole('img', { name: 'Soon' })).toBeVisible();
  await list.getByRole('button', { name: `Renew ${urgent}` }).click();
  await expect(page.getByRole('link', { name: 'Cart, 1 item' })).toBeVisible();
  await api(msp.token, 'POST', 'domain/auto_renew', { domain: later, enabled: true });
  await page.reload();
  await expect(lapses).toHaveCount(1);
  await expect(lapses).toContainText(urgent.split('.')[0] ?? '');
});

test('colours of risk: what lapses is amber, red in its last week; what renews automatically has none, and nothing above is green', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [urgent = '', later = '', safe = ''] = ['urgent', 'later', 'safe'].map(freshName);
  await own(msp, [urgent, later, safe], msp.customers[0]?.customerId ?? '');
  await expiring(msp.token, urgent, 5);
  await expiring(msp.token, later, 50);
  await expiring(msp.token, safe, 40);
  await api(msp.token, 'POST', 'domain/auto_renew', { domain: safe, enabled: true });
  await enter(page, msp, '/domain/renewals');
  const left = (name: string) =>
    page.getByRole('row', { name: new RegExp(name) }).getByText(/^\d+ days? left$/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectHue(left(urgent), 'red');
    await expectHue(left(later), 'amber');
    await expectHue(left(safe), 'none');
    await expectHue(page.getByText('Your balance covers every automatic renewal'), 'none');
  }
});
