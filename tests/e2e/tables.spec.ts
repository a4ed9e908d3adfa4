import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { addMember, api, enter, enterAs, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';

test('filters are chips with counts; a selection takes in the whole list, and its bar says what renewing costs', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = [freshName('one'), freshName('two'), freshName('three')];
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  await api(msp.token, 'POST', 'domain/auto_renew', { domain: names[0], enabled: true });
  // As if a page held two of the three.
  await page.route('**/api/domain?*', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: unknown[] };
    const all = route.request().url().includes('pageSize=200');
    await route.fulfill({ json: all ? body : { ...body, data: body.data.slice(0, 2) } });
  });
  await enter(page, msp, '/domain/list');
  const chip = page.getByRole('button', { name: 'No auto renew 2' });
  await chip.click();
  await expect(page).toHaveURL(/kind=manual/);
  await expect(page.getByRole('row', { name: new RegExp(names[0] ?? '') })).toHaveCount(0);
  await page.getByRole('button', { name: 'No auto renew' }).click();
  await expect(page).not.toHaveURL(/kind/);

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  const bar = page.getByRole('region', { name: 'Selected domains' });
  await expect(bar.getByText('2 domains selected')).toBeVisible();
  await expect(bar.getByText('Renewing both costs $24.62')).toBeVisible();
  await inspect(page, 'the bar of a selection');
  await bar.getByRole('button', { name: 'Select all 3' }).click();
  await expect(bar.getByText('3 domains selected')).toBeVisible();
  await expect(bar.getByText('Renewing all 3 costs $36.93')).toBeVisible();
  await bar.getByRole('button', { name: 'Clear selection' }).click();
  await expect(bar).toHaveCount(0);
});

test('rows answer to letters, Home, End and Space; the height of rows is kept', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = ['alder', 'birch', 'cedar'].map(freshName).sort();
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  await enter(page, msp, '/domain/list');
  const link = (index: number) => page.getByRole('link', { name: names[index] ?? '', exact: true });
  await link(0).focus();
  await page.keyboard.press('c');
  await expect(link(2)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(link(0)).toBeFocused();
  await page.keyboard.press('End');
  await expect(link(2)).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('checkbox', { name: `Select ${names[2]}` })).toBeChecked();

  const height = () =>
    page
      .getByRole('row')
      .nth(1)
      .evaluate((row) => Math.round(row.clientHeight));
  expect(await height()).toBe(44);
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByText('Compact', { exact: true }).click();
  expect(await height()).toBe(36);
  await page.reload();
  await expect(link(0)).toBeVisible();
  expect(await height()).toBe(36);
});

test('a view of a list is kept, shared with a colleague, opened by its address, and removed', async ({
  page,
  browser,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const colleague = await addMember(msp, 'MSP_EMPLOYEE');
  await enter(page, msp, '/domain/list?kind=manual&sort=expireDate');
  const views = page.getByRole('button', { name: 'Saved views' });
  await views.click();
  await page.getByLabel('Save this list as').fill('By hand');
  await page.getByLabel('Share with my colleagues').check();
  await inspect(page, 'saving a view');
  await page.getByRole('button', { name: 'Save view' }).click();
  await expect(views).toContainText('By hand');

  const context = await browser.newContext();
  const other = await context.newPage();
  await enterAs(other, colleague.person, '/domain/list');
  await other.getByRole('button', { name: 'Saved views' }).click();
  await expect(other.getByRole('button', { name: 'Remove the view By hand' })).toHaveCount(0);
  await other.getByRole('link', { name: /By hand/ }).click();
  await expect(other).toHaveURL(/kind=manual/);
  await expect(other).toHaveURL(/sort=expireDate/);
  await context.close();

  await page.getByRole('button', { name: 'Remove the view By hand' }).click();
  await expect(page.getByText('No saved views yet.')).toBeVisible();
});
