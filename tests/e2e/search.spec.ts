import { expect, type Page, test } from '@playwright/test';
import { editZone, managedDomain } from './support/domains.ts';
import { noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';

const searchBox = (page: Page) => page.getByLabel('Search your next domain');
const options = (page: Page) => page.getByRole('listbox', { name: 'Matches' }).getByRole('option');
const group = (page: Page, name: string) => page.getByRole('group', { name }).getByRole('option');

test('the search field shows what fits while somebody types: by / names to buy first, by Ctrl K all that one has', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = await managedDomain(msp);
  const fields = { type: 'A', subdomain: 'sprout', ip_address: '192.0.2.77', action: 'add' };
  await editZone(msp, name, [fields]);
  await enter(page, msp, '/orders');
  await expect(searchBox(page)).toBeVisible();
  await page.keyboard.press('/');
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.type('blue');
  await expect(options(page).first()).toHaveText(/^Search for blue.com to buy/);
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true');
  await expect(group(page, 'Customers')).toHaveText(/^Blue Fig Ltd/);
  await noAxeFindings(page);
  await page.keyboard.press('Escape');
  await expect(options(page)).toHaveCount(0);
  // A record, by its name and by its value.
  for (const text of [`sprout.${name.slice(0, 4)}`, '192.0.2.7']) {
    await searchBox(page).fill(text);
    await expect(group(page, 'DNS records')).toHaveText(new RegExp(`^sprout.${name}.*A 192.0.2.77`));
  }
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/domain/${name}/dns?search=192.0.2.77`);
  await expect(page.getByRole('table', { name: 'DNS records' })).toContainText('sprout');

  await page.keyboard.press('Control+k');
  await expect(searchBox(page)).toBeFocused();
  // Nothing is typed yet: the screens.
  await expect(options(page).first()).toHaveText(/^Home/);
  await page.keyboard.type('blue');
  await expect(group(page, 'Customers')).toHaveText(/^Blue Fig Ltd/);
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/customers\/[0-9a-f-]{36}/);
  await expect(searchBox(page)).toHaveValue('');
});
