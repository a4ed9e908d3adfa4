import { expect, type Locator, type Page, test } from '@playwright/test';
import { orderCertificate, status } from './support/certificates.ts';
import { editZone, managedDomain } from './support/domains.ts';
import { noAxeFindings } from './support/inspect.ts';
import { api, enter, openMsp, topUp } from './support/msp.ts';

/**
 * The jobs of a help desk, each from the start screen. A click and a key (a shortcut is one) count; what is typed or
 * pasted as text is the name of the thing and counts once with its key.
 */
function counting(page: Page) {
  let count = 0;
  return {
    click: async (what: Locator) => {
      count += 1;
      await what.click();
    },
    key: async (key: string) => {
      count += 1;
      await page.keyboard.press(key);
    },
    paste: async (text: string) => {
      count += 1;
      await page.evaluate((value) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', value);
        const options = { clipboardData, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new ClipboardEvent('paste', options));
      }, text);
    },
    count: () => count,
  };
}

/** Goes to a domain by name: the search and Enter, two keys. */
async function goTo(page: Page, hand: ReturnType<typeof counting>, name: string) {
  await expect(page.getByText('Needs attention')).toBeVisible();
  await expect(page.getByLabel('Search your next domain')).toBeVisible();
  await hand.key('Control+k');
  await expect(page.getByRole('combobox', { expanded: true })).toBeFocused();
  await page.keyboard.insertText(name);
  // The domain itself, not the offer to buy the name.
  await expect(page.getByRole('option', { name: new RegExp(`^${name}`) }).first()).toBeVisible();
  await hand.key('Enter');
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

test('the customer of a domain is found in at most 2 clicks and keys; who changed a record is seen and it is put back, and a DKIM record is added as a vendor shows it, in at most 5', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const fields = { type: 'A', subdomain: 'www' };
  const name = await managedDomain(msp, [{ ...fields, action: 'add', ip_address: '192.0.2.1' }]);
  const old = { ip_address: '192.0.2.1' };
  await editZone(msp, name, [{ ...fields, action: 'update', old, fields: { ip_address: '192.0.2.66' } }]);
  await enter(page, msp);
  const hand = counting(page);
  await goTo(page, hand, name);
  await expect(page.getByRole('main').getByRole('link', { name: 'Blue Fig Ltd' })).toBeVisible();
  expect(hand.count()).toBeLessThanOrEqual(2);
  await hand.click(page.getByRole('tab', { name: 'Managed DNS' }));
  const row = page.getByRole('table', { name: 'DNS records' }).getByRole('row', { name: /A www/ });
  await expect(row).toContainText('192.0.2.66');
  await expect(row.getByTitle(msp.person.email, { exact: true })).toBeVisible();
  await expect(row.getByTitle('Before: 192.0.2.1')).toBeVisible();
  await hand.click(row.getByRole('button', { name: `Put back the A record for www.${name}` }));
  const review = page.getByRole('dialog', { name: `Put back the A record for www.${name}` });
  await expect(review.getByRole('listitem')).toContainText('192.0.2.66192.0.2.1');
  await noAxeFindings(page);
  await hand.click(review.getByRole('button', { name: 'Save 1 change' }));
  await expect(row).toContainText('192.0.2.1');
  expect(hand.count()).toBeLessThanOrEqual(5);
  // The history says what was put back, and why.
  await expect(
    page.getByRole('region', { name: 'Latest changes' }).getByRole('listitem').first(),
  ).toContainText('Restored to the state before');

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  const other = counting(page);
  await goTo(page, other, name);
  await other.click(page.getByRole('tab', { name: 'Managed DNS' }));
  await expect(row).toContainText('192.0.2.1');
  const key = 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
  await other.paste(`Type\tName\tValue\nTXT\tselector1._domainkey.${name}\t${key}`);
  const added = page.getByRole('dialog', { name: 'Import records' });
  await expect(added.getByRole('listitem')).toHaveText([
    new RegExp(`^AddTXT selector1._domainkey.${name}v=DKIM1; k=ed25519`),
  ]);
  await other.click(added.getByRole('button', { name: 'Save 1 change' }));
  await expect(page.getByText('Saved.')).toBeVisible();
  expect(other.count()).toBeLessThanOrEqual(5);
  const zone = await api<{ records: { A: object[]; TXT: object[] } }>(msp.token, 'GET', `${name}/zone`);
  expect(zone.records.A).toEqual([{ subdomain: 'www', ip_address: '192.0.2.1' }]);
  expect(zone.records.TXT).toEqual([{ subdomain: 'selector1._domainkey', text: key }]);
});

test('a certificate’s files are handed to a colleague in at most 4 clicks and keys', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 100);
  const name = await managedDomain(msp);
  const orderId = await orderCertificate(msp, name);
  await enter(page, msp, `/SSL/${orderId}`);
  await expect(status(page, 'completed')).toBeVisible();
  await page.goto('/');
  await expect(page.getByText('Needs attention')).toBeVisible();
  const hand = counting(page);
  await hand.click(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Certificates/ }),
  );
  await hand.click(page.getByRole('link', { name: new RegExp(`^${name}`) }).first());
  await hand.click(page.getByRole('button', { name: 'Copy link for a colleague' }));
  await expect(page.getByRole('button', { name: 'Link copied' })).toBeVisible();
  expect(hand.count()).toBeLessThanOrEqual(4);
  // What the colleague opens has the files.
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URL(link).pathname).toBe(`/SSL/${orderId}`);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: /Certificate with chain/ }).click();
  expect((await downloading).suggestedFilename()).toMatch(/fullchain/);
});
