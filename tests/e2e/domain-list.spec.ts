import { expect, type Page, test } from '@playwright/test';
import { enter, openMsp } from './support/msp.ts';
import { buy, own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

test('an empty list says so and leads on; while loading it says that too', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/domain/list');
  await expect(page.getByText('No domains found')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Showing All Customers' })).toBeDisabled();
  await page.getByRole('main').getByRole('link', { name: 'Search for domains' }).click();
  await expect(page).toHaveURL(/\/domains/);

  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/domain?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/domain/list');
  await expect(page.getByText('Loading domains...')).toBeAttached();
  release();
  await expect(page.getByText('No domains found')).toBeVisible();
});

test('a failed read says what happened and can be tried again', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/cart');
  await page.route('**/api/domain?*', (route) =>
    route.fulfill({
      status: 500,
      json: { message: 'Something went wrong', code: 'internal', requestId: 'r-1' },
    }),
  );
  await page.goto('/domain/list');
  await expect(page.getByRole('alert')).toContainText('Request r-1');
  await page.unroute('**/api/domain?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('No domains found')).toBeVisible();
});

test('columns, customer filter, sorting, search and a row that opens; several rows renew, lock and change auto renew', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Ash & Oak'] });
  const [fig, oak] = msp.customers;
  const [soon, later, other] = [freshName('soon'), freshName('later'), freshName('other')];
  await own(msp, [soon, later], fig?.customerId ?? '');
  await own(msp, [other], oak?.customerId ?? '');
  await control('registrar', 'domains/dates', [{ domain: soon, expiresInDays: 20 }]);
  const transfer = freshName('elsewhere');
  await buy(msp, {
    domainTransfers: [{ address: transfer, customerId: fig?.customerId, EPPCode: 'EPP-2468-move' }],
  });

  await enter(page, msp, `/domain/${soon}`);
  for (const place of [
    page.getByRole('list', { name: 'State' }),
    page.getByRole('region', { name: 'Life of this domain' }),
  ]) {
    await expect(place.getByText(/^Expires in (19|20) days$/)).toBeVisible();
  }
  await page.goto('/domain/list');
  for (const title of ['Domain', 'Customer', 'Expiration', 'SSL Certificate']) {
    await expect(page.getByRole('columnheader', { name: title, exact: true })).toBeVisible();
  }
  await expect(rowOf(page, soon)).toContainText('Blue Fig Ltd');
  await expect(rowOf(page, soon).getByText(/^Expires in (19|20) days$/)).toBeVisible();
  await expect(rowOf(page, later).getByText(/^Expires in/)).toHaveCount(0);
  await expect(rowOf(page, later).getByRole('link', { name: 'Purchase SSL Certificate' })).toBeVisible();
  await expect(rowOf(page, transfer)).toContainText('Pending Transfer');

  // The server sorts, and the address keeps it; until it has, a spinner stands for the certificates.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/domain?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Expiration' }).click();
  const spinner = page.getByRole('status', { name: "Loading the certificate's state" });
  await expect(spinner.first()).toBeVisible();
  release();
  await expect(spinner).toHaveCount(0);
  await page.unroute('**/api/domain?*');
  await expect(page).toHaveURL(/sort=expireDate/);
  await expect(page.getByRole('row').nth(1)).toContainText(soon);

  await page.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Ash & Oak' }).click();
  await expect(rowOf(page, soon)).toHaveCount(0);
  await expect(rowOf(page, other)).toBeVisible();
  await page.getByRole('button', { name: 'Clear Filter' }).click();
  await expect(page.getByRole('button', { name: 'Showing All Customers' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Search your domains' }).fill(later.slice(0, -4).toUpperCase());
  await expect(rowOf(page, soon)).toHaveCount(0);
  await expect(rowOf(page, later)).toBeVisible();
  await page.getByRole('textbox', { name: 'Search your domains' }).fill('');
  await expect(rowOf(page, soon)).toBeVisible();

  await page.getByRole('checkbox', { name: `Select ${soon}` }).check();
  await page.getByRole('checkbox', { name: `Select ${later}` }).check();
  const bar = page.getByRole('region', { name: 'Selected domains' });
  await expect(bar.getByText('2 domains selected')).toBeVisible();
  // What is done with many is one change: its differences first, then live progress.
  await bar.getByRole('button', { name: 'Auto renew on' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Turn auto renew on' })).toBeVisible();
  await page.getByRole('button', { name: 'Apply to 2 domains' }).click();
  await expect(page.getByRole('main').locator('[data-tone]').first()).toHaveText('Done');
  await page.goto('/domain/list');
  await page.getByRole('checkbox', { name: `Select ${soon}` }).check();
  await page.getByRole('checkbox', { name: `Select ${later}` }).check();
  // A cart with one place left takes one of the two.
  const keepCart = (count: number) =>
    page.evaluate(([key, text]) => localStorage.setItem(key, text), [
      `nameward.cart.${msp.userId}`,
      JSON.stringify({
        items: Array.from({ length: count }, (_, n) => ({ type: 'domain', address: `n${n}.com` })),
      }),
    ] as const);
  await keepCart(199);
  await bar.getByRole('button', { name: 'Renew', exact: true }).click();
  await expect(
    bar.getByText('1 renewal is in your cart. The domain that is still selected found no place.'),
  ).toBeVisible();
  await expect(bar.getByText('1 domain selected')).toBeVisible();
  await keepCart(0);
  await page.reload();
  await page.getByRole('checkbox', { name: `Select ${soon}` }).check();
  await page.getByRole('checkbox', { name: `Select ${later}` }).check();
  await bar.getByRole('button', { name: 'Renew', exact: true }).click();
  await expect(bar.getByText('2 renewals are in your cart.')).toBeVisible();
  await bar.getByRole('link', { name: 'View Cart' }).click();
  await expect(page.getByRole('region', { name: soon }).getByText(/^Expires /)).toBeVisible();
  await expect(page.getByRole('region', { name: later })).toContainText('Renewal');

  await page.goto('/domain/list');
  await rowOf(page, later).getByText('Blue Fig Ltd').click();
  await expect(page).toHaveURL(`/domain/${later}`);
});
