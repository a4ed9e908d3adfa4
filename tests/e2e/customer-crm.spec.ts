import { expect, type Locator, test } from '@playwright/test';
import { crmFile, crmFiles, people } from '../support/crm-files.ts';
import { inspect } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';

test('35 customers of 35 countries from a list of HaloPSA: at most ten presses, nothing typed, by keyboard, and readable on every width', async ({
  page,
}) => {
  const file = crmFiles.find(({ program }) => program === 'HaloPSA');
  if (!file) throw new Error('HaloPSA');
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  let presses = 0;
  const press = async (place: Locator) => {
    presses += 1;
    await place.press('Enter');
  };
  const button = (name: string) => page.getByRole('button', { name });
  await press(button('Upload .csv'));
  const chooser = page.waitForEvent('filechooser');
  await press(button('Select file'));
  const buffer = Buffer.from(crmFile(file));
  await (await chooser).setFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });

  await expect(page.getByText('Which version shows the names correctly?')).toBeVisible();
  await expect(page.locator('code', { hasText: /[éñüø]/ }).first()).toBeVisible();
  await inspect(page, 'character set of a file');
  await press(button('Use this: Western Europe (Windows-1252)'));
  await expect(page.getByText('The columns are those of HaloPSA.')).toBeVisible();
  await expect(page.getByRole('cell', { name: '350 5th Ave, Suite 100' })).toBeVisible();
  await inspect(page, 'columns of a file');
  await press(button('Check 35 rows'));
  await expect(button('Apply the suggestions of row').first()).toBeVisible();
  await inspect(page, 'suggestions of a file');
  await press(button('Apply all suggestions'));
  const changes = page.getByRole('dialog', { name: /Apply all suggestions to \d+ rows/ });
  await expect(changes).toContainText('350 5th Ave, Suite 100 → 350 5th Ave Suite 100');
  await inspect(page, 'all changes of a file');
  await press(changes.getByRole('button', { name: 'Apply', exact: true }));
  await press(button('Import 35 customers'));
  await expect(page.getByText('35 customers were created, 0 were changed.')).toBeVisible();
  expect(presses).toBeLessThanOrEqual(10);

  const customers = await api<{ contacts: { owner: { country: string } } }[]>(msp.token, 'GET', 'customer');
  expect(new Set(customers.map(({ contacts }) => contacts.owner.country)).size).toBe(people.length);
});
