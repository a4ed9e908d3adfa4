import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { type CsvRow, csvFile, namedRow } from '../support/customer-file.ts';
import { inspect } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';

/** A good customer's line; `change` by column. */
const line = namedRow;
const csv = (...rows: CsvRow[]) => csvFile(rows);

async function choose(page: Page, contents: string | Buffer, name = 'customers.csv'): Promise<void> {
  await page
    .getByLabel('Customer file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(contents) });
}
const menu = (page: Page) => page.getByRole('button', { name: 'Upload .csv' });

test('the menu chooses a file, downloads the sample, which imports as it is, and explains the format', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  await menu(page).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Select file' }).click();
  await (await chooser).setFiles([]);
  await menu(page).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download sample .csv' }).click();
  const sample = await readFile(await (await download).path());
  await menu(page).click();
  await page.getByRole('link', { name: 'More information about data format' }).click();
  await expect(page.getByRole('heading', { name: 'Format of the customer file' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'contacts_owner_phone', exact: true })).toBeVisible();
  await inspect(page, 'format of the file');
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Customers' }).click();
  await choose(page, sample);
  await expect(page.getByText('2 new customers, 0 changed, 0 unchanged, 0 faulty rows')).toBeVisible();
  await page.getByRole('button', { name: 'Import 2 customers' }).click();
  await expect(page.getByText('2 customers were created, 0 were changed.')).toBeVisible();
  await inspect(page, 'result of an import');
  await page.getByRole('link', { name: 'Go to customers' }).click();
  await expect(page.getByRole('link', { name: 'Maple Works Inc' })).toBeVisible();
});

test('a look before the import: new, changed and faulty rows with reasons; the good rows on request; the rejects to correct', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Old Ltd'] });
  await enter(page, msp, '/customers');
  const faulty = line('Bad Ltd', {
    contacts_owner_firstName: 'Ann-Marie',
    contacts_owner_phone: '2125550100',
  });
  const contents = csv(
    line('Old Ltd', { contacts_owner_city: 'Boston', contacts_owner_email: 'ann@customer.example' }),
    line('New Ltd'),
    faulty,
  );
  await choose(page, contents);
  await expect(page).toHaveURL(/\/customers\/import\/[\da-f-]{36}$/);
  await expect(page.getByText('1 new customer, 1 changed, 0 unchanged, 1 faulty row')).toBeVisible();
  await expect(page.getByText('Nothing has been written yet.')).toBeVisible();
  const row = page.getByRole('row', { name: /Bad Ltd/ });
  await expect(row).toContainText('4');
  await expect(row).toContainText('contacts_owner_firstName');
  await expect(row).toContainText('Only letters and spaces are allowed');
  await expect(row).toContainText('Suggested: Ann Marie');
  await expect(row).toContainText('Suggested: +1 2125550100');
  await inspect(page, 'look before an import');
  // On a phone the filters are a row that scrolls: the one that is on is in sight.
  await page.setViewportSize({ width: 390, height: 1600 });
  await expect(page.getByText('Faulty (1)')).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText('Changed (1)').click();
  await expect(page.getByRole('row', { name: /Old Ltd/ })).toContainText(
    'contacts.owner.city New York → Boston',
  );
  await expect(page).toHaveURL(/kind=changed/);
  await page.getByText('Faulty (1)').click();
  await expect(row.getByRole('button', { name: 'Apply the suggestions of row 4' })).toBeVisible();
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
  await page.reload();
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

test('a file that is none is refused in a dialog with the message, the error and where to look', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  const dialog = page.getByRole('dialog', { name: 'Something went wrong' });
  const refused: [string | Buffer, string, string][] = [
    [Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'This is a picture, not a CSV file.', 'PNG'],
    [`${csv(line('A'))}\0`, 'This is not a text file.', 'NUL'],
    [Buffer.alloc(5_000_001, 'a'), 'The file is larger than 5 MB.', '5.0 MB'],
    ['', 'The file is empty.', 'empty file'],
  ];
  for (const [contents, message, error] of refused) {
    await choose(page, contents);
    await expect(dialog).toContainText(message);
    await expect(dialog).toContainText(error);
    await expect(dialog).toContainText('Please verify the fields of your file');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect(dialog).toHaveCount(0);
  }
  await choose(page, '');
  await inspect(page, 'refused file');
  await dialog.getByRole('link', { name: 'information about the data format' }).click();
  await expect(page.getByRole('heading', { name: 'Format of the customer file' })).toBeVisible();
});

test('the same file again and an export of everything bring nothing new; a file can be thrown away', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  const contents = csv(line('One'), line('Two'));
  await choose(page, contents);
  await page.getByRole('button', { name: 'Import 2 customers' }).click();
  await page.getByRole('link', { name: 'Go to customers' }).click();
  await choose(page, contents);
  await expect(page.getByText('There is nothing to import')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('heading', { name: 'Your current customers' })).toBeVisible();
  await expect(page.getByText('not imported yet')).toHaveCount(0);
  await menu(page).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export all customers' }).click();
  await choose(page, await readFile(await (await download).path()));
  await expect(page.getByText('0 new customers, 0 changed, 2 unchanged, 0 faulty rows')).toBeVisible();
});

test('10,000 rows: the progress shows, survives a reload, and the list stays usable meanwhile', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  await choose(page, csv(...Array.from({ length: 10_000 }, (_, n) => line(`Customer ${n}`))));
  await page.getByRole('button', { name: 'Import 10,000 customers' }).click();
  await expect(page.getByText(/Importing\.\.\. [\d,]+ of 10,000 customers/)).toBeVisible();
  await page.reload();
  await expect(page.getByText(/of 10,000 customers|10,000 customers were created/)).toBeVisible();
  // Another call is answered while the rows are being written.
  await api(msp.token, 'GET', 'customer?page=1&pageSize=50');
  await expect(page.getByText('10,000 customers were created')).toBeVisible();
  await page.getByRole('link', { name: 'Go to customers' }).click();
  await expect(page.getByText('1–50 of 10000')).toBeVisible();
  // A choice among all of them draws a part, and finds each.
  await page.goto('/domain/list');
  const choice = page.getByRole('combobox', { name: 'Customer' });
  await choice.click();
  await expect(page.getByRole('option')).toHaveCount(300);
  await choice.fill('Customer 9998');
  await page.getByRole('option', { name: 'Customer 9998' }).click();
  await expect(choice).toHaveValue('Customer 9998');
});
