import { expect, test } from '@playwright/test';
import { noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface RegistrarState {
  domains: { domain: string; nameservers: string[]; dnssec: object[] }[];
}

test('a signed domain shows its DS records and loses them on request, warns before its DNS moves, and has nameservers below it', async ({
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
  await enter(page, msp, `/domain/${name}?tab=advanced`);
  const section = page.getByRole('region', { name: 'DNSSEC' });
  await expect(section).toContainText(/20326 8 2 [0-9A-F]{64}/);

  await page.getByRole('button', { name: 'Add nameserver' }).click();
  const host = page.getByRole('dialog');
  await host.getByLabel('Subdomain').fill('ns1');
  await host.getByLabel('IP V4').fill('192.0.2.1');
  await host.getByLabel('IP V6').fill('2001:db8::1');
  await host.getByRole('button', { name: 'Save' }).click();
  const table = page.getByRole('table', { name: 'Glue nameservers' });
  await expect(table.getByRole('columnheader')).toHaveText(['Subdomain', 'IP V4', 'IP V6', 'Actions']);
  await expect(table.getByRole('cell')).toHaveText(['ns1', '192.0.2.1', '2001:db8::1', '']);
  await page.getByRole('button', { name: `Edit ns1.${name}` }).click();
  await host.getByLabel('Subdomain').fill('ns9');
  await host.getByLabel('IP V4').fill('192.0.2.9');
  await host.getByRole('button', { name: 'Save' }).click();
  // The family that was not touched stays.
  await expect(table.getByRole('cell')).toHaveText(['ns9', '192.0.2.9', '2001:db8::1', '']);
  await noAxeFindings(page);
  await page.getByRole('button', { name: `Delete ns9.${name}` }).click();
  await host.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No nameservers below this domain')).toBeVisible();

  await section.getByRole('button', { name: 'Remove DNSSEC' }).click();
  await page
    .getByRole('dialog', { name: `Remove DNSSEC from ${name}?` })
    .getByRole('button', { name: 'Remove DNSSEC' })
    .click();
  await expect(section).toContainText('The registry has no DS records: this domain is not signed.');
  expect((await atRegistrar())?.dnssec).toEqual([]);

  // Signed again, by somebody else, a moment ago: the page does not know, the server asks.
  await control('registrar', 'dnssec', { domain: name });
  await page.getByRole('tab', { name: 'Info' }).click();
  const dns = page.getByRole('region', { name: 'DNS', exact: true });
  // Until the registrar has been read the form is another one, and its menu closes.
  await expect(dns.getByText('ns1.systemdns.com')).toBeVisible();
  await dns.getByRole('combobox', { name: 'DNS option' }).click();
  await page.getByRole('option', { name: 'Your Own DNS' }).click();
  await dns.getByRole('textbox', { name: 'Nameserver 1' }).fill('ns1.example.net');
  await dns.getByRole('textbox', { name: 'Nameserver 2' }).fill('ns2.example.net');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  const question = page.getByRole('dialog', { name: 'Move the DNS of a signed domain?' });
  await expect(question).toContainText('its website and mail will stop working');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await atRegistrar())?.nameservers).toContain('ns1.systemdns.com');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await expect(dns).toContainText('Nameservers have been updated');
  expect((await atRegistrar())?.nameservers.toSorted()).toEqual(['ns1.example.net', 'ns2.example.net']);
});
