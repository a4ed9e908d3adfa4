import { expect, type Page, test } from '@playwright/test';
import { openCart, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';

const line = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const ownerOf = (page: Page, name: string) => page.getByRole('combobox', { name: `Owner of ${name}` });

async function chooseOwner(page: Page, name: string, customer: string): Promise<void> {
  await ownerOf(page, name).click();
  await page.getByRole('option', { name: customer }).click();
}

test('two tabs of one person show one cart; with one customer for all, the first name that leaves takes no owner along', async ({
  page,
  context,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Pear Inc'] });
  const [first, second, third] = [freshName('one'), freshName('two'), freshName('three')];
  await openCart(page, msp, [first, second], false);
  const other = await context.newPage();
  await other.goto(`/domains?name=${third}`);
  const card = other.getByRole('region', { name: third, exact: true });
  await card.getByRole('button', { name: 'Add to cart' }).click();
  await expect(line(page, third)).toBeVisible();
  await page.getByRole('button', { name: `Remove ${third} from cart` }).click();
  await expect(other.getByRole('link', { name: 'Cart, 2 items' })).toBeVisible();
  await card.getByRole('button', { name: 'Add to cart' }).click();
  await expect(line(page, third)).toBeVisible();

  await chooseOwner(page, first, 'Green Pear Inc');
  await chooseOwner(page, second, 'Blue Fig Ltd');
  await other.goto('/cart');
  await page.getByRole('checkbox', { name: 'Same customer for all new domains' }).check();
  await expect(ownerOf(other, third)).toHaveValue('Green Pear Inc');
  await other.getByRole('button', { name: `Remove ${first} from cart` }).click();
  for (const window of [page, other]) {
    await expect(line(window, first)).toHaveCount(0);
    for (const name of [second, third]) await expect(ownerOf(window, name)).toHaveValue('Green Pear Inc');
  }
});

test('200 names are drawn only as far as they are seen', async ({ page }) => {
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
});
