import { expect, type Page, test } from '@playwright/test';
import type { TransferStatusReply } from '../../src/contracts/operations/transfers.ts';
import { runNow } from './support/database.ts';
import { api, balanceOf, enter, openMsp } from './support/msp.ts';
import { buy, own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

const code = 'EPP-2468-move';

async function check(page: Page, name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Domain name' }).fill(name);
  await page.getByRole('button', { name: 'Check' }).click();
}

/** The dialog lies over the rest of the screen. */
async function expectRefusal(page: Page, name: string, reason: RegExp): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Error' });
  await expect(dialog).toContainText(`Domain ${name} is not transferrable because `);
  await expect(dialog).toContainText(reason);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('alert').filter({ hasText: 'Domain cannot be transfered. ' })).toContainText(
    reason,
  );
}

test('every outcome of the check has its text', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const mine = freshName('mine');
  await own(msp, [mine], msp.customers[0]?.customerId ?? '');
  await enter(page, msp, '/domain/transfer');
  await expect(page.getByRole('heading', { name: 'Transfer a domain you already own' })).toBeVisible();

  await check(page, '');
  await expect(page.getByText('Please enter a domain name')).toBeVisible();
  await check(page, 'acme');
  await expect(page.getByText('Please enter the name with its extension, such as example.com')).toBeVisible();
  await check(page, 'acme.org');
  await expect(page.getByText('Only .com domains are supported at the moment.')).toBeVisible();

  const locked = freshName('locked');
  await check(page, locked);
  await expectRefusal(page, locked, /it is locked at its current registrar \(clientTransferProhibited\)\./i);
  await check(page, freshName('nobody'));
  await page.getByRole('dialog', { name: 'Error' }).getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByText('Domain cannot be transfered. Nobody has registered it.')).toBeVisible();
  // There will be no transfer: nothing is said of nameservers for it.
  await expect(page.getByText('These nameservers will be used for the transfer.')).toHaveCount(0);
  // Editing the name resets the check.
  await page.getByRole('textbox', { name: 'Domain name' }).press('End');
  await page.keyboard.type('x');
  await expect(page.getByText('Domain cannot be transfered.')).toHaveCount(0);
  await check(page, freshName('young'));
  await expect(page.getByRole('dialog', { name: 'Error' })).toContainText('less than 60 days ago');
  await page.keyboard.press('Escape');
  await check(page, mine);
  await expect(page.getByRole('dialog', { name: 'Error' })).toContainText('is already in your account');
  await page.keyboard.press('Escape');
  const ours = freshName('ours');
  await check(page, ours);
  await expect(page.getByText(`${ours} is transferable, but please contact support`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add to Cart' })).toBeDisabled();

  const silent = freshName('elsewhere');
  await control('registrar', 'faults', { action: 'CHECK_TRANSFER', domain: silent, effect: '705', times: 0 });
  await check(page, silent);
  const failed = page.getByRole('alert').filter({ hasText: 'check error' });
  await expect(failed).toContainText("There was an error checking domain's transferability");
  await expect(failed).toContainText(/Request \S+/);
  await page.route('**/api/domain/transfer/check', (route) => route.abort());
  await check(page, freshName('elsewhere'));
  await expect(page.getByRole('alert').filter({ hasText: 'Something went wrong' })).toHaveText(
    /^Something went wrong\s*Please try again\.\s*request error$/,
  );
  await page.unroute('**/api/domain/transfer/check');
});

test('without customers there is a way to add one; nameservers come from real DNS', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/domain/transfer');
  const name = freshName('elsewhere');
  await check(page, ` ${name.toUpperCase()} `);
  await expect(page.getByText(`${name} can be transferred.`)).toBeVisible();
  const present = page.getByRole('region', { name: 'Current nameservers' });
  await expect(present.getByText('ns1.elsewhere-dns.net')).toBeVisible();
  await expect(present).toContainText('These nameservers will be used for the transfer.');
  await expect(present).toContainText('third-party DNS');
  await expect(page.getByRole('button', { name: 'Add to Cart' })).toBeDisabled();
  await page.getByRole('button', { name: 'Clear the domain name' }).click();
  await expect(page.getByRole('textbox', { name: 'Domain name' })).toHaveValue('');
  await page.getByRole('main').getByRole('link', { name: 'Add Customer' }).click();
  await expect(page).toHaveURL('/customers/add');
});

test('a transfer goes through the cart, holds its money until it is completed, and keeps its nameservers', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Zebra', 'Ärzte', 'Acme'] });
  const name = freshName('elsewhere');
  await enter(page, msp, '/domain/transfer');
  await check(page, name);
  await expect(page.getByText(`${name} can be transferred.`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add to Cart' })).toBeDisabled();
  const customer = page.getByRole('combobox', { name: 'Destination Customer for Domain Transfer *' });
  await customer.click();
  await expect(page.getByRole('option')).toHaveText(['Acme', 'Ärzte', 'Zebra']);
  await page.getByRole('option', { name: 'Acme' }).click();
  await page.getByRole('button', { name: 'Add to Cart' }).click();
  await expect(page.getByText('Please enter the AuthInfo / EPP code')).toBeVisible();
  const field = page.getByLabel('AuthInfo / EPP code');
  await expect(page.getByText("It is typically found in your current provider's panel.")).toBeVisible();
  await field.fill(`  ${code}\n`);
  await expect(field).toHaveValue(code);
  await page.getByRole('button', { name: 'Add to Cart' }).click();
  const added = page.getByRole('dialog');
  await expect(added).toContainText('You have successfully added this transfer to your cart');
  await added.getByRole('button', { name: 'Transfer Another' }).click();
  await expect(page.getByRole('textbox', { name: 'Domain name' })).toHaveValue('');
  await expect(field).toHaveValue('');
  await expect(customer).toHaveValue('');
  await check(page, freshName('elsewhere'));
  await customer.click();
  await page.getByRole('option', { name: 'Zebra' }).click();
  await field.fill(code);
  await page.getByRole('button', { name: 'Add to Cart' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'View Cart' }).click();
  await expect(page).toHaveURL('/cart');
  await expect(page.getByRole('region', { name })).toContainText('Transfer');
  const before = await balanceOf(msp.token);
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  await expect(page.getByRole('dialog')).toContainText(name);
  await page.goto('/domain/list');
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByRole('link', { name: 'Pending Transfer' })
    .click();
  const steps = page.getByRole('list', { name: 'Steps of the transfer' });
  await expect(steps.getByRole('listitem').nth(1)).toHaveAttribute('aria-current', 'step');
  await expect(steps.getByText(/^Expected by /)).toHaveCount(3);
  await expect(page.getByText('Reserved until it ends:')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Before the transfer' })).toContainText(
    'ns1.elsewhere-dns.net',
  );

  // While it runs the only tab is Managed DNS.
  await page.goto(`/domain/${name}`);
  await expect(page.getByText('This domain is being transferred')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Info' })).toBeDisabled();
  await expect(page.getByRole('tab', { name: 'Advanced DNS' })).toBeDisabled();
  await expect(page.getByRole('tab', { name: 'Managed DNS' })).toHaveAttribute('aria-selected', 'true');

  await control('registrar', 'transfers/advance', { domain: name, steps: 2 });
  await page.getByRole('link', { name: 'Follow the transfer' }).click();
  await expect(page.getByText('The transfer is complete')).toBeVisible();
  expect(await balanceOf(msp.token)).toBeLessThan(before);
  await page.getByRole('link', { name: `Open ${name}` }).click();
  await expect(page.getByText('Transferred here')).toBeVisible();
});

test('a wrong code ends it without a charge and says what to do; a running one can be cancelled', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Acme'] });
  const customerId = msp.customers[0]?.customerId;
  const [wrong, unwanted] = [freshName('elsewhere'), freshName('elsewhere')];
  const before = await balanceOf(msp.token);
  await buy(msp, {
    domainTransfers: [
      { address: wrong, customerId, EPPCode: 'not-the-code' },
      { address: unwanted, customerId, EPPCode: code },
    ],
  });
  await control('registrar', 'transfers/advance', { domain: wrong, steps: 1 });
  await enter(page, msp, `/domain/transfer/${wrong}`);
  await expect(page.getByText('The transfer did not succeed')).toBeVisible();
  await expect(page.getByText('You were not charged.')).toBeVisible();
  await page.goto(`/domain/transfer/${unwanted}`);
  await page.getByRole('button', { name: 'Cancel the transfer' }).click();
  const dialog = page.getByRole('dialog', { name: `Cancel the transfer of ${unwanted}?` });
  await expect(dialog).toContainText('The domain stays at its current registrar. $');
  await dialog.getByRole('button', { name: 'Cancel the transfer' }).click();
  await expect(page.getByText('The transfer did not succeed')).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(before);
  await page.goto('/domain/transfer/never-ordered.com');
  await expect(page.getByText('There is no transfer of this domain')).toBeVisible();
});

test('a transfer that takes too long says what to do, for each step that it may be stuck in', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Acme'] });
  const name = freshName('elsewhere');
  await buy(msp, {
    domainTransfers: [{ address: name, customerId: msp.customers[0]?.customerId, EPPCode: code }],
  });
  const state = () => api<TransferStatusReply>(msp.token, 'GET', `domain/transfer/${name}`);
  const at = (reply: TransferStatusReply) => reply.steps.find(({ state }) => state === 'current')?.kind;
  // Days pass in the browser only: what the server then says is transfer-steps.rules.test.ts.
  await page.route(`**/api/domain/transfer/${name}`, async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: TransferStatusReply };
    body.data.stuck = true;
    await route.fulfill({ json: body });
  });
  await enter(page, msp, `/domain/transfer/${name}`);
  const advice = page.getByRole('status').filter({ hasText: 'This takes longer than usual' });
  await expect(advice).toContainText('Nobody has approved the transfer yet.');
  await expect(advice).toContainText('cancel the transfer and start again with the right code');
  await control('registrar', 'transfers/advance', { domain: name, steps: 1 });
  await expect(async () => expect(at(await state())).toBe('release')).toPass();
  await page.reload();
  await expect(advice).toContainText('The current registrar has not released the domain.');
  await expect(advice).toContainText('clientTransferProhibited or clientHold');
});

test('nameservers that differ after the transfer are shown beside those before', async ({ page }) => {
  const msp = await openMsp({ customers: ['Acme'] });
  const name = freshName('elsewhere');
  await buy(msp, {
    domainTransfers: [{ address: name, customerId: msp.customers[0]?.customerId, EPPCode: code }],
  });
  await enter(page, msp, `/domain/transfer/${name}`);
  const before = page.getByRole('list', { name: 'Before the transfer' });
  await expect(before).toContainText('ns1.elsewhere-dns.net');
  await expect(page.getByText('They are compared when the transfer is complete.')).toBeVisible();
  // Somebody changes the delegation while the transfer runs.
  await control('registrar', 'outside-world', { domain: name, nameservers: ['ns1.x.net', 'ns2.x.net'] });
  await control('registrar', 'transfers/advance', { domain: name, steps: 2 });
  await expect(page.getByText('The transfer is complete')).toBeVisible();
  const { organizationId } = await api<{ organizationId: string }>(msp.token, 'GET', 'user');
  await runNow('transfers.compare', organizationId);
  await expect(page.getByText('They have changed. Please check that this is what you want.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Now', exact: true })).toContainText('ns1.x.net');
  await expect(before).toContainText('ns1.elsewhere-dns.net');
});
