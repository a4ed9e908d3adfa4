import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { editZone, managedDomain, resolver } from './support/domains.ts';
import { noAxeFindings } from './support/inspect.ts';
import { enter, type Msp, openMsp } from './support/msp.ts';

const a = (subdomain: string, ip_address: string) => ({ type: 'A', subdomain, action: 'add', ip_address });
const customers = ['Blue Fig Ltd'];

async function openZone(page: Page, msp: Msp, address: string): Promise<void> {
  await enter(page, msp, `/domain/${address}/dns`);
  await expect(page.getByRole('tab', { name: 'Managed DNS', selected: true })).toBeVisible();
}

const records = (page: Page) => page.getByRole('table', { name: 'DNS records' });
/** The head and the records, without the heads of the groups. */
const lines = (page: Page) => records(page).locator('tr:not([data-group])');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a record is added, changed and deleted, and the DNS serves it each time', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [
    { type: 'TXT', subdomain: '', action: 'add', text: `long ${'x'.repeat(3_000)}` },
  ]);
  const dns = await resolver();
  await openZone(page, msp, address);
  await button(page, 'Add').click();
  const dialog = page.getByRole('dialog', { name: 'Add record' });
  await page.getByRole('combobox', { name: 'Type', exact: true }).click();
  await page.getByRole('option', { name: 'A', exact: true }).click();
  await dialog.getByLabel('Subdomain').fill('post');
  await button(page, 'Save').click();
  await expect(dialog.getByLabel('IPv4 address')).toBeFocused();
  await noAxeFindings(page);
  await dialog.getByLabel('IPv4 address').fill('192.0.2.30');
  await button(page, 'Save').click();
  await expect(dialog).toBeHidden();
  await expect(records(page).getByRole('columnheader')).toHaveText([
    ...['Type', 'Subdomain', 'Data', 'TTL', 'Last change', 'Actions'],
  ]);
  const row = records(page).getByRole('row', { name: /post/ });
  await expect(row.getByRole('cell')).toHaveText([
    ...['A', 'post', '192.0.2.30', '1 hour'],
    // By whom and when it was changed last.
    new RegExp(msp.person.email.slice(0, 8)),
    '',
  ]);
  expect(await dns.resolve4(`post.${address}`)).toEqual(['192.0.2.30']);
  // A person who works with keys goes on at the record.
  const opener = page.getByRole('button', { name: `Edit A record for post.${address}` });
  await expect(opener).toBeFocused();

  await opener.press('Enter');
  const edit = page.getByRole('form', { name: 'Edit record' });
  await edit.getByLabel('IPv4 address').fill('192.0.2.31');
  // A key that is pressed by habit loses nothing that was typed.
  await page.keyboard.press('Escape');
  const leaving = page.getByRole('dialog', { name: 'Leave this record without saving it?' });
  await expect(leaving).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(leaving).toBeHidden();
  await expect(edit.getByLabel('IPv4 address')).toHaveValue('192.0.2.31');
  await edit.getByLabel('IPv4 address').press('Escape');
  await leaving.getByRole('button', { name: 'Leave' }).click();
  await expect(edit).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.press('Enter');
  await page.keyboard.press('Escape');
  await expect(edit).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.press('Enter');
  await edit.getByRole('button', { name: 'Cancel' }).click();
  await expect(opener).toBeFocused();
  await opener.press('Enter');
  await edit.getByLabel('IPv4 address').fill('192.0.2.31');
  // The longest text, and the form, have their place on a phone too.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await noAxeFindings(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await edit.getByLabel('IPv4 address').press('Enter');
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(row).toContainText('192.0.2.31');
  await expect(opener).toBeFocused();
  expect(await dns.resolve4(`post.${address}`)).toEqual(['192.0.2.31']);

  await page.getByRole('button', { name: `Delete A record for post.${address}` }).click();
  await page
    .getByRole('dialog', { name: 'Are you sure you want to delete this record?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(lines(page)).toHaveCount(2);
  await expect(page.locator('[data-records]')).toBeFocused();
  await expect(dns.resolve4(`post.${address}`)).rejects.toMatchObject({ code: 'ENOTFOUND' });

  await button(page, 'Undo').click();
  await expect(row).toContainText('192.0.2.31');
  await expect(opener).toBeFocused();
  expect(await dns.resolve4(`post.${address}`)).toEqual(['192.0.2.31']);
});

test('changes are collected, reviewed, saved as one, and any earlier state is restored, also beside what somebody else does', async ({
  page,
}) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [a('www', '192.0.2.1'), a('old', '192.0.2.2')]);
  await openZone(page, msp, address);
  const before = await exported(page);
  await page.getByRole('switch', { name: 'Collect changes and save them together' }).check({ force: true });
  await button(page, 'Import').click();
  await page.setInputFiles('input[type=file]', {
    name: 'a.zone',
    mimeType: 'text/plain',
    buffer: Buffer.from('one A 192.0.2.4\ntwo A 192.0.2.5\nx CAA 0 issue "y"'),
  });
  await expect(page.getByLabel('Records or zone file')).toHaveValue(/^one A/);
  await button(page, 'Preview').click();
  await expect(page.getByText('Line 3: CAA records are not supported by the registrar')).toBeVisible();
  await page.getByRole('checkbox', { name: `Add A two.${address}` }).uncheck();
  await noAxeFindings(page);
  await button(page, 'Collect 1 change').click();
  await page.getByRole('button', { name: `Delete A record for old.${address}` }).click();
  await button(page, 'Delete').click();
  await page.getByRole('button', { name: `Edit A record for www.${address}` }).click();
  await page.getByLabel('IPv4 address').fill('192.0.2.3');
  await button(page, 'Collect').click();
  const tray = page.getByRole('region', { name: /^\d changes?$/ });
  await expect(tray.getByText('not saved yet')).toBeVisible();
  await expect(tray.getByRole('listitem')).toHaveText([/^AddA one/, /^DeleteA old/, /^ChangeA www/]);
  await page.getByRole('tab', { name: 'Info' }).click();
  await page
    .getByRole('dialog', { name: 'Leave without saving the collected changes?' })
    .getByRole('button', { name: 'Stay' })
    .click();

  const old = { ip_address: '192.0.2.1' };
  await editZone(msp, address, [
    { type: 'A', subdomain: 'www', action: 'update', old, fields: { ip_address: '192.0.2.9' } },
  ]);
  await page.getByLabel('Reason').fill('Ticket 42');
  await button(page, 'Save 3 changes').click();
  const notice = page.getByRole('alert').filter({ hasText: 'Someone changed the zone in the meantime' });
  await expect(notice).toContainText('In the zone now192.0.2.9');
  await expect(notice).toContainText('Yours192.0.2.3');
  await noAxeFindings(page);
  await button(page, 'Take theirs').click();
  await expect(tray.getByRole('listitem')).toHaveText([/^AddA one/, /^DeleteA old/]);
  await button(page, 'Save 2 changes').click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(lines(page)).toHaveCount(3);
  await expect(records(page).getByRole('row', { name: /A www/ })).toContainText('192.0.2.9');

  await button(page, 'History').click();
  const newest = page.getByRole('list', { name: 'Versions' }).locator('> li').first();
  await expect(newest).toContainText('Ticket 42');
  await expect(newest).toContainText(msp.person.email);
  await expect(newest).toContainText('1 record added, 1 deleted');
  await expect(newest.getByRole('listitem')).toHaveText([
    /^Deleted A old 192\.0\.2\.2Put back$/,
    /^Added A one 192\.0\.2\.4Put back$/,
  ]);
  await noAxeFindings(page);
  // Before what the two of them did.
  await button(page, 'Compare').nth(1).click();
  await button(page, 'Collect 4 changes').click();
  await button(page, 'Save 4 changes').click();
  await expect(page.getByText('Saved.')).toBeVisible();
  expect(await exported(page)).toBe(before);
});

async function exported(page: Page): Promise<string> {
  const downloading = page.waitForEvent('download');
  await button(page, 'Export').first().click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/\.com\.zone$/);
  return readFile(await download.path(), 'utf8');
}

test('5,000 records scroll with only those in sight in the page', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(
    msp,
    Array.from({ length: 5_000 }, (_unused, index) => a(`h${index}`, '192.0.2.1')),
  );
  await openZone(page, msp, address);
  await expect(page.getByText('5000 records', { exact: true })).toBeAttached();
  const count = await lines(page).count();
  expect(count).toBeGreaterThan(5);
  expect(count).toBeLessThan(100);
  await page.getByRole('button', { name: `Edit A record for h0.${address}` }).click();
  await page.getByLabel('IPv4 address').fill('192.0.2.98');
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect(records(page).getByRole('row', { name: /h4999/ })).toBeInViewport();
  await page.getByLabel('Search the records').fill('h4321');
  // What is being edited stays, out of sight too.
  await expect(lines(page)).toHaveCount(3);
  await expect(page.getByLabel('IPv4 address')).toHaveValue('192.0.2.98');
  await button(page, 'Cancel').click();
  await expect(lines(page)).toHaveCount(2);
  await page.getByRole('button', { name: `Edit A record for h4321.${address}` }).click();
  await page.getByLabel('IPv4 address').fill('192.0.2.99');
  await button(page, 'Save').click();
  await expect(records(page).getByRole('row', { name: /h4321/ })).toContainText('192.0.2.99');
});
