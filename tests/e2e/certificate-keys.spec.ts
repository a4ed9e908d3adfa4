import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { at, csrFor, finalize, orderCertificate, status } from './support/certificates.ts';
import { managedDomain } from './support/domains.ts';
import { enter, openCartWith, openMsp, topUp } from './support/msp.ts';
import { freshName } from './support/person.ts';

const customers = ['Blue Fig Ltd'];
/** Said of a call that got no answer. */
const noAnswer = 'Something went wrong';

test('a private key leaves the browser from no field: not by validating, reissuing, pasting or uploading', async ({
  page,
}) => {
  const msp = await openMsp({ customers });
  await topUp(msp.token, 100);
  const name = await managedDomain(msp);
  const orderId = await orderCertificate(msp, name, { dvAuthMethod: 'DNS' });
  const bodies: string[] = [];
  page.on('request', (request) => bodies.push(request.postData() ?? ''));
  await enter(page, msp, `/SSL/${orderId}`);
  await expect(status(page, 'completed')).toBeVisible();
  // A switch that cannot be saved says why.
  await page.route('**/auto-reissue', (route) => route.abort());
  const auto = page.getByRole('switch', { name: 'Reissue automatically within the order term' });
  const before = await auto.isChecked();
  await auto.click({ force: true });
  await expect(page.getByRole('alert').filter({ hasText: noAnswer })).toBeVisible();
  await expect(auto).toBeChecked({ checked: before });
  await page.getByRole('button', { name: /Input your CSR/ }).click();
  const field = page.getByLabel('CSR', { exact: true });
  const reissue = page.getByRole('button', { name: 'Reissue with this CSR' });
  const next = csrFor(name, `next-${name}`);
  const key = readFileSync(at(`next-${name}.key`), 'utf8');
  await field.fill(next);
  await expect(reissue).toHaveCount(0);
  await page.getByRole('button', { name: 'Validate' }).click();
  await expect(reissue).toBeVisible();
  // What was read belongs to what was typed then.
  await field.fill(key);
  await expect(reissue).toHaveCount(0);
  await expect(page.getByLabel('Parsed CSR')).toHaveCount(0);
  await page.getByRole('button', { name: 'Validate' }).click();
  await expect(page.getByText(/This is a private key, not a CSR/)).toBeVisible();
  await expect(reissue).toHaveCount(0);
  // A request with a key behind it, without the lines around the key.
  await field.fill(`${next}\n${key.replace(/-----.*-----/g, '')}`);
  await page.getByRole('button', { name: 'Validate' }).click();
  await expect(page.getByText(/This is a private key, not a CSR/)).toBeVisible();

  const other = freshName('upload');
  const customerId = msp.customers[0]?.customerId;
  const item = {
    type: 'certificate',
    address: other,
    customerId,
    provider: 'RapidSSL',
    productType: 'rapidssl',
  };
  await openCartWith(page, msp, [{ ...item, csr: '', csrName: '' }]);
  const upload = async (buffer: Buffer, fileName: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload CSR' }).click();
    await (await chooser).setFiles({ name: fileName, mimeType: 'text/plain', buffer });
  };
  await upload(Buffer.from(`\ufeff${csrFor(other, other)}`, 'utf16le'), 'windows.csr');
  await expect(page.getByText('CSR file: windows.csr')).toBeVisible();
  await expect(finalize(page)).toBeEnabled();

  // A CSR made here that could not be checked: the dialog says so, and no key is saved that would fit nothing.
  const keys: string[] = [];
  page.on('download', (download) => keys.push(download.suggestedFilename()));
  await page.route('**/parsecsr', (route) => route.abort());
  await page.getByRole('button', { name: 'Create one here' }).click();
  const create = page.getByRole('button', { name: 'Create and save the key' });
  await create.click();
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText(noAnswer);
  await page.unroute('**/parsecsr');
  const saving = page.waitForEvent('download');
  await create.click();
  await expect(page.getByText(`CSR file: ${other}.csr`)).toBeVisible();
  await saving;
  expect(keys).toEqual([`${other}.key`]);

  // Another provider that is chosen while a CSR is being checked stays chosen, and the CSR is checked for it.
  const checks: string[] = [];
  const chosen = Promise.withResolvers<void>();
  await page.route('**/parsecsr', async (route) => {
    checks.push((route.request().postDataJSON() as { productType: string }).productType);
    await chosen.promise;
    await route.continue();
  });
  await upload(Buffer.from(csrFor(other, other)), 'late.csr');
  const provider = page.getByRole('combobox', { name: /^Provider of the certificate/ });
  await provider.click();
  await page.getByRole('option', { name: /SSL123/ }).click();
  chosen.resolve();
  await expect(page.getByText('CSR file: late.csr')).toBeVisible();
  await expect(provider).toHaveValue(/SSL123/);
  expect(checks).toEqual(['rapidssl', 'ssl123']);
  await page.unroute('**/parsecsr');

  // What is refused takes the place of what was there: the earlier file is not bought by mistake.
  await upload(Buffer.from(key), 'server.key');
  await expect(page.getByText(/This is a private key, not a CSR/)).toBeVisible();
  await expect(page.getByText('Please upload a CSR to continue').first()).toBeVisible();
  await expect(finalize(page)).toBeDisabled();
  await page.getByRole('button', { name: 'Paste CSR' }).click();
  const dialog = page.getByRole('dialog', { name: 'Paste CSR' });
  await dialog.getByLabel('CSR').fill(key);
  await dialog.getByRole('button', { name: 'Use this CSR' }).click();
  await expect(dialog.getByText(/This is a private key, not a CSR/)).toBeVisible();
  // A click beside the dialog loses nothing that was typed.
  await page.mouse.click(5, 5);
  await expect(dialog.getByLabel('CSR')).toHaveValue(key);

  const secret = key.split('\n')[3] ?? 'no key';
  expect(bodies.filter((body) => body.includes('PRIVATE KEY') || body.includes(secret))).toEqual([]);
});

test('with DNS elsewhere the record to set is shown where the waiting is', async ({ page }) => {
  const msp = await openMsp({ customers });
  await topUp(msp.token, 100);
  const name = freshName('elsewhere');
  const orderId = await orderCertificate(msp, name, { dvAuthMethod: 'DNS' });
  await enter(page, msp, `/SSL/${orderId}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  const todo = page.getByRole('region', { name: 'Next steps' });
  await expect(todo.getByText(`_dnsauth.${name}`)).toBeVisible();
});
