import { expect, test } from '@playwright/test';
import sharp from 'sharp';
import { startClientPortal } from './support/client-portal.ts';
import { managedDomain } from './support/domains.ts';
import { inspect, noAxeFindings, watchConsole } from './support/inspect.ts';
import { addMember, api, newAccount, openMsp } from './support/msp.ts';
import { fillSignIn } from './support/person.ts';

/** A green square, as the MSP would upload it. */
async function uploadLogo(token: string): Promise<string> {
  const { signedUrl, keyName } = await api<{ signedUrl: string; keyName: string }>(
    token,
    'GET',
    'user/upload-logo-url/logo.png',
  );
  const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: '#1a7f4b' } });
  const body = new Uint8Array(await picture.png().toBuffer());
  await fetch(signedUrl, { method: 'PUT', headers: { 'content-type': 'image/png' }, body });
  return (await api<{ logoPath: string }>(token, 'POST', 'user/upload-logo-finish', { key: keyName }))
    .logoPath;
}

test('customers see their provider’s name and logo before and after the sign-in, the product’s nowhere, and only what is theirs', async ({
  page,
  browser,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
  const provider = msp.person.organization;
  const logoPath = await uploadLogo(msp.token);
  const { organizationId } = await api<{ organizationId: string }>(msp.token, 'GET', 'user');
  const customerId = msp.customers[0]?.customerId ?? '';
  const domain = await managedDomain(msp);
  const { person } = await addMember(msp, 'MSP_CUSTOMER', customerId);
  const portal = await startClientPortal(organizationId);
  try {
    const breaches = watchConsole(page);
    const html = await (await fetch(`${portal.url}/`)).text();
    expect(html).not.toContain('Nameward');
    await page.goto(portal.url);
    const logo = page.getByRole('banner').locator('img');
    await expect(page.getByRole('banner').getByRole('link', { name: provider })).toBeVisible();
    await expect(logo).toHaveAttribute('src', logoPath);
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
    await expect(page).toHaveTitle(`Automated domain management. · ${provider}`);
    await expect(page.getByText(`looked after by ${provider}.`)).toBeVisible();
    await inspect(page, 'landing of customers');
    await page.getByRole('button', { name: 'Account menu' }).click();
    await expect(page.getByRole('button', { name: 'Create Account' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Get Started Today' }).click();
    await fillSignIn(page, person);
    await expect(page.getByRole('link', { name: 'Contacts Who owns and manages them' })).toBeVisible();
    await inspect(page, 'start of customers');
    const screens = ['/domain/list', `/domain/${domain}/dns`, '/certificates', `/customers/${customerId}`];
    for (const path of ['/', ...screens, '/audit', '/account', '/users', '/tokens']) {
      await page.goto(`${portal.url}${path}`);
      await expect(page.locator('h1')).toHaveCount(1);
      await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0);
      await expect(page.getByText(/Nameward|Green Oak|\$\d/), path).toHaveCount(0);
      await expect(page, path).toHaveTitle(new RegExp(`· ${provider}$`));
      await expect(logo).toHaveAttribute('src', logoPath);
      // Managing users and tokens is no matter of this portal (decisions no. 13).
      if (path === '/users' || path === '/tokens') await expect(page).toHaveURL(`${portal.url}/`);
    }
    expect(breaches).toEqual([]);

    // A person without an invitation cannot create anything here.
    const stranger = await newAccount();
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(`${portal.url}/domain/list`);
    await fillSignIn(other, stranger.person);
    await expect(other.getByRole('heading', { name: 'You have no access yet' })).toBeVisible();
    await noAxeFindings(other);
    const refused = await fetch(`${portal.url}/api/user`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stranger.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'stranger', organization: 'Strangers' }),
    });
    expect(refused.status).toBe(403);
    await context.close();
  } finally {
    await portal.stop();
  }
});
