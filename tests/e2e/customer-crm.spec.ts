import { expect, type Locator, type Page, test } from '@playwright/test';
import { crmFile, crmFiles, people } from '../support/crm-files.ts';
import { csvFile, goodRow } from '../support/customer-file.ts';
import { inspect } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';

/** Presses as a person does them, counted. */
function presses() {
  let count = 0;
  return {
    on: async (place: Locator) => {
      count += 1;
      await place.click();
    },
    count: () => count,
  };
}

async function choose(page: Page, contents: Buffer | string, press: (place: Locator) => Promise<void>) {
  await press(page.getByRole('button', { name: 'Upload .csv' }));
  const chooser = page.waitForEvent('filechooser');
  await press(page.getByRole('button', { name: 'Select file' }));
  await (await chooser).setFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(contents) });
}

for (const program of ['HubSpot', 'HaloPSA']) {
  test(`35 customers of 35 countries from a list of ${program}: at most ten presses, nothing typed, and domains can be registered for them`, async ({
    page,
  }) => {
    const file = crmFiles.find((one) => one.program === program);
    if (!file) throw new Error(program);
    const msp = await openMsp();
    await enter(page, msp, '/customers');
    const { on, count } = presses();
    await choose(page, crmFile(file), on);
    if (program === 'HaloPSA') {
      await expect(page.getByText('Which version shows the names correctly?')).toBeVisible();
      await expect(page.locator('code', { hasText: /[éñüø]/ }).first()).toBeVisible();
      await on(page.getByRole('button', { name: 'Use this: Western Europe (Windows-1252)' }));
    }
    await expect(page.getByText(`The columns are those of ${program}.`)).toBeVisible();
    await expect(page.getByRole('cell', { name: '350 5th Ave, Suite 100' })).toBeVisible();
    await on(page.getByRole('button', { name: 'Check 35 rows' }));
    await on(page.getByRole('button', { name: 'Apply all suggestions' }));
    const changes = page.getByRole('dialog', { name: /Apply all suggestions to \d+ rows/ });
    await expect(changes).toContainText('350 5th Ave, Suite 100 → 350 5th Ave Suite 100');
    await on(changes.getByRole('button', { name: 'Apply', exact: true }));
    await on(page.getByRole('button', { name: 'Import 35 customers' }));
    await expect(page.getByText('35 customers were created, 0 were changed.')).toBeVisible();
    expect(count()).toBeLessThanOrEqual(10);

    const customers = await api<{ customerId: string; contacts: { owner: { country: string } } }[]>(
      msp.token,
      'GET',
      'customer',
    );
    expect(new Set(customers.map(({ contacts }) => contacts.owner.country)).size).toBe(people.length);
    const chosen = customers.filter(({ contacts }) =>
      ['US', 'DE', 'JP', 'AE'].includes(contacts.owner.country),
    );
    const domains = chosen.map(({ customerId, contacts }) => ({
      address: `crm-${contacts.owner.country.toLowerCase()}-${msp.userId.slice(-8)}.com`,
      ...{ customerId, period: 1, whois: false },
    }));
    const prices = await api<{ price: number }[]>(
      msp.token,
      'POST',
      'cart/prices',
      domains.map(({ customerId: _, ...line }) => line),
    );
    const bought = await api<{ domains: { success: unknown[]; fail: unknown[] } }>(
      msp.token,
      'POST',
      'cart/purchase',
      {
        domains,
        price: Math.round(prices.reduce((sum, { price }) => sum + price * 100, 0)) / 100,
      },
    );
    expect(bought.domains).toMatchObject({ fail: [] });
    expect(bought.domains.success).toHaveLength(4);
  });
}

test('columns that no name tells are chosen, kept under a name, and known when the next file comes', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  const header = Object.keys(goodRow).map((name) => (name === 'contacts_owner_city' ? 'Mystery' : name));
  const contents = (organization: string) =>
    csvFile([{ ...goodRow, contacts_owner_organization: organization, Mystery: 'Oslo' }], header);
  const { on } = presses();
  await choose(page, contents('One'), on);
  await expect(page.getByText('1 required column is still missing.')).toBeVisible();
  await page.getByRole('button', { name: 'Check 1 row' }).click();
  await expect(page.getByText('This field is required')).toHaveCount(1);
  await expect(page.getByRole('combobox', { name: 'City' })).toBeFocused();
  await page.getByRole('combobox', { name: 'City' }).click();
  await page.getByRole('option', { name: 'Mystery' }).click();
  await expect(page.getByRole('cell', { name: 'Oslo' })).toBeVisible();
  await page.getByLabel('Save these columns for the next file').fill('Our CRM');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved as Our CRM.')).toBeVisible();
  await inspect(page, 'columns that are chosen');
  await page.reload();
  // Everything is loaded again: on a busy machine that takes its time.
  await expect(page.getByText('The columns are those of Our CRM.')).toBeVisible();
  await page.getByRole('button', { name: 'Check 1 row' }).click();
  await page.getByRole('button', { name: 'Import 1 customer' }).click();
  await page.getByRole('link', { name: 'Go to customers' }).click();
  await choose(page, contents('Two'), on);
  await expect(page.getByText('The columns are those of Our CRM.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Use saved columns' }).click();
  await page.getByRole('option', { name: 'Our CRM' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('combobox', { name: 'Use saved columns' })).toHaveCount(0);
});

test('the questions about a file and its suggestions are readable on every width, in both themes, by keyboard and by axe', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  const { on } = presses();
  const some = crmFiles.find(({ program }) => program === 'HaloPSA');
  if (!some) throw new Error('HaloPSA');
  await choose(page, crmFile(some, people.slice(0, 6)), on);
  await expect(page.getByText('Which version shows the names correctly?')).toBeVisible();
  await inspect(page, 'character set of a file');
  await page.getByRole('button', { name: 'Use this: Western Europe (Windows-1252)' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Check 6 rows' })).toBeVisible();
  await inspect(page, 'columns of a file');
  await page.getByRole('button', { name: 'Check 6 rows' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Apply the suggestions of row 2' })).toBeVisible();
  await inspect(page, 'suggestions of a file');
  await page.getByRole('button', { name: 'Apply all suggestions' }).press('Enter');
  await expect(page.getByRole('dialog', { name: /Apply all suggestions to \d+ rows/ })).toBeVisible();
  await inspect(page, 'all changes of a file');
});
