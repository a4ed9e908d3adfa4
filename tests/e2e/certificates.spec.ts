import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { endTermIn, startJob } from './support/database.ts';
import { editZone, managedDomain, registerDomain } from './support/domains.ts';
import { api, enter, type Msp, openCart, openMsp, topUp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

const dir = mkdtempSync(join(tmpdir(), 'ssl-'));
test.afterAll(() => rmSync(dir, { recursive: true, force: true }));
const at = (name: string) => join(dir, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' }).toString();

function csrFor(name: string, stem: string): string {
  const pem = openssl(
    ...['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', at(`${stem}.key`), '-subj', `/CN=${name}`],
  );
  writeFileSync(at(`${stem}.csr`), pem);
  return pem;
}

const finalize = (page: Page) => page.getByRole('button', { name: 'Finalize Purchase' });
const status = (page: Page, words: string) => page.getByText(`Status: ${words}`, { exact: true });

/** A certificate ordered through the API: where the cart is not what is tested. */
async function order(msp: Msp, domain: string, more: object = {}): Promise<string> {
  const prices = await api<{ productType: string; pricePerYear: number }[]>(msp.token, 'GET', 'ssl/prices');
  const price = prices.find(({ productType }) => productType === 'rapidssl')?.pricePerYear ?? 0;
  const line = {
    domain,
    provider: 'RapidSSL',
    productType: 'rapidssl',
    period: 1,
    csr: csrFor(domain, domain),
  };
  const customerId = msp.customers[0]?.customerId;
  await api(msp.token, 'POST', 'cart/purchase', { certificates: [{ ...line, customerId, ...more }], price });
  const rows = await api<{ address: string; orderId: string }[]>(msp.token, 'GET', 'ssl');
  return rows.find(({ address }) => address === domain)?.orderId ?? '';
}

/** Whether a client that trusts the root accepts a server that uses these files. */
function accepted(files: { cert: string; key: string; ca: string }, servername: string): Promise<boolean> {
  const server = createServer({ cert: files.cert, key: files.key }, (socket) => socket.end());
  return new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const client = connect({ port, host: '127.0.0.1', ca: files.ca, servername }, () => {
        resolve(client.authorized);
        client.end();
        server.close();
      });
      client.on('error', (error) => {
        server.close();
        reject(error);
      });
    });
  });
}

test('a domain and its certificate in one cart, proven by DNS without a person, run a TLS server', async ({
  page,
}) => {
  test.setTimeout(60_000);
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('secure');
  csrFor(name, 'first');
  await enter(page, msp);
  await openCart(page, msp, [name]);
  await page.getByRole('button', { name: `Add SSL certificate for ${name}` }).click();
  await expect(page.getByText('With SSL certificate (1 year)').first()).toBeVisible();
  await expect(page.getByText('Please upload a CSR to continue').first()).toBeVisible();
  await expect(finalize(page)).toBeDisabled();

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
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

  await page.goto('/domain/list');
  await page.getByRole('link', { name: /^Status: / }).click();
  await expect(page.getByRole('heading', { name: 'Domain Validated CSR' })).toBeVisible();
  await expect(status(page, 'completed')).toBeVisible({ timeout: 30_000 });
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
  await enter(page, msp);
  await openCart(page, msp, [name]);
  let sent = '';
  page.on('request', (request) => {
    sent += request.postData() ?? '';
  });
  await page.getByRole('button', { name: `Add SSL certificate for ${name}` }).click();
  await page.getByRole('button', { name: 'Make one here' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Make and save the key' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe(`${name}.key`);
  const key = readFileSync(await download.path(), 'utf8');
  await expect(page.getByText(`CSR file: ${name}.csr`)).toBeVisible();
  expect(sent).toContain('BEGIN CERTIFICATE REQUEST');
  expect(sent).not.toContain('PRIVATE KEY');
  await finalize(page).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.goto('/certificates');
  await page.getByRole('link', { name: new RegExp(name.split('.')[0] ?? '') }).click();
  await expect(status(page, 'completed')).toBeVisible({ timeout: 30_000 });
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Certificate with chain/ }).click();
  const cert = readFileSync(await (await saved).path(), 'utf8');
  const { root } = await control<{ root: string }>('registrar', 'certificates/root');
  expect(await accepted({ cert, key, ca: root }, name)).toBe(true);
});

test('the wizard: CSR, method, every state, and what cannot be undone', async ({ page }) => {
  test.setTimeout(90_000);
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 200);
  const name = freshName('steps');
  await control('registrar', 'outside-world', { domain: name, nameservers: ['ns1.x.net', 'ns2.x.net'] });
  const orderId = await order(msp, name, { dvAuthMethod: 'DNS' });
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
  for (const fact of [name, 'Acme Ltd', 'IT', 'New York', 'Albany', 'it@acme.com', 'US'])
    await expect(parsed.getByText(fact, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: /Choose validation method/ }).click();
  await expect(page.getByText(`_dnsauth.${name}`)).toBeVisible({ timeout: 15_000 });
  await page.getByText('HTTP file', { exact: true }).click();
  await page.getByRole('button', { name: 'Use HTTP file' }).click();
  await expect(status(page, 'awaiting approval')).toBeVisible();
  await page.getByRole('button', { name: /Choose validation method/ }).click();
  await expect(page.getByText(`http://${name}/.well-known/pki-validation/fileauth.txt`)).toBeVisible();
  await page.getByText('E-mail', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Approver' }).click();
  await page.getByRole('option', { name: `hostmaster@${name}`, exact: true }).click();
  await page.getByRole('button', { name: 'Use E-mail' }).click();
  await expect(status(page, 'awaiting approval')).toBeVisible();

  // The approver's click, in his mailbox; then the authority takes its time.
  await control('registrar', 'knobs', { certificateIssueMs: 4_000 });
  await expect(async () => {
    const mails = await control<{ links: string[] }[]>('mail', 'messages', { to: `hostmaster@${name}` });
    await fetch(mails[0]?.links[0] ?? '', { method: 'POST' });
  }).toPass({ timeout: 15_000 });
  await expect(status(page, 'in progress')).toBeVisible({ timeout: 20_000 });
  await control('registrar', 'knobs', { certificateIssueMs: 500 });
  await expect(status(page, 'completed')).toBeVisible({ timeout: 20_000 });
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
  const declined = await order(msp, other, { dvAuthMethod: 'DNS' });
  await control('registrar', 'certificates/decline', { orderId: declined, reason: 'Not this name' });
  await page.goto(`/SSL/${declined}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  await expect(status(page, 'declined')).toBeVisible({ timeout: 15_000 });
  await expect(page.getByText('The authority says: Not this name')).toBeVisible();
  const cancelled = await order(msp, freshName('gone'), { dvAuthMethod: 'File' });
  await page.goto(`/SSL/${cancelled}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  await page.getByRole('button', { name: 'Cancel order' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
  await expect(status(page, 'cancelled')).toBeVisible();
  await page.goto('/SSL/99');
  await expect(page.getByRole('alert')).toContainText('This could not be found.');
});

test('the lists: what expires, what is flagged and what to do; purchase from the list, and its failure', async ({
  page,
}) => {
  test.setTimeout(90_000);
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('listed');
  await enter(page, msp);
  await openCart(page, msp, [name]);
  await finalize(page).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

  await page.goto('/domain/list');
  const buy = page.getByRole('link', { name: `Purchase SSL Certificate for ${name}` });
  await page.route('**/api/ssl/prices', (route) => route.fulfill({ status: 500, body: '{}' }));
  await buy.click();
  await expect(page.getByRole('alert')).toHaveText('Could not get certificate price data, please try again', {
    timeout: 20_000,
  });
  await page.unroute('**/api/ssl/prices');
  await page.goto(`/customers/${msp.customers[0]?.customerId}/domains`);
  await page.getByRole('link', { name: `Purchase SSL Certificate for ${name}` }).click();
  await expect(page.getByRole('heading', { name: 'Finalize domain purchase' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: `Owner of ${name}` })).toBeDisabled();

  const orderId = await order(msp, name);
  await page.goto(`/SSL/${orderId}`);
  await expect(status(page, 'completed')).toBeVisible({ timeout: 30_000 });
  // What nobody can prove by itself: a person is told what to do.
  const [late, over, open] = [freshName('soon'), freshName('over'), freshName('open')];
  await order(msp, open, { dvAuthMethod: 'File' });
  for (const [domain, expiresInDays] of [
    [late, 5],
    [over, -1],
  ] as const) {
    const id = await order(msp, domain, { dvAuthMethod: 'File' });
    await control('registrar', 'certificates/dates', { orderId: id, expiresInDays });
    await page.goto(`/SSL/${id}`);
    await page.getByRole('button', { name: /Wait for certificate/ }).click();
    await expect(status(page, domain === over ? 'expired' : 'completed')).toBeVisible({ timeout: 20_000 });
  }
  await page.goto('/certificates');
  const row = (domain: string) => page.getByRole('row', { name: new RegExp(domain.split('.')[0] ?? '') });
  await expect(row(name)).toContainText('completed');
  await expect(row(name)).toContainText(`www.${name}`);
  await expect(row(open)).toContainText('awaiting approval');
  await expect(row(over)).toContainText('This certificate has expired. Order a new one and install it.');
  await expect(row(late)).toContainText('Reissue it now; that is free inside the order term.');
  await page.getByRole('switch', { name: 'Needs attention' }).click();
  await expect(row(open)).toHaveCount(0);
  await expect(row(over)).toBeVisible();
  await page.goto(`/customers/${msp.customers[0]?.customerId}/certificates`);
  await expect(page.getByRole('row', { name: new RegExp(name.split('.')[0] ?? '') })).toContainText(
    'completed',
  );
});

test('flags: the term ends, the validity shrinks, the proof is gone, a record is awaited; each says what to do', async ({
  page,
}) => {
  test.setTimeout(90_000);
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 100);
  const [term, shrinks] = [freshName('term'), freshName('shrinks')];
  const dates = {
    [term]: { expiresInDays: 40 },
    // Issued by rules that allowed more than those of its next reissue do.
    [shrinks]: { expiresInDays: 60, validFrom: '2026-03-01' },
  };
  for (const [domain, of] of Object.entries(dates)) {
    const orderId = await order(msp, domain, { dvAuthMethod: 'File' });
    await control('registrar', 'certificates/dates', { orderId, ...of });
    if (domain === term) await endTermIn(40, orderId);
  }
  const [proof, awaited] = [await managedDomain(msp), await registerDomain(msp, 'awaited')];
  await api(msp.token, 'POST', `${awaited}/nameserver/update_nameservers`, {
    nameservers: ['ns1.x.net', 'ns2.x.net'],
  });
  await order(msp, awaited, { dvAuthMethod: 'DNS' });
  const proven = await order(msp, proof, { dvAuthMethod: 'DNS' });
  await enter(page, msp, `/SSL/${proven}`);
  await expect(status(page, 'completed')).toBeVisible({ timeout: 30_000 });
  const zone = await api<{ records: { TXT: object[] } }>(msp.token, 'GET', `${proof}/zone`);
  await editZone(msp, proof, [{ type: 'TXT', action: 'remove', ...zone.records.TXT[0] }]);
  const { organizationId } = await api<{ organizationId: string }>(msp.token, 'GET', 'user');
  const { certificateId } = await api<{ certificateId: string }>(msp.token, 'GET', `ssl/order/${proven}`);
  await startJob('certificates.sync', { organisationId: organizationId, certificateId });

  const texts = {
    [term]: /The order term ends on .* no further reissue\. Renew the certificate before\./,
    [shrinks]: /will be valid for (200|100|47) days at most.*let the portal validate by DNS/,
    [proof]: /The DNS record that proves control .* is gone.* Put it back or move the DNS to us\./,
    [awaited]: /The DNS record that proves control .* cannot be seen\. Add it, or choose another method\./,
  };
  const row = (domain: string) => page.getByRole('row', { name: new RegExp(domain.split('.')[0] ?? '') });
  for (const [domain, text] of Object.entries(texts)) {
    await expect(async () => {
      await page.goto('/certificates?kind=attention');
      await expect(row(domain)).toContainText(text, { timeout: 3_000 });
    }).toPass({ timeout: 30_000 });
  }
  await expect(page.getByRole('row')).toHaveCount(5);
  // The most urgent stands in the list, the others on its page.
  await row(proof).getByRole('link').first().click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Put it back or move the DNS to us.' }),
  ).toBeVisible();
  await page.goto('/certificates');
  await row(term).getByRole('link').first().click();
  await expect(page.getByText('None: the order term ends first')).toBeVisible();
  await page.getByRole('button', { name: 'Renew' }).click();
  await expect(page).toHaveURL('/cart');
  await expect(page.getByRole('region', { name: term })).toContainText('With SSL certificate (1 year)');
});

test('the SSL column: the state, a declined order counts as none, and no owner is told', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [waits, declined] = [await registerDomain(msp, 'waits'), await registerDomain(msp, 'refused')];
  await order(msp, waits, { dvAuthMethod: 'File' });
  const orderId = await order(msp, declined, { dvAuthMethod: 'File' });
  await control('registrar', 'certificates/decline', { orderId, reason: 'Not this name' });
  await enter(page, msp, `/SSL/${orderId}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  await expect(status(page, 'declined')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText('What was charged goes back to your balance.')).toBeVisible();
  await page.goto('/domain/list');
  await expect(page.getByRole('link', { name: 'Status: awaiting approval' })).toBeVisible();
  await expect(page.getByRole('link', { name: `Purchase SSL Certificate for ${declined}` })).toBeVisible();

  await page.route('**/api/domain?*', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: { customerId: string | null }[] };
    for (const domain of body.data) domain.customerId = null;
    await route.fulfill({ json: body });
  });
  await page.reload();
  await page.getByRole('link', { name: `Purchase SSL Certificate for ${declined}` }).click();
  await expect(page.getByRole('alert')).toHaveText(
    'Could not get owner data for this domain, please try again',
  );
  await expect(page).toHaveURL(/\/domain\/list/);

  // P1 §5: when nothing is on offer that is logged, and nothing else happens.
  await page.unroute('**/api/domain?*');
  await page.route('**/api/ssl/prices', (route) => route.fulfill({ json: { data: [] } }));
  const logged = page.waitForEvent('console', (message) => message.text() === 'No certificates available');
  await page.reload();
  await page.getByRole('link', { name: `Purchase SSL Certificate for ${declined}` }).click();
  await logged;
  await expect(page).toHaveURL(/\/domain\/list/);
});

test('axe finds nothing on the wizard, the lists and the cart with a certificate, light and dark, wide and narrow', async ({
  page,
}) => {
  test.setTimeout(90_000);
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('axe');
  const orderId = await order(msp, name, { dvAuthMethod: 'DNS' });
  await enter(page, msp);
  await openCart(page, msp, [name]);
  await page.getByRole('button', { name: `Add SSL certificate for ${name}` }).click();
  await expect(page.getByText('Please upload a CSR to continue').first()).toBeVisible();
  for (const path of ['/cart', `/SSL/${orderId}`, '/certificates']) {
    await page.goto(path);
    await expect(page.getByText(name.split('.')[0] ?? '').first()).toBeVisible();
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 900 });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
    }
  }
});
