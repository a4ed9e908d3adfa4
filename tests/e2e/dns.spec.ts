import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { editZone, managedDomain, registerDomain, resolver } from './support/domains.ts';
import { noAxeFindings } from './support/inspect.ts';
import { api, enter, type Msp, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

const a = (subdomain: string, ip_address: string) => ({ type: 'A', subdomain, action: 'add', ip_address });
const customers = ['Blue Fig Ltd'];

async function openZone(page: Page, msp: Msp, address: string): Promise<void> {
  await enter(page, msp, `/domain/${address}/dns`);
  await expect(page.getByRole('tab', { name: 'Managed DNS', selected: true })).toBeVisible();
}

async function chooseType(page: Page, type: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Type', exact: true }).click();
  await page.getByRole('option', { name: type, exact: true }).click();
}

const records = (page: Page) => page.getByRole('table', { name: 'DNS records' });
/** The head and the records, without the heads of the groups. */
const lines = (page: Page) => records(page).locator('tr:not([data-group])');
const edited = (page: Page) => page.getByRole('form', { name: 'Edit record' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a record is added, changed and deleted, and the DNS serves it each time', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp);
  const dns = await resolver();
  await openZone(page, msp, address);
  await expect(page.getByText('No records yet')).toBeVisible();
  await noAxeFindings(page);

  await button(page, 'Add').click();
  const dialog = page.getByRole('dialog', { name: 'Add record' });
  await button(page, 'Save').click();
  await expect(dialog.getByText('You must select a type')).toBeVisible();
  await chooseType(page, 'MX');
  await dialog.getByLabel('Subdomain').fill('post');
  await button(page, 'Save').click();
  await expect(dialog.getByText('This field is required')).toHaveCount(2);
  await expect(dialog.getByLabel('Mail server')).toBeFocused();
  await noAxeFindings(page);
  await dialog.getByLabel('Mail server').fill('192.0.2.1');
  await dialog.getByLabel('Priority').fill('10');
  await button(page, 'Save').click();
  await expect(dialog.getByText('Please enter a host name, not an address')).toBeVisible();
  await chooseType(page, 'A');
  await dialog.getByLabel('IPv4 address').fill('192.0.2.300');
  await button(page, 'Save').click();
  await expect(dialog.getByText('Please enter an IPv4 address, such as 192.0.2.1')).toBeVisible();
  await expect(dialog.getByLabel('Subdomain')).toHaveValue('post');
  await dialog.getByLabel('IPv4 address').fill(' 192.0.2.30 ');
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

  await opener.click();
  const edit = edited(page);
  // P2 §5: type and subdomain are told, and cannot be changed.
  await expect(edit.getByText(`A post.${address}`)).toBeVisible();
  await expect(edit.getByRole('textbox')).toHaveCount(1);
  await edit.getByLabel('IPv4 address').fill('192.0.2.31');
  // The difference is in sight before it is saved.
  await expect(edit.getByText('192.0.2.30 becomes 192.0.2.31')).toBeVisible();
  await noAxeFindings(page);
  // A key that is pressed by habit loses nothing that was typed.
  await page.keyboard.press('Escape');
  const leaving = page.getByRole('dialog', { name: 'Leave this record without saving it?' });
  await expect(leaving.getByText('What you typed is lost when you close it.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(leaving).toBeHidden();
  await expect(edit.getByLabel('IPv4 address')).toHaveValue('192.0.2.31');
  await edit.getByLabel('IPv4 address').press('Escape');
  await leaving.getByRole('button', { name: 'Leave' }).click();
  await expect(edit).toBeHidden();
  await expect(leaving).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.press('Enter');
  await expect(edit.getByLabel('IPv4 address')).toHaveValue('192.0.2.30');
  await page.keyboard.press('Escape');
  await expect(edit).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.press('Enter');
  await edit.getByRole('button', { name: 'Cancel' }).click();
  await expect(opener).toBeFocused();
  await opener.press('Enter');
  await edit.getByLabel('IPv4 address').fill('192.0.2.31');
  // While it is being saved nothing is lost, and nothing is asked: it can be undone afterwards.
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/**', async (route) => {
    if (route.request().method() !== 'GET') await answered.promise;
    await route.continue();
  });
  await edit.getByLabel('IPv4 address').press('Enter');
  await expect(button(page, 'Saving record...')).toBeVisible();
  await expect(edit.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await edit.getByLabel('IPv4 address').press('Escape');
  await expect(leaving).toHaveCount(0);
  answered.resolve();
  await expect(page.getByText('Saved.')).toBeVisible();
  await page.unroute('**/api/**');
  await expect(row).toContainText('192.0.2.31');
  await expect(opener).toBeFocused();
  expect(await dns.resolve4(`post.${address}`)).toEqual(['192.0.2.31']);

  await page.getByRole('button', { name: `Delete A record for post.${address}` }).click();
  const question = page.getByRole('dialog', { name: 'Are you sure you want to delete this record?' });
  await expect(question.getByText(`You are about to delete A record for post.${address}`)).toBeVisible();
  await noAxeFindings(page);
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No records yet')).toBeVisible();
  await expect(button(page, 'Add')).toBeFocused();
  await expect(dns.resolve4(`post.${address}`)).rejects.toMatchObject({ code: 'ENOTFOUND' });

  await button(page, 'Undo').click();
  await expect(row).toContainText('192.0.2.31');
  await expect(opener).toBeFocused();
  expect(await dns.resolve4(`post.${address}`)).toEqual(['192.0.2.31']);
});

test('records are found by type and text; the address of the page says which', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [
    a('', '192.0.2.1'),
    { type: 'TXT', subdomain: '', action: 'add', text: `long ${'x'.repeat(3_000)}` },
    {
      type: 'SRV',
      subdomain: '_sip._tcp',
      action: 'add',
      ...{ hostname: 'sip.example.net', priority: 1, weight: 2, port: 5060 },
    },
  ]);
  await openZone(page, msp, address);
  await expect(lines(page)).toHaveCount(4);
  await expect(records(page).getByRole('row', { name: /^A @ 192\.0\.2\.1 1 hour/ })).toBeVisible();
  await expect(page.getByText('3 records', { exact: true })).toBeVisible();
  await page.getByRole('combobox', { name: 'Record type' }).click();
  await page.getByRole('option', { name: 'SRV' }).click();
  await expect(lines(page)).toHaveCount(2);
  await expect(page).toHaveURL(/kind=SRV/);
  await page.getByLabel('Search the records').fill('nothing like it');
  await expect(page.getByText('No records found')).toBeVisible();
  await button(page, 'Show all records').click();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(lines(page)).toHaveCount(4);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await noAxeFindings(page);
});

test('what somebody else changed meanwhile stands beside what I typed, and I decide', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [a('www', '192.0.2.1')]);
  await openZone(page, msp, address);
  await page.getByRole('button', { name: `Edit A record for www.${address}` }).click();
  await page.getByLabel('IPv4 address').fill('192.0.2.2');
  const old = { ip_address: '192.0.2.1' };
  await editZone(msp, address, [
    { type: 'A', subdomain: 'www', action: 'update', old, fields: { ip_address: '192.0.2.9' } },
    a('new', '192.0.2.5'),
  ]);
  await button(page, 'Save').click();
  const notice = page.getByRole('alert').filter({ hasText: 'Someone changed the zone in the meantime' });
  await expect(notice).toContainText('In the zone now192.0.2.9');
  await expect(notice).toContainText('Yours192.0.2.2');
  await expect(page.getByLabel('IPv4 address')).toHaveValue('192.0.2.2');
  await noAxeFindings(page);
  await button(page, 'Save mine').click();
  await expect(edited(page)).toBeHidden();
  await expect(records(page).getByRole('row', { name: /A www/ })).toContainText('192.0.2.2');
  await expect(records(page).getByRole('row', { name: /new/ })).toContainText('192.0.2.5');
  await expect(lines(page)).toHaveCount(3);

  // Merged with what somebody else has added, of which this page knows nothing yet: undone, theirs stays.
  await editZone(msp, address, [a('theirs', '192.0.2.6')]);
  await button(page, 'Add').click();
  await chooseType(page, 'A');
  await page.getByLabel('Subdomain').fill('mine');
  await page.getByLabel('IPv4 address').fill('192.0.2.7');
  await button(page, 'Save').click();
  await expect(records(page).getByRole('row', { name: /^A theirs/ })).toBeVisible();
  await button(page, 'Undo').click();
  await expect(records(page).getByRole('row', { name: /^A mine/ })).toHaveCount(0);
  await expect(records(page).getByRole('row', { name: /^A theirs/ })).toBeVisible();
});

test('in a conflict of several changes I decide about each: nothing of theirs is replaced, nothing of mine lost unasked', async ({
  page,
}) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [a('www', '192.0.2.1')]);
  const theirs = (from: string, to: string) =>
    editZone(msp, address, [
      {
        type: 'A',
        subdomain: 'www',
        action: 'update',
        old: { ip_address: from },
        fields: { ip_address: to },
      },
    ]);
  const addresses = async () => {
    const zone = await api<{ records: { A: { subdomain: string; ip_address: string }[] } }>(
      ...([msp.token, 'GET', `${address}/zone`] as const),
    );
    return zone.records.A.map(({ subdomain, ip_address }) => `${subdomain} ${ip_address}`).sort();
  };
  const collect = async (added: string) => {
    await page.getByRole('button', { name: `Edit A record for www.${address}` }).click();
    await page.getByLabel('IPv4 address').fill('192.0.2.2');
    await button(page, 'Collect').click();
    await button(page, 'Add').click();
    await chooseType(page, 'A');
    await page.getByLabel('Subdomain').fill(added);
    await page.getByLabel('IPv4 address').fill('192.0.2.3');
    await button(page, 'Collect').click();
  };
  const notice = page.getByRole('alert').filter({ hasText: 'Someone changed the zone in the meantime' });
  const collecting = page.getByRole('switch', { name: 'Collect changes and save them together' });
  await openZone(page, msp, address);
  await collecting.check({ force: true });

  // Left out while the conflict is shown: not saved, and still collected.
  await collect('one');
  await theirs('192.0.2.1', '192.0.2.9');
  await button(page, 'Save 2 changes').click();
  await expect(notice).toBeVisible();
  await page.getByRole('checkbox', { name: `Change A www.${address}` }).uncheck();
  await button(page, 'Save mine').click();
  await expect(page.getByRole('region', { name: '1 change' }).getByRole('listitem')).toHaveText([
    /^ChangeA www/,
  ]);
  expect(await addresses()).toEqual(['one 192.0.2.3', 'www 192.0.2.9']);
  await button(page, 'Discard').click();

  // Theirs stands; what they did not touch is still to be saved.
  await collect('two');
  await theirs('192.0.2.9', '192.0.2.8');
  await button(page, 'Save 2 changes').click();
  await button(page, 'Take theirs').click();
  await expect(notice).toBeHidden();
  await expect(page.getByRole('region', { name: '1 change' }).getByRole('listitem')).toHaveText([
    /^AddA two/,
  ]);
  await button(page, 'Save 1 change').click();
  await expect(page.getByText('Saved.')).toBeVisible();
  expect(await addresses()).toEqual(['one 192.0.2.3', 'two 192.0.2.3', 'www 192.0.2.8']);

  // The same in a review: it stays, with the others chosen.
  await collecting.uncheck({ force: true });
  await button(page, 'Import').click();
  await page.getByLabel('Records or zone file').fill('www A 192.0.2.4\nthree A 192.0.2.3');
  await button(page, 'Preview').click();
  await expect(button(page, 'Save 2 changes')).toBeVisible();
  await theirs('192.0.2.8', '192.0.2.7');
  await button(page, 'Save 2 changes').click();
  await button(page, 'Take theirs').click();
  await expect(page.getByRole('checkbox', { name: `Add A www.${address}` })).not.toBeChecked();
  await button(page, 'Save 1 change').click();
  await expect(page.getByText('Saved.')).toBeVisible();
  expect(await addresses()).toEqual([
    ...['one', 'three', 'two'].map((name) => `${name} 192.0.2.3`),
    'www 192.0.2.7',
  ]);
});

test('changes are collected, reviewed, saved as one, and any earlier state is restored', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [a('', '192.0.2.1'), a('old', '192.0.2.2')]);
  await openZone(page, msp, address);
  const before = await exported(page);
  await page.getByRole('switch', { name: 'Collect changes and save them together' }).check({ force: true });
  await page.getByRole('button', { name: `Delete A record for old.${address}` }).click();
  await button(page, 'Delete').click();
  await button(page, 'Add').click();
  await chooseType(page, 'CNAME');
  await page.getByLabel('Subdomain').fill(`www.${address}`);
  await page.getByLabel('Host name').fill('Sites.Example.net.');
  await button(page, 'Collect').click();
  const tray = page.getByRole('region', { name: '2 changes' });
  await expect(tray.getByText('not saved yet')).toBeVisible();
  await expect(tray.getByRole('listitem')).toHaveText([/^DeleteA old/, /^AddCNAME www/]);
  await expect(records(page).getByRole('row', { name: /old/ })).toContainText('Deleted');
  await page.getByRole('tab', { name: 'Info' }).click();
  const leaving = page.getByRole('dialog', { name: 'Leave without saving the collected changes?' });
  await leaving.getByRole('button', { name: 'Stay' }).click();

  // What is left out stays so while others are edited again, and is not lost when they are saved.
  await button(page, 'Add').click();
  await chooseType(page, 'A');
  await page.getByLabel('Subdomain').fill('later');
  await page.getByLabel('IPv4 address').fill('192.0.2.3');
  await button(page, 'Collect').click();
  await page.getByRole('checkbox', { name: `Add A later.${address}` }).uncheck();
  await page.getByRole('button', { name: `Edit CNAME record for www.${address}` }).click();
  await page.getByLabel('Host name').fill('pages.example.net');
  await button(page, 'Collect').click();
  await page.getByLabel('Reason').fill('Ticket 42');
  await noAxeFindings(page);
  await button(page, 'Save 2 changes').click();
  await expect(page.getByRole('region', { name: '1 change' }).getByRole('listitem')).toHaveText([
    /^AddA later/,
  ]);
  const zone = await api<{ records: { CNAME: object[]; A: object[] } }>(msp.token, 'GET', `${address}/zone`);
  expect(zone.records.CNAME).toEqual([{ subdomain: 'www', hostname: 'pages.example.net' }]);
  expect(zone.records.A).toHaveLength(1);
  await expect(records(page).getByRole('row', { name: /old/ })).toHaveCount(0);

  // A template is collected with the rest; a click beside the dialog loses nothing.
  await button(page, 'Templates').click();
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'Own web server' }).click();
  await page.getByLabel('IPv4 address of the server').fill('192.0.2.7');
  await page.mouse.click(5, 5);
  await button(page, 'Preview').click();
  await button(page, 'Collect 4 changes').click();
  await expect(page.getByRole('region', { name: '5 changes' })).toContainText(`AddA later.${address}`);
  await button(page, 'Discard').click();
  await expect(page.getByText('Saved.')).toBeVisible();

  await button(page, 'History').click();
  const newest = page.getByRole('list', { name: 'Versions' }).locator('> li').first();
  await expect(newest).toContainText('Ticket 42');
  await expect(newest).toContainText(msp.person.email);
  await expect(newest).toContainText('1 record added, 1 deleted');
  await expect(newest.getByRole('listitem')).toHaveText([
    /^Deleted A old 192\.0\.2\.2Put back$/,
    /^Added CNAME www pages\.example\.netPut back$/,
  ]);
  await noAxeFindings(page);
  await button(page, 'Compare').first().click();
  const list = page.getByRole('region', { name: 'Changes', exact: true });
  await expect(list.getByRole('listitem')).toHaveText([/^DeleteCNAME/, /^AddA old/]);
  await button(page, 'Collect 2 changes').click();
  await button(page, 'Save 2 changes').click();
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

test('a zone file is imported by choice, with a reason for every line left out; a template by the same way', async ({
  page,
}) => {
  const msp = await openMsp({ customers });
  const address = await managedDomain(msp, [a('www', '192.0.2.1')]);
  await openZone(page, msp, address);
  await button(page, 'Import').click();
  await button(page, 'Preview').click();
  await expect(page.getByText('Please select a file, or paste its text')).toBeVisible();
  const file = [
    ...['$TTL 300', 'www A 192.0.2.1', 'www CNAME a.example.net.', 'one A 192.0.2.3', 'two A 192.0.2.4'],
    ...['x CAA 0 issue "y"', 'bad A 1.2.3'],
  ].join('\n');
  await page.setInputFiles('input[type=file]', {
    name: 'a.zone',
    mimeType: 'text/plain',
    buffer: Buffer.from(file),
  });
  await expect(page.getByLabel('Records or zone file')).toHaveValue(file);
  await button(page, 'Preview').click();
  await expect(page.getByText('1 record exists already.')).toBeVisible();
  await expect(page.getByText('Line 6: CAA records are not supported by the registrar')).toBeVisible();
  await expect(page.getByText('Line 7: Please enter an IPv4 address, such as 192.0.2.1')).toBeVisible();
  await expect(page.getByText('Its time to live changes from 300 seconds to 1 hour').first()).toBeVisible();
  await page.getByRole('checkbox', { name: `Add CNAME www.${address}` }).check();
  await expect(page.getByText('Changes with a problem cannot be saved. Please deselect them.')).toBeVisible();
  await page.getByRole('checkbox', { name: `Add CNAME www.${address}` }).uncheck();
  await page.getByRole('checkbox', { name: `Add A two.${address}` }).uncheck();
  await noAxeFindings(page);
  await button(page, 'Save 1 change').click();
  await expect(records(page).getByRole('row', { name: /A one/ })).toBeVisible();
  await expect(lines(page)).toHaveCount(3);

  await button(page, 'Templates').click();
  await button(page, 'Preview').click();
  await expect(page.getByText('Please choose a template')).toBeVisible();
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'Own web server' }).click();
  await page.getByLabel('IPv4 address of the server').fill('192.0.2.7');
  await noAxeFindings(page);
  await button(page, 'Preview').click();
  await expect(page.getByRole('region', { name: 'Changes', exact: true }).getByRole('listitem')).toHaveText([
    new RegExp(`^DeleteA www.${address}`),
    new RegExp(`^AddA ${address}`),
    new RegExp(`^AddA www.${address}`),
  ]);
  await button(page, 'Save 3 changes').click();
  await expect(records(page).getByRole('row', { name: /A www/ })).toContainText('192.0.2.7');
  await button(page, 'Templates').click();
  await page.getByLabel('Save these records as a template').fill('Our servers');
  await button(page, 'Save template').click();
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'Our servers' }).click();
  await button(page, 'Preview').click();
  await expect(page.getByText('Nothing would change.')).toBeVisible();
});

test('what the registrar refuses, does not answer, or cannot be read is told as it is', async ({ page }) => {
  const msp = await openMsp({ customers });
  const domain = await managedDomain(msp, [a('www', '192.0.2.1')]);
  await openZone(page, msp, domain);
  await expect(records(page)).toBeVisible();
  const add = async (subdomain: string) => {
    await button(page, 'Add').click();
    await chooseType(page, 'A');
    await page.getByLabel('Subdomain').fill(subdomain);
    await page.getByLabel('IPv4 address').fill('192.0.2.2');
    await button(page, 'Save').click();
  };
  const action = 'SET_DNS_ZONE';
  await control('registrar', 'faults', {
    action,
    domain,
    effect: 'code',
    code: 465,
    text: 'Zone is frozen',
    times: 1,
  });
  await add('one');
  await expect(page.getByRole('alert').filter({ hasText: 'Zone is frozen' })).toBeVisible();
  await expect(page.getByLabel('Subdomain')).toHaveValue('one');
  await button(page, 'Cancel').click();

  // It happened, though nobody said so.
  await control('registrar', 'faults', { action, domain, effect: 'drop-after', times: 1 });
  await add('two');
  await expect(records(page).getByRole('row', { name: /two/ })).toBeVisible();

  await control('registrar', 'faults', { action, domain, effect: 'timeout-before', times: 1 });
  await add('three');
  const unknown = 'The registrar did not confirm the change. The current state is shown; please check it.';
  await expect(page.getByText(unknown)).toBeVisible();
  await button(page, 'Cancel').click();
  await expect(lines(page)).toHaveCount(3);
  await button(page, 'History').click();
  await expect(page.getByRole('list', { name: 'Versions' })).toContainText('Not confirmed');
  await page.getByRole('button', { name: 'Close' }).click();

  const unread = await managedDomain(msp);
  const rule = { action: 'GET_DNS_ZONE', domain: unread, effect: 'code', code: 465, times: 1 };
  await control('registrar', 'faults', { ...rule, text: 'No zone today' });
  await page.goto(`/domain/${unread}/dns`);
  await expect(page.getByRole('alert').filter({ hasText: 'No zone today' })).toBeVisible();
  await noAxeFindings(page);
  await button(page, 'Try again').click();
  await expect(page.getByText('No records yet')).toBeVisible();
});

test('during a transfer only the managed DNS can be used, and its records are prepared', async ({ page }) => {
  const msp = await openMsp({ customers });
  const address = freshName('moving');
  await control('registrar', 'outside-world', { domain: address, authCode: 'Code-123456', ageDays: 400 });
  const [priced] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [{ address, period: 1 }]);
  const customerId = msp.customers[0]?.customerId;
  await api(msp.token, 'POST', 'cart/purchase', {
    domainTransfers: [{ address, customerId, period: 1, EPPCode: 'Code-123456' }],
    price: priced?.price,
  });
  await enter(page, msp, `/domain/${address}`);
  await expect(page.getByRole('tab', { name: 'Managed DNS', selected: true })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Info' })).toBeDisabled();
  await expect(page.getByRole('tab', { name: 'Advanced DNS' })).toBeDisabled();
  await expect(page.getByText('This domain is being transferred')).toBeVisible();
  await button(page, 'Add').click();
  await chooseType(page, 'A');
  await page.getByLabel('IPv4 address').fill('192.0.2.44');
  await button(page, 'Save').click();
  await expect(records(page).getByRole('row', { name: /^A @ 192\.0\.2\.44/ })).toBeVisible();
  const zone = await api<{ staged: boolean; nameservers_ok: number }>(msp.token, 'GET', `${address}/zone`);
  expect(zone).toMatchObject({ staged: true, nameservers_ok: 0 });
});

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

test('nameservers below the domain have their addresses; one family that is not touched stays', async ({
  page,
}) => {
  const msp = await openMsp({ customers });
  const address = await registerDomain(msp, 'glue');
  await enter(page, msp, `/domain/${address}?tab=advanced`);
  await expect(page.getByText('No nameservers below this domain')).toBeVisible();
  await button(page, 'Add nameserver').click();
  const dialog = page.getByRole('dialog');
  await button(page, 'Save').click();
  await expect(dialog.getByText('This field is required')).toBeVisible();
  await expect(dialog.getByText('A nameserver needs an IP address')).toBeVisible();
  await dialog.getByLabel('Subdomain').fill('ns1');
  await dialog.getByLabel('IP V4').fill('192.0.2.1');
  await dialog.getByLabel('IP V6').fill('2001:db8::zz');
  await button(page, 'Save').click();
  await expect(dialog.getByText('Please enter an IPv6 address, such as 2001:db8::1')).toBeVisible();
  await dialog.getByLabel('IP V6').fill('2001:db8::1');
  await noAxeFindings(page);
  await button(page, 'Save').click();
  const table = page.getByRole('table', { name: 'Glue nameservers' });
  await expect(table.getByRole('columnheader')).toHaveText(['Subdomain', 'IP V4', 'IP V6', 'Actions']);
  await expect(table.getByRole('cell')).toHaveText(['ns1', '192.0.2.1', '2001:db8::1', '']);
  await page.getByRole('button', { name: `Edit ns1.${address}` }).click();
  await dialog.getByLabel('Subdomain').fill('ns9');
  await dialog.getByLabel('IP V4').fill('192.0.2.9');
  await button(page, 'Save').click();
  await expect(table.getByRole('cell')).toHaveText(['ns9', '192.0.2.9', '2001:db8::1', '']);
  await page.getByRole('button', { name: `Edit ns9.${address}` }).click();
  await dialog.getByLabel('IP V6').fill('');
  await button(page, 'Save').click();
  await expect(table.getByRole('cell')).toHaveText(['ns9', '192.0.2.9', '—', '']);

  const own = { nameservers: [`ns9.${address}`, 'ns2.systemdns.com'] };
  await api(msp.token, 'POST', `${address}/nameserver/update_nameservers`, own);
  await page.reload();
  const remove = page.getByRole('button', { name: `Delete ns9.${address}` });
  await expect(remove).toHaveAttribute('aria-disabled', 'true');
  await api(msp.token, 'POST', `${address}/zone/force_dns_nameservers`);
  await page.reload();
  await expect(remove).toHaveAttribute('aria-disabled', 'false');
  await remove.click();
  await expect(dialog.getByText(`You are about to delete ns9.${address} from the registry.`)).toBeVisible();
  await button(page, 'Delete').click();
  await expect(page.getByText('No nameservers below this domain')).toBeVisible();
});
