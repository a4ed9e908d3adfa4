import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { accepted, at, csrFor, finalize, openssl, orderCertificate, status } from './support/certificates.ts';
import { api, enter, openCart, openMsp, topUp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

test('a domain and its certificate in one cart, proven by DNS without a person, run a TLS server', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('secure');
  csrFor(name, 'first');
  await openCart(page, msp, [name]);
  await page.getByRole('button', { name: `Add SSL certificate for ${name}` }).click();
  await expect(page.getByText('With SSL certificate (1 year)').first()).toBeVisible();
  await expect(page.getByText('Please upload a CSR to continue').first()).toBeVisible();
  await expect(finalize(page)).toBeDisabled();

  // The first available product, for the domain's customer.
  await expect(
    page.getByRole('combobox', { name: `Provider of the certificate for ${name}` }),
  ).not.toHaveValue('');
  const owner = page
    .getByRole('region', { name: `SSL certificate for ${name}` })
    .getByRole('combobox', { name: `Owner of SSL certificate for ${name}` });
  await expect(owner).toHaveValue('Blue Fig Ltd');
  await expect(owner).toBeDisabled();

  // Business-validated products are no choice.
  await page.getByRole('combobox', { name: `Provider of the certificate for ${name}` }).click();
  await expect(page.getByRole('option', { name: /RapidSSL: RapidSSL \(/ })).toBeVisible();
  await expect(page.getByRole('option', { name: /Secure Site|EV|PremiumSSL/ })).toHaveCount(0);
  await page.keyboard.press('Escape');

  // A private key is refused in the browser, and nothing is sent.
  let sent = '';
  page.on('request', (request) => {
    sent += request.postData() ?? '';
  });
  await page.locator('input[type=file]').setInputFiles(at('first.key'));
  await expect(page.getByRole('alert')).toContainText(
    'This is a private key, not a CSR. It was refused and not stored.',
  );
  expect(sent).not.toContain('PRIVATE KEY');
  csrFor('other.com', 'other');
  await page.locator('input[type=file]').setInputFiles(at('other.csr'));
  await expect(page.getByRole('alert')).toContainText(
    'This CSR is for other.com, but the certificate is for',
  );
  openssl('req', '-in', at('first.csr'), '-outform', 'DER', '-out', at('first.der'));
  await page.locator('input[type=file]').setInputFiles(at('first.der'));
  await expect(page.getByText('CSR file: first.der')).toBeVisible();
  await page.locator('input[type=file]').setInputFiles(at('first.csr'));
  await expect(page.getByText('CSR file: first.csr')).toBeVisible();
  await expect(finalize(page)).toBeEnabled();
  await finalize(page).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

  await page.goto('/domain/list');
  await page.getByRole('link', { name: /^Status: / }).click();
  await expect(page.getByRole('heading', { name: 'Domain Validated CSR' })).toBeVisible();
  await expect(status(page, 'completed')).toBeVisible();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Certificate with chain/ }).click();
  const cert = readFileSync(await (await saving).path(), 'utf8');
  const { root } = await control<{ root: string }>('registrar', 'certificates/root');
  const key = readFileSync(at('first.key'), 'utf8');
  expect(await accepted({ cert, key, ca: root }, name)).toBe(true);
  expect(await accepted({ cert, key, ca: root }, `www.${name}`)).toBe(true);
  await expect(accepted({ cert, key, ca: root }, 'other.com')).rejects.toThrow(/altnames/);

  // The proof is a record like any other.
  const zone = await api<{ records: { TXT: { subdomain: string }[] } }>(msp.token, 'GET', `${name}/zone`);
  expect(zone.records.TXT).toEqual([expect.objectContaining({ subdomain: '_dnsauth' })]);
});

test('key and CSR made in the browser: the key is downloaded and never sent, and fits the certificate', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('made');
  await openCart(page, msp, [name]);
  let sent = '';
  page.on('request', (request) => {
    sent += request.postData() ?? '';
  });
  await page.getByRole('button', { name: `Add SSL certificate for ${name}` }).click();
  await page.getByRole('button', { name: 'Create one here' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Create and save the key' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe(`${name}.key`);
  const key = readFileSync(await download.path(), 'utf8');
  await expect(page.getByText(`CSR file: ${name}.csr`)).toBeVisible();
  expect(sent).toContain('BEGIN CERTIFICATE REQUEST');
  expect(sent).not.toContain('PRIVATE KEY');
  await finalize(page).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.goto('/certificates');
  await page.getByRole('link', { name, exact: true }).click();
  await expect(status(page, 'completed')).toBeVisible();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Certificate with chain/ }).click();
  const cert = readFileSync(await (await saved).path(), 'utf8');
  const { root } = await control<{ root: string }>('registrar', 'certificates/root');
  expect(await accepted({ cert, key, ca: root }, name)).toBe(true);
});

test('the wizard: CSR, method, every state, and what cannot be undone', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 200);
  const name = freshName('steps');
  await control('registrar', 'outside-world', { domain: name, nameservers: ['ns1.x.net', 'ns2.x.net'] });
  const orderId = await orderCertificate(msp, name, { dvAuthMethod: 'DNS' });
  await enter(page, msp, '/SSL');
  await expect(page.getByText('no order id', { exact: true })).toBeVisible();
  await page.goto(`/SSL/${orderId}`);
  await expect(page.getByRole('heading', { name: 'Domain Validated CSR' })).toBeVisible();
  for (const label of ['Input your CSR', 'Choose validation method', 'Wait for certificate'])
    await expect(page.getByRole('button', { name: new RegExp(label) })).toBeVisible();

  await page.getByRole('button', { name: /Input your CSR/ }).click();
  const field = page.getByLabel('CSR', { exact: true });
  await field.fill(csrFor('other.com', 'other'));
  await page.getByRole('button', { name: 'Validate' }).click();
  await expect(page.getByText(/This CSR is for other\.com/)).toBeVisible();
  await field.fill(readFileSync(at('other.key'), 'utf8'));
  await page.getByRole('button', { name: 'Validate' }).click();
  await expect(page.getByText(/This is a private key, not a CSR/)).toBeVisible();
  await field.fill(
    openssl(
      ...['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', at('full.key'), '-subj'],
      `/C=US/ST=New York/L=Albany/O=Acme Ltd/OU=IT/CN=${name}/emailAddress=it@acme.com`,
    ),
  );
  await page.getByRole('button', { name: 'Validate' }).click();
  const parsed = page.getByLabel('Parsed CSR');
  await expect(parsed.getByRole('term')).toHaveText([
    ...['Domain', 'Organization', 'Organization Unit', 'State', 'Locality', 'Email', 'Country'],
  ]);
  for (const fact of [name, 'Acme Ltd', 'IT', 'New York', 'Albany', 'it@acme.com', 'US'])
    await expect(parsed.getByText(fact, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: /Choose validation method/ }).click();
  await expect(page.getByText(`_dnsauth.${name}`)).toBeVisible();
  await page.getByText('HTTP file', { exact: true }).click();
  await page.getByRole('button', { name: 'Use HTTP file' }).click();
  await expect(status(page, 'awaiting approval')).toBeVisible();
  await page.getByRole('button', { name: /Choose validation method/ }).click();
  await expect(page.getByText(`http://${name}/.well-known/pki-validation/fileauth.txt`)).toBeVisible();
  await page.getByText('Email', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Approver' }).click();
  await page.getByRole('option', { name: `hostmaster@${name}`, exact: true }).click();
  await page.getByRole('button', { name: 'Use Email' }).click();
  await expect(status(page, 'awaiting approval')).toBeVisible();
  // An email that could not be sent again is not taken for one that was.
  await page.getByRole('button', { name: /Choose validation method/ }).click();
  const message = 'The registrar refused this.';
  await page.route('**/resend', (route) =>
    route.fulfill({ status: 422, json: { message, code: 'unprocessable', requestId: 'r' } }),
  );
  await page.getByRole('button', { name: 'Resend the email' }).click();
  await expect(page.getByRole('status').filter({ hasText: message })).toBeVisible();
  await page.unroute('**/resend');
  await page.getByRole('button', { name: 'Resend the email' }).click();
  await expect(page.getByText('The email was sent again.')).toBeVisible();
  await page.getByRole('button', { name: /Wait for certificate/ }).click();

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

  const other = freshName('ends');
  const declined = await orderCertificate(msp, other, { dvAuthMethod: 'DNS' });
  await control('registrar', 'certificates/decline', { orderId: declined, reason: 'Not this name' });
  await page.goto(`/SSL/${declined}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  await expect(status(page, 'declined')).toBeVisible();
  await expect(page.getByText('The certificate authority says: Not this name')).toBeVisible();
  const cancelled = await orderCertificate(msp, freshName('gone'), { dvAuthMethod: 'File' });
  await page.goto(`/SSL/${cancelled}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  await page.getByRole('button', { name: 'Cancel order' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
  await expect(status(page, 'cancelled')).toBeVisible();
  await page.goto('/SSL/99');
  await expect(page.getByRole('alert')).toContainText('This could not be found.');
});
