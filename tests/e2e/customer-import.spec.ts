import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { csvFile, namedRow } from '../support/customer-file.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';

async function choose(page: Page, contents: string): Promise<void> {
  await page
    .getByLabel('Customer file')
    .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(contents) });
}

test('a look before the import: new, changed and faulty rows with reasons; the good rows on request; the rejects to correct', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Old Ltd'] });
  await enter(page, msp, '/customers');
  // A file that is none, and the way to what one looks like.
  await choose(page, `${csvFile([namedRow('A')])}\0`);
  const failure = page.getByRole('dialog', { name: 'Something went wrong' });
  await expect(failure).toContainText('This is not a text file.');
  await noAxeFindings(page);
  await failure.getByRole('link', { name: 'information about the data format' }).click();
  await expect(page.getByRole('heading', { name: 'Format of the customer file' })).toBeVisible();
  await inspect(page, 'format of the file');
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Customers' }).click();

  const faulty = namedRow('Bad Ltd', {
    contacts_owner_firstName: 'Ann-Marie',
    contacts_owner_phone: '2125550100',
  });
  const contents = csvFile([
    namedRow('Old Ltd', { contacts_owner_city: 'Boston', contacts_owner_email: 'ann@customer.example' }),
    namedRow('New Ltd'),
    faulty,
  ]);
  await choose(page, contents);
  await expect(page).toHaveURL(/\/customers\/import\/[\da-f-]{36}$/);
  await expect(page.getByText('1 new customer, 1 changed, 0 unchanged, 1 faulty row')).toBeVisible();
  await expect(page.getByText('Nothing has been written yet.')).toBeVisible();
  const row = page.getByRole('row', { name: /Bad Ltd/ });
  await expect(row).toContainText('contacts_owner_firstName');
  await expect(row).toContainText('Suggested: Ann Marie');
  await expect(row).toContainText('Suggested: +1 2125550100');
  // On a phone the filters are a row that scrolls: the one that is on is in sight.
  await page.setViewportSize({ width: 390, height: 1600 });
  await expect(page.getByText('Faulty (1)')).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText('Changed (1)').click();
  await expect(page.getByRole('row', { name: /Old Ltd/ })).toContainText(
    'contacts.owner.city New York → Boston',
  );
  await expect(page).toHaveURL(/kind=changed/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the rejected rows' }).click();
  const rejects = await readFile(await (await download).path(), 'utf8');
  // Left alone, the file waits: after a reload, from the list, on another device.
  await page.goto('/customers');
  await expect(page.getByRole('link', { name: 'New Ltd' })).toHaveCount(0);
  await expect(page.getByText('customers.csv has been checked and is not imported yet.')).toBeVisible();
  await page.getByRole('link', { name: 'See the result' }).click();
  await page.getByRole('button', { name: 'Import the good rows (2)' }).click();
  await expect(page.getByText('1 customer was created, 1 was changed. 1 row was left out.')).toBeVisible();
  await page.getByRole('link', { name: 'Go to customers' }).click();
  await expect(page.getByRole('link', { name: 'New Ltd' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Bad Ltd' })).toHaveCount(0);
  // The file of rejected rows imports as it is; one press on its row mends it.
  await choose(page, rejects);
  await page.getByRole('button', { name: 'Apply the suggestions of row 2' }).click();
  await expect(page.getByText('1 new customer, 0 changed, 0 unchanged, 0 faulty rows')).toBeVisible();
  await page.getByRole('button', { name: 'Import 1 customer' }).click();
  await expect(page.getByText('1 customer was created')).toBeVisible();
});
