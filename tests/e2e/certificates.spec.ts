import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { accepted, at, csrFor, finalize, openssl, orderCertificate, status } from './support/certificates.ts';
import { inspect } from './support/inspect.ts';
import { api, enter, openCart, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

test('a domain and its certificate in one cart, proven by DNS without a person, run a TLS server; its key is made in the browser and leaves it from no field', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('secure');
  csrFor(name, 'first');
  const bodies: string[] = [];
  page.on('request', (request) => bodies.push(request.postData() ?? ''));
  await openCart(page, msp, [name]);
  await page.getByRole('button', { name: `Add SSL certificate for ${name}` }).click();
  await expect(page.getByText('With SSL certificate (1 year)').first()).toBeVisible();
  await expect(page.getByText('Please upload a CSR to continue').first()).toBeVisible();
  await expect(finalize(page)).toBeDisabled();
  await inspect(page, 'cart with a certificate');

  // A private key is refused in the browser.
  const upload = (file: string) => page.locator('input[type=file]').setInputFiles(at(file));
  await upload('first.key');
  await expect(page.getByRole('alert')).toContainText(
    'This is a private key, not a CSR. It was refused and not stored.',
  );
  await page.getByRole('button', { name: 'Paste CSR' }).click();
  const paste = page.getByRole('dialog', { name: 'Paste CSR' });
  const first = readFileSync(at('first.key'), 'utf8');
  await paste.getByLabel('CSR').fill(first);
  await paste.getByRole('button', { name: 'Use this CSR' }).click();
  await expect(paste.getByText(/This is a private key, not a CSR/)).toBeVisible();
  await paste.getByRole('button', { name: 'Cancel' }).click();
  csrFor('other.com', 'other');
  await upload('other.csr');
  await expect(page.getByRole('alert')).toContainText(
    'This CSR is for other.com, but the certificate is for',
  );
  openssl('req', '-in', at('first.csr'), '-outform', 'DER', '-out', at('first.der'));
  await upload('first.der');
  await expect(page.getByText('CSR file: first.der')).toBeVisible();
  await expect(finalize(page)).toBeEnabled();

  await page.getByRole('button', { name: 'Create one here' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Create and save the key' }).click();
  expect((await saving).suggestedFilename()).toBe(`${name}.key`);
  const key = readFileSync(await (await saving).path(), 'utf8');
  await expect(page.getByText(`CSR file: ${name}.csr`)).toBeVisible();
  await finalize(page).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

  await page.goto('/domain/list');
  await page.getByRole('link', { name: /^Status: / }).click();
  await expect(page.getByRole('heading', { name: 'Domain Validated CSR' })).toBeVisible();
  await expect(status(page, 'completed')).toBeVisible();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Certificate with chain/ }).click();
  const cert = readFileSync(await (await saved).path(), 'utf8');
  const { root } = await control<{ root: string }>('registrar', 'certificates/root');
  expect(await accepted({ cert, key, ca: root }, name)).toBe(true);
  expect(await accepted({ cert, key, ca: root }, `www.${name}`)).toBe(true);
  await expect(accepted({ cert, key, ca: root }, 'other.com')).rejects.toThrow(/altnames/);

  // The proof is a record like any other.
  const zone = await api<{ records: { TXT: { subdomain: string }[] } }>(msp.token, 'GET', `${name}/zone`);
  expect(zone.records.TXT).toEqual([expect.objectContaining({ subdomain: '_dnsauth' })]);
  const secrets = [first, key].map((pem) => pem.split('\n')[1] ?? 'no key');
  expect(bodies.join()).toContain('BEGIN CERTIFICATE REQUEST');
  for (const part of ['PRIVATE KEY', ...secrets]) expect(bodies.join()).not.toContain(part);
});

test('the wizard: CSR, method, the approver’s click, and what cannot be undone', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('steps');
  const orderId = await orderCertificate(msp, name, { dvAuthMethod: 'DNS' });
  await enter(page, msp, `/SSL/${orderId}`);
  await page.getByRole('button', { name: /Input your CSR/ }).click();
  await page.getByLabel('CSR', { exact: true }).fill(csrFor(name, 'again'));
  await page.getByRole('button', { name: 'Validate' }).click();
  await expect(page.getByLabel('Parsed CSR').getByText(name, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: /Choose validation method/ }).click();
  await expect(page.getByText(`_dnsauth.${name}`)).toBeVisible();
  await page.getByText('Email', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Approver' }).click();
  await page.getByRole('option', { name: `hostmaster@${name}`, exact: true }).click();
  await page.getByRole('button', { name: 'Use Email' }).click();
  await expect(status(page, 'awaiting approval')).toBeVisible();
  await inspect(page, 'certificate that waits');

  // The approver's click, in their mailbox. Then the authority takes its time: several readings of the screen.
  await control('registrar', 'knobs', { certificateIssueMs: 15_000 });
  await expect(async () => {
    const mails = await control<{ links: string[] }[]>('mail', 'messages', { to: `hostmaster@${name}` });
    await fetch(mails[0]?.links[0] ?? '', { method: 'POST' });
  }).toPass();
  await expect(status(page, 'in progress')).toBeVisible();
  await control('registrar', 'knobs', { certificateIssueMs: 500 });
  await expect(status(page, 'completed')).toBeVisible();
  await expect(page.getByLabel('Certificate', { exact: true }).getByText('Order term ends')).toBeVisible();

  await page.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(/cannot be undone/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Revoke for good' }).click();
  await expect(dialog.getByRole('alert')).toContainText(`Type ${name} to confirm.`);
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
  await dialog.getByRole('button', { name: 'Revoke for good' }).click();
  await expect(status(page, 'revoked')).toBeVisible();
});
