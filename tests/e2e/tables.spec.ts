import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';

test('rows answer to letters, Home, End and Space, and open by a press; the height of rows is kept', async ({
  page,
}) => {
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
  await expect(page.getByText('Renewing it costs $12.31')).toBeVisible();
  // Of all boxes the chosen one is filled, and the one above them, which some are chosen for.
  const boxOf = (name: string) =>
    page.getByRole('checkbox', { name }).evaluate((box) => {
      const { backgroundColor, width, height } = getComputedStyle(box);
      return [backgroundColor, width, height].join(' ');
    });
  await expect
    .poll(async () => {
      const above = await boxOf('Select all on this page');
      const [chosen, other] = [await boxOf(`Select ${names[2]}`), await boxOf(`Select ${names[0]}`)];
      return [above === chosen, above === other, above.endsWith(' 20px 20px')];
    })
    .toEqual([true, false, true]);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await expect(page.getByLabel('Save this list as')).toBeVisible();
  await inspect(page, 'the bar of a selection, and the views of a list');
  await page.keyboard.press('Escape');

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
  // The server finds a name however it is written.
  await page.getByRole('textbox', { name: 'Search your domains' }).fill((names[1] ?? '').toUpperCase());
  await expect(link(0)).toHaveCount(0);
  // A press anywhere in the row opens it.
  await page
    .getByRole('row', { name: new RegExp(names[1] ?? '') })
    .getByText('Blue Fig Ltd')
    .click();
  await expect(page).toHaveURL(`/domain/${names[1]}`);
});
