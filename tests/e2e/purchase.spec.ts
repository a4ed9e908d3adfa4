import { expect, type Page, test } from '@playwright/test';
import { balanceOf, openCart, openMsp, topUp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface RegistrarState {
  domains: { domain: string }[];
  orders: { domain: string; status: string }[];
}

const finalize = (page: Page) => page.getByRole('button', { name: 'Finalize Purchase' });
const line = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const success = (page: Page) => page.getByText('Your order has been processed sucessfully!', { exact: true });
const close = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

/** What the registrar really holds of these names, and how often they were ordered. */
async function atRegistrar(names: readonly string[]) {
  const state = await control<RegistrarState>('registrar', 'state');
  return {
    held: state.domains.map(({ domain }) => domain).filter((name) => names.includes(name)),
    orders: state.orders.map(({ domain }) => domain).filter((name) => names.includes(name)),
  };
}

async function priceOf(page: Page): Promise<number> {
  const text = await page.getByText('Subtotal (excludes taxes)').locator('xpath=..').textContent();
  return Math.round(Number(/\$([\d,]+\.\d\d)/.exec(text ?? '')?.[1]?.replace(',', '')) * 100);
}

test('ten names of which one is refused, one times out before and one after: charged for what is held, told so', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 100);
  const refused = freshName('x-refuse');
  const before = freshName('x-timeout-before');
  const after = freshName('x-timeout-after');
  const good = Array.from({ length: 7 }, () => freshName('ten'));
  const names = [...good, refused, before, after];
  await openCart(page, msp, names);
  await expect(finalize(page)).toBeEnabled();
  const total = await priceOf(page);
  const each = total / 10;
  await finalize(page).click();
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeDisabled();

  const dialog = page.getByRole('dialog', { name: 'See the items that succeeded and failed below' });
  await expect(dialog).toBeVisible();
  await expect(
    dialog.getByText(
      'Please note: You have been charged only for successful purchases. Unsuccesful purchases will be still in your cart so you can review them.',
      { exact: true },
    ),
  ).toBeVisible();
  const entry = (name: string) => dialog.getByRole('listitem').filter({ hasText: name });
  for (const name of good) await expect(entry(name)).toContainText(`Succeeded ${name}`);
  const price = (each / 100).toFixed(2);
  await expect(entry(refused)).toContainText(new RegExp(`Failed ${refused}: .+ \\$${price}`));
  // Before and after the effect look the same from here: nothing is claimed of either yet.
  for (const name of [before, after]) {
    await expect(entry(name)).toContainText(
      `Pending ${name}: Still being confirmed with the registry. Funds are reserved; you are charged only if it succeeds. $${price}`,
    );
  }
  await close(page);

  // Failed ones stay; whatever is not confirmed yet ends by itself, one way or the other.
  await expect(line(page, refused)).toBeVisible();
  for (const name of good) await expect(line(page, name)).toHaveCount(0);
  await expect(line(page, after)).toHaveCount(0);
  await expect(line(page, before).getByRole('combobox', { name: /^Owner/ })).toBeVisible();
  const { held, orders } = await atRegistrar(names);
  expect(held.sort()).toEqual([...good, after].sort());
  expect(new Set(orders).size).toBe(orders.length);
  expect(await balanceOf(msp.token)).toBe(20_000 - held.length * each);
  await expect(page.getByText('Balance after this order').locator('xpath=..')).toContainText(
    ((20_000 - 10 * each) / 100).toFixed(2),
  );

  // The next try of both succeeds.
  await finalize(page).click();
  await expect(page.getByRole('dialog', { name: 'Success' })).toBeVisible();
  await expect(success(page)).toBeVisible();
  await close(page);
  await expect(page).toHaveURL('/customers');
  await expect(page.getByRole('row', { name: /Blue Fig Ltd/ })).toContainText('10');
  await expect(page.getByRole('link', { name: 'Cart, 0 items' })).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(20_000 - total);
});

test('a double click, a reload in the middle and a second tab buy once, and all see the result', async ({
  page,
  context,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('x-slow');
  await openCart(page, msp, [name]);
  await expect(finalize(page)).toBeEnabled();
  const price = await priceOf(page);
  const keys = new Set<string | undefined>();
  context.on('request', (request) => {
    if (request.url().endsWith('/api/cart/purchase')) keys.add(request.headers()['idempotency-key']);
  });
  await finalize(page).dblclick();
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible();
  await page.reload();
  const other = await context.newPage();
  await other.goto('/cart');
  await expect(success(page)).toBeVisible();
  await expect(success(other)).toBeVisible();
  // Not even a reload beside the open dialog loses the result.
  await page.reload();
  await expect(success(page)).toBeVisible();
  await close(page);
  await expect(page).toHaveURL('/customers');
  await close(other);
  await expect(other).toHaveURL('/customers');
  expect(keys.size).toBe(1);
  expect(await atRegistrar([name])).toEqual({ held: [name], orders: [name] });
  expect(await balanceOf(msp.token)).toBe(10_000 - price);
});
