import { expect, type Page, test } from '@playwright/test';
import { csrOf } from './support/csr.ts';
import { givePaymentMethod } from './support/database.ts';
import { api, enter, openCart, openCartWith, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';

const finalize = (page: Page) => page.getByRole('button', { name: 'Finalize Purchase' });
const entry = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
const line = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const ownerOf = (page: Page, name: string) => page.getByRole('combobox', { name: `Owner of ${name}` });
const periodOf = (page: Page, name: string) => page.getByRole('combobox', { name: `Period of ${name}` });
/** "$12.31" of the row that says so, in cents. */
async function centsOf(page: Page, label: string): Promise<number> {
  const text = await page.getByText(label, { exact: true }).locator('xpath=..').textContent();
  const [said = ''] = /−?\$[\d,]+\.\d\d/.exec(text ?? '') ?? [];
  return Math.round(Number(said.replace('−', '-').replaceAll(/[$,]/g, '')) * 100);
}

async function chooseOwner(page: Page, name: string, customer: string): Promise<void> {
  await ownerOf(page, name).click();
  await page.getByRole('option', { name: customer }).click();
}

test('an empty cart says so and leads to the search', async ({ page }) => {
  await enter(page, await openMsp(), '/cart');
  await expect(page.getByRole('heading', { name: 'Finalize domain purchase' })).toBeVisible();
  await expect(page.getByText('Your cart is empty')).toBeVisible();
  await page.getByRole('link', { name: 'Search for domains' }).click();
  await expect(page).toHaveURL('/domains');
});

test('owner, period, privacy and renewal per item; the sums follow; what misses an owner cannot be bought', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Pear Inc'] });
  const [first, second] = [freshName('one'), freshName('two')];
  await openCart(page, msp, [first, second], false);
  for (const text of [
    'Domain List',
    'Connect domains to owner',
    'Your cart',
    'Items review',
    'Order summary',
  ]) {
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  }
  await expect(periodOf(page, first)).toHaveValue('1 year');
  await expect(line(page, first).getByRole('switch', { name: 'Auto renew' })).not.toBeChecked();
  await expect(finalize(page)).toBeDisabled();
  await expect(finalize(page)).toHaveAccessibleDescription(`Please choose an owner for ${first}`);
  await chooseOwner(page, first, 'Green Pear Inc');
  await expect(finalize(page)).toHaveAccessibleDescription(`Please choose an owner for ${second}`);

  const share = page.getByRole('checkbox', { name: 'Same customer for all new domains' });
  await share.check();
  await expect(ownerOf(page, second)).toHaveValue('Green Pear Inc');
  await expect(ownerOf(page, second)).toBeDisabled();
  await expect(finalize(page)).toBeEnabled();
  // Each keeps the owner it has, and can be given another one alone.
  await share.uncheck();
  await expect(ownerOf(page, second)).toHaveValue('Green Pear Inc');
  await expect(ownerOf(page, second)).toBeEnabled();
  await chooseOwner(page, second, 'Blue Fig Ltd');
  await expect(finalize(page)).toBeEnabled();

  const one = await centsOf(page, 'Subtotal (excludes taxes)');
  await periodOf(page, first).click();
  await page.getByRole('option', { name: '2 years' }).click();
  await expect(async () => expect(await centsOf(page, 'Subtotal (excludes taxes)')).toBe(one * 1.5)).toPass();
  expect(await centsOf(page, 'Balance after this order')).toBe(10_000 - one * 1.5);
  await line(page, first).getByRole('switch', { name: 'Privacy' }).check();
  await line(page, second).getByRole('switch', { name: 'Auto renew' }).check();

  // Everything chosen is kept over a reload.
  await page.reload();
  await expect(periodOf(page, first)).toHaveValue('2 years');
  await expect(line(page, first).getByRole('switch', { name: 'Privacy' })).toBeChecked();
  await expect(line(page, second).getByRole('switch', { name: 'Auto renew' })).toBeChecked();
  await expect(ownerOf(page, first)).toHaveValue('Green Pear Inc');
  await expect(ownerOf(page, second)).toHaveValue('Blue Fig Ltd');

  await page.getByRole('button', { name: `Remove ${first} from cart` }).click();
  await expect(line(page, first)).toHaveCount(0);
  // What was removed by mistake comes back as it was.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(periodOf(page, first)).toHaveValue('2 years');
  await expect(page.getByRole('combobox', { name: /^Owner of/ }).first()).toHaveAccessibleName(
    `Owner of ${first}`,
  );
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await page.getByRole('button', { name: `Remove ${first} from cart` }).click();
  await expect(line(page, first)).toHaveCount(0);
  await expect(async () => expect(await centsOf(page, 'Subtotal (excludes taxes)')).toBe(one / 2)).toPass();
  await expect(page.getByRole('link', { name: 'Cart, 1 item' })).toBeVisible();
  // With one name there is nothing to share.
  await expect(share).toHaveCount(0);
});

test('two tabs of one person show one cart', async ({ page, context }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [first, second] = [freshName('tab'), freshName('tab')];
  await openCart(page, msp, [first]);
  const other = await context.newPage();
  await other.goto(`/domains?name=${second}`);
  await other
    .getByRole('region', { name: second, exact: true })
    .getByRole('button', { name: 'Add to cart' })
    .click();
  await expect(line(page, second)).toBeVisible();
  await page.getByRole('button', { name: `Remove ${second} from cart` }).click();
  await expect(other.getByRole('link', { name: 'Cart, 1 item' })).toBeVisible();
  await expect(
    other.getByRole('region', { name: second, exact: true }).getByRole('button', { name: 'Add to cart' }),
  ).toBeVisible();
});

test('with one customer for all, the first name that leaves takes no owner along', async ({
  page,
  context,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Pear Inc'] });
  const names = [freshName('one'), freshName('two'), freshName('three')];
  const [first = '', second = '', third = ''] = names;
  await openCart(page, msp, names, false);
  await chooseOwner(page, first, 'Green Pear Inc');
  await chooseOwner(page, second, 'Blue Fig Ltd');
  const other = await context.newPage();
  await other.goto('/cart');
  await page.getByRole('checkbox', { name: 'Same customer for all new domains' }).check();
  await expect(ownerOf(other, third)).toHaveValue('Green Pear Inc');
  await other.getByRole('button', { name: `Remove ${first} from cart` }).click();
  for (const window of [page, other]) {
    await expect(line(window, first)).toHaveCount(0);
    for (const name of [second, third]) await expect(ownerOf(window, name)).toHaveValue('Green Pear Inc');
  }
});

test('a damaged store takes no screen away: what is good of it stays', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('whole');
  await enter(page, msp);
  const good = { type: 'domain', address: name, customerId: msp.customers[0]?.customerId };
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
    `nameward.cart.${msp.userId}`,
    JSON.stringify({
      items: [null, 7, { type: 'domain' }, { type: 'x', address: [] }, good],
      running: [null],
    }),
  ] as const);
  for (const path of ['/', '/customers', '/cart']) {
    await page.goto(path);
    await expect(page.getByRole('link', { name: 'Cart, 1 item' })).toBeVisible();
  }
  await expect(finalize(page)).toBeEnabled();
});

test('an owner who is deleted meanwhile is asked for again', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Pear Inc'] });
  const name = freshName('orphan');
  await openCart(page, msp, [name]);
  await expect(finalize(page)).toBeEnabled();
  await api(msp.token, 'DELETE', `customer/${msp.customers[0]?.customerId}`);
  await page.reload();
  await expect(ownerOf(page, name)).toHaveValue('');
  await expect(finalize(page)).toBeDisabled();
  await expect(finalize(page)).toHaveAccessibleDescription(`Please choose an owner for ${name}`);
});

test('200 names are drawn only as far as they are seen; name 201 is not added, and that is said', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = Array.from({ length: 200 }, (_, index) => `many-${index}-${freshName('n')}`);
  await page.route('**/api/cart/prices', async (route) => {
    const items = route.request().postDataJSON() as { address: string; kind: string }[];
    const data = items.map(({ address, kind }) => ({ address, kind, price: 0.01, premium: false }));
    await route.fulfill({ json: { data } });
  });
  await openCart(page, msp, names);
  await expect(line(page, names[0] ?? '')).toBeVisible();
  expect(await page.getByRole('switch', { name: 'Privacy' }).count()).toBeLessThan(40);
  await page.mouse.wheel(0, 1_000_000);
  await expect(line(page, names[199] ?? '')).toBeVisible();
  const more = freshName('more');
  await page.goto(`/domains?name=${more}`);
  await page
    .getByRole('region', { name: more, exact: true })
    .getByRole('button', { name: 'Add to cart' })
    .click();
  await expect(page.getByRole('alert')).toContainText(
    `Your cart holds 200 items, the most one order can have. ${more} was not added.`,
  );
});

test('items that cannot be bought are named together, each at its row; what was renewed meanwhile leaves', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const customerId = msp.customers[0]?.customerId ?? '';
  const [renewed, wrong, fine] = [freshName('renewed'), freshName('wrong'), freshName('x-timeout-after')];
  await own(msp, [renewed], customerId);
  const items = [
    {
      ...{ type: 'renewal', address: renewed, customerId, registration: 1, autoRenew: false },
      expireDate: new Date(Date.now() - 300 * 86_400_000).toISOString(),
    },
    {
      ...{ type: 'certificate', address: wrong, customerId, provider: 'RapidSSL', productType: 'rapidssl' },
      ...{ csr: csrOf('elsewhere.com'), csrName: 'a.csr' },
    },
    { type: 'domain', address: fine, customerId, registration: 1 },
  ];
  await openCartWith(page, msp, items);
  await expect(finalize(page)).toBeEnabled();
  // The person leaves before the answer is there: it is told where they are, and the whole of it in the cart.
  const left = Promise.withResolvers<void>();
  await page.route('**/api/cart/purchase', async (route) => {
    await left.promise;
    await route.continue();
  });
  await finalize(page).click();
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible();
  await entry(page, /^Domain management/).click();
  await expect(page.getByRole('heading', { name: 'Domains' })).toBeVisible();
  left.resolve();
  const refused = page.getByRole('alert').filter({ hasText: 'Your order was not placed' });
  await refused.getByRole('link', { name: 'Review your cart' }).click();
  await expect(refused).toHaveCount(0);
  const dialog = page.getByRole('dialog', { name: 'Something went wrong' });
  await expect(dialog.getByRole('listitem')).toHaveCount(2);
  await expect(dialog.getByRole('listitem').filter({ hasText: renewed })).toContainText(
    'was renewed in the meantime',
  );
  await expect(dialog.getByRole('listitem').filter({ hasText: wrong })).toContainText(
    'This CSR is for elsewhere.com',
  );
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(line(page, renewed)).toHaveCount(0);
  await expect(line(page, `SSL certificate for ${wrong}`)).toContainText('This CSR is for elsewhere.com');
  await expect(line(page, fine)).not.toContainText('This CSR');

  // What was refused is removed. The rest is bought, and shows in the list as soon as the registry confirms.
  await page.getByRole('button', { name: `Remove SSL certificate for ${wrong} from cart` }).click();
  await expect(finalize(page)).toBeEnabled();
  await finalize(page).click();
  const result = page.getByRole('dialog', { name: 'See the items that succeeded and failed below' });
  await result.getByRole('button', { name: 'Close' }).last().click();
  await entry(page, /^Domain management/).click();
  await expect(page.getByRole('row', { name: new RegExp(fine) })).toBeVisible();
});

test('behind the dialog of a success nothing is deducted a second time', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await openCart(page, msp, [freshName('once')]);
  await expect(finalize(page)).toBeEnabled();
  await finalize(page).click();
  await expect(page.getByRole('dialog', { name: 'Success' })).toBeVisible();
  await expect(page.getByText('Balance after this order')).toHaveCount(0);
});

test('markups of direct billing are shown; a cart beyond the balance is stopped with the way to top up', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const customerId = msp.customers[0]?.customerId ?? '';
  const none = { type: 'percentage', value: 0 };
  await api(msp.token, 'PATCH', `customer/${customerId}`, {
    billing: { billDirectly: true, email: 'pay@customer.example' },
    markups: {
      domain: { purchase: { type: 'percentage', value: 10 }, renewal: none },
      certificate: { purchase: none, renewal: none },
    },
  });
  const names = Array.from({ length: 9 }, () => freshName('much'));
  await openCart(page, msp, names);
  await expect(finalize(page)).toBeEnabled();
  // Decisions no. 24: a Pending customer is not charged, so nothing is shown for it.
  await expect(page.getByText('Your total markup will be')).toHaveCount(0);
  await givePaymentMethod(customerId);
  await page.reload();
  await expect(page.getByText('Your total markup will be')).toBeVisible();
  await expect(finalize(page)).toBeEnabled();
  const total = await centsOf(page, 'Subtotal (excludes taxes)');
  expect(total).toBeGreaterThan(10_000);
  // Rounded per item (P1 §5).
  expect(await centsOf(page, 'Your total markup will be')).toBe(Math.round((total / 9) * 0.1) * 9);

  let sent = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/cart/purchase')) sent += 1;
  });
  await finalize(page).click();
  const dialog = page.getByRole('dialog', { name: 'Something went wrong' });
  await expect(
    dialog.getByText("You don't have enough funds to process this cart, please topup your account", {
      exact: true,
    }),
  ).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(finalize(page)).toBeFocused();
  expect(sent).toBe(0);
  await expect(line(page, names[8] ?? '')).toBeVisible();
  await finalize(page).click();
  await dialog.getByRole('link', { name: 'Top up your account' }).click();
  await expect(page.getByRole('heading', { name: 'Manage your Billing' })).toBeVisible();
});
