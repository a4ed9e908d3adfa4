import { expect, test } from '@playwright/test';
import { noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface RegistrarState {
  domains: { domain: string; nameservers: string[]; dnssec: object[] }[];
}

test('a signed domain shows its DS records, warns before its DNS moves, and loses them on request', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('signed');
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await control('registrar', 'dnssec', { domain: name });
  const atRegistrar = async () => {
    const { domains } = await control<RegistrarState>('registrar', 'state');
    return domains.find(({ domain }) => domain === name);
  };
  await enter(page, msp, `/domain/${name}`);
  const dns = page.getByRole('region', { name: 'DNS', exact: true });
  // Until the registrar has been read the form is another one, and its menu closes.
  await expect(dns.getByText('ns1.systemdns.com')).toBeVisible();
  await dns.getByRole('combobox', { name: 'DNS option' }).click();
  await page.getByRole('option', { name: 'Your Own DNS' }).click();
  await expect(dns.getByRole('alert')).toContainText('This domain is signed with DNSSEC');
  await dns.getByRole('textbox', { name: 'Nameserver 1' }).fill('ns1.example.net');
  await dns.getByRole('textbox', { name: 'Nameserver 2' }).fill('ns2.example.net');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  const question = page.getByRole('dialog', { name: 'Move the DNS of a signed domain?' });
  await expect(question).toContainText('its website and mail will stop working');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await atRegistrar())?.nameservers).toContain('ns1.systemdns.com');
  await expect(dns.getByText('Unable to set nameserver')).toHaveCount(0);

  // Back to what it was: nothing is left unsaved.
  await dns.getByRole('combobox', { name: 'DNS option' }).click();
  await page.getByRole('option', { name: 'Nameward managed DNS' }).click();
  await expect(dns.getByRole('alert')).toHaveCount(0);
  await page.getByRole('tab', { name: 'Advanced DNS' }).click();
  const section = page.getByRole('region', { name: 'DNSSEC' });
  await expect(section).toContainText(/20326 8 2 [0-9A-F]{64}/);
  await noAxeFindings(page);
  await section.getByRole('button', { name: 'Remove DNSSEC' }).click();
  await page
    .getByRole('dialog', { name: `Remove DNSSEC from ${name}?` })
    .getByRole('button', { name: 'Remove DNSSEC' })
    .click();
  await expect(section).toContainText('The registry has no DS records: this domain is not signed.');
  expect((await atRegistrar())?.dnssec).toEqual([]);

  // Signed again, by somebody else, a moment ago: the page does not know, the server asks.
  await page.getByRole('tab', { name: 'Info' }).click();
  await control('registrar', 'dnssec', { domain: name });
  await dns.getByRole('combobox', { name: 'DNS option' }).click();
  await page.getByRole('option', { name: 'Your Own DNS' }).click();
  await dns.getByRole('textbox', { name: 'Nameserver 1' }).fill('ns1.example.net');
  await dns.getByRole('textbox', { name: 'Nameserver 2' }).fill('ns2.example.net');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await expect(dns).toContainText('Nameservers have been updated');
  expect((await atRegistrar())?.nameservers.toSorted()).toEqual(['ns1.example.net', 'ns2.example.net']);
});
