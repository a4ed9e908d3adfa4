import { expect, test } from '@playwright/test';
import type { CertificateRow } from '#contracts/operations/certificates.ts';
import { finalize, orderCertificate, status } from './support/certificates.ts';
import { endTermIn, startJob } from './support/database.ts';
import { editZone, managedDomain, registerDomain } from './support/domains.ts';
import { noAxeFindings } from './support/inspect.ts';
import { api, enter, openCart, openMsp, topUp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

test('the lists: what expires, what is flagged and what to do; purchase from the list, and its failure', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('listed');
  await openCart(page, msp, [name]);
  await finalize(page).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

  await page.goto('/domain/list');
  const buy = page.getByRole('link', { name: `Purchase SSL Certificate for ${name}` });
  await page.route('**/api/ssl/prices', (route) => route.fulfill({ status: 500, body: '{}' }));
  await buy.click();
  await expect(page.getByRole('alert')).toHaveText('Could not get certificate price data, please try again');
  await page.unroute('**/api/ssl/prices');
  await page.goto(`/customers/${msp.customers[0]?.customerId}/domains`);
  await page.getByRole('link', { name: `Purchase SSL Certificate for ${name}` }).click();
  await expect(page.getByRole('heading', { name: 'Finalize domain purchase' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: `Owner of SSL certificate for ${name}` })).toBeDisabled();

  const orderId = await orderCertificate(msp, name);
  await page.goto(`/SSL/${orderId}`);
  await expect(status(page, 'completed')).toBeVisible();
  // What nobody can prove by itself: a person is told what to do.
  const [late, over, open] = [freshName('soon'), freshName('over'), freshName('open')];
  await orderCertificate(msp, open, { dvAuthMethod: 'File' });
  for (const [domain, expiresInDays] of [
    [late, 5],
    [over, -1],
  ] as const) {
    const id = await orderCertificate(msp, domain, { dvAuthMethod: 'File' });
    await control('registrar', 'certificates/dates', { orderId: id, expiresInDays });
    await page.goto(`/SSL/${id}`);
    await page.getByRole('button', { name: /Wait for certificate/ }).click();
    await expect(status(page, domain === over ? 'expired' : 'completed')).toBeVisible();
  }
  await page.goto('/certificates');
  const row = (domain: string) => page.getByRole('row', { name: new RegExp(domain.split('.')[0] ?? '') });
  await expect(row(name)).toContainText('Valid');
  await expect(row(name)).toContainText(`www.${name}`);
  await expect(row(open)).toContainText('Awaiting approval');
  // One state, the worse of order and validity.
  await expect(row(over).getByText('Expired', { exact: true })).toBeVisible();
  await expect(row(over)).not.toContainText('completed');
  await expect(row(over).getByRole('link', { name: `Renew: ${over}` })).toBeVisible();
  await expect(row(late).getByText(/^[45] days left$/)).toBeVisible();
  await expect(row(over)).toContainText('This certificate has expired. Order a new one and install it.');
  await expect(row(late)).toContainText('Reissue it now. This is free within the order term.');
  const bands = page.getByRole('group', { name: 'Bands' });
  await expect(bands.getByRole('button')).toHaveText(['Needs attention3', 'On their way1']);
  await bands.getByRole('button', { name: /^On their way/ }).click();
  await expect(page).toHaveURL(/kind=open/);
  await expect(row(over)).toHaveCount(0);
  await expect(row(open)).toBeVisible();
  await bands.getByRole('button', { name: /^Needs attention/ }).click();
  await expect(row(open)).toHaveCount(0);
  await expect(row(over)).toBeVisible();
  await page.goto(`/customers/${msp.customers[0]?.customerId}/certificates`);
  await expect(page.getByRole('row', { name: new RegExp(name.split('.')[0] ?? '') })).toContainText('Valid');
});

test('flags: the term ends, the validity shrinks, the proof is gone, a record is awaited; each says what to do', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 100);
  const [term, shrinks] = [freshName('term'), freshName('shrinks')];
  const dates = {
    [term]: { expiresInDays: 40 },
    // Issued by rules that allowed more than those of its next reissue do.
    [shrinks]: { expiresInDays: 60, validFrom: '2026-03-01' },
  };
  for (const [domain, of] of Object.entries(dates)) {
    const orderId = await orderCertificate(msp, domain, { dvAuthMethod: 'File' });
    await control('registrar', 'certificates/dates', { orderId, ...of });
    if (domain === term) await endTermIn(40, orderId);
  }
  const [proof, awaited] = [await managedDomain(msp), await registerDomain(msp, 'awaited')];
  await api(msp.token, 'POST', `${awaited}/nameserver/update_nameservers`, {
    nameservers: ['ns1.x.net', 'ns2.x.net'],
  });
  await orderCertificate(msp, awaited, { dvAuthMethod: 'DNS' });
  const proven = await orderCertificate(msp, proof, { dvAuthMethod: 'DNS' });
  await enter(page, msp, `/SSL/${proven}`);
  await expect(status(page, 'completed')).toBeVisible();
  const zone = await api<{ records: { TXT: object[] } }>(msp.token, 'GET', `${proof}/zone`);
  await editZone(msp, proof, [{ type: 'TXT', action: 'remove', ...zone.records.TXT[0] }]);
  const { organizationId } = await api<{ organizationId: string }>(msp.token, 'GET', 'user');
  const { certificateId } = await api<{ certificateId: string }>(msp.token, 'GET', `ssl/order/${proven}`);
  await startJob('certificates.sync', { organisationId: organizationId, certificateId });

  const texts: Record<string, RegExp> = {
    [term]: /The order term ends on .* no further reissue is possible\. Renew the certificate before then\./,
    [shrinks]: /will be valid for (200|100|47) days at most.*let the portal validate by DNS/,
    [proof]: /The DNS record that proves control .* is gone.* Restore the record, or move the DNS to us\./,
    [awaited]: /The DNS record that proves control .* is not visible\. Add it, or choose another method\./,
  };
  const row = (domain: string) => page.getByRole('row', { name: new RegExp(domain.split('.')[0] ?? '') });
  // The jobs that read the registrar and DNS take their time; the page shows what they have found when it is opened.
  const flagged = async () => {
    const found = await api<CertificateRow[]>(msp.token, 'GET', 'ssl');
    // A new certificate may have a flag of its own before: that its next one will be shorter.
    return found
      .filter(({ address, flags }) => flags.some(({ text }) => texts[address]?.test(text)))
      .map(({ address }) => address);
  };
  await expect.poll(flagged).toEqual(expect.arrayContaining(Object.keys(texts)));
  await page.goto('/certificates?kind=attention');
  for (const [domain, text] of Object.entries(texts)) await expect(row(domain)).toContainText(text);
  await expect(page.getByRole('row')).toHaveCount(5);
  // The most urgent stands in the list, the others on its page.
  await row(proof).getByRole('link').first().click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Restore the record, or move the DNS to us.' }),
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
  await orderCertificate(msp, waits, { dvAuthMethod: 'File' });
  const orderId = await orderCertificate(msp, declined, { dvAuthMethod: 'File' });
  await control('registrar', 'certificates/decline', { orderId, reason: 'Not this name' });
  await enter(page, msp, `/SSL/${orderId}`);
  await page.getByRole('button', { name: /Wait for certificate/ }).click();
  await expect(status(page, 'declined')).toBeVisible();
  await expect(page.getByText('The charge is returned to your balance.')).toBeVisible();
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
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('axe');
  const orderId = await orderCertificate(msp, name, { dvAuthMethod: 'DNS' });
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
      await noAxeFindings(page);
    }
  }
});
