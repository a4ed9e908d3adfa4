import { expect, test } from '@playwright/test';
import { startJob } from './support/database.ts';
import { inspect } from './support/inspect.ts';
import { balanceOf, enter, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** Transfers from a list: pasted, checked, ordered together, followed to their end. */

const code = 'Right-Code-42';

test('a list is pasted, checked, ordered and followed to its end', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [good, locked, wrong] = [freshName('moving'), freshName('bolted'), freshName('typo')];
  const nameservers = ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'];
  await control('registrar', 'outside-world', [
    { domain: good, authCode: code, nameservers },
    { domain: locked, authCode: code, nameservers, locked: true },
    { domain: wrong, authCode: 'Another-Code-1', nameservers },
  ]);
  const records = {
    A: [{ ip_address: '203.0.113.5' }, { subdomain: 'www', ip_address: '203.0.113.5' }],
    TXT: [{ text: 'v=spf1 -all' }],
  };
  await control('dns', 'zones', { zones: [{ domain: good, records, axfr: true }] });
  await enter(page, msp, '/domain/transfer');
  await page.getByRole('link', { name: 'Transfer a list' }).click();
  await expect(page).toHaveURL('/domain/moves');
  await expect(page.getByText('No lists yet')).toBeVisible();
  await inspect(page, 'transfer lists, empty');

  await page.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Blue Fig Ltd' }).click();
  const text = page.getByRole('textbox', { name: 'Names with their codes' });
  await text.fill(`${good}, ${code}\n${locked}; ${code}\n${wrong}\t${code}\nnot a name\n`);
  await expect(page.getByText('4 domains, 1 with something wrong')).toBeVisible();
  await expect(page.getByText('Line 4: Please enter the name with its extension')).toBeVisible();
  await page.getByRole('button', { name: 'Check the list' }).click();
  await expect(page.getByRole('heading', { name: 'Transfers for Blue Fig Ltd' })).toBeVisible();

  const line = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await expect(line(good)).toContainText('Its 3 records will be served here');
  await expect(line(good)).toContainText(/At .+ · expires on \w+ \d+, \d+/);
  await expect(line(locked)).toContainText('It is locked at its current registrar');
  await expect(line(locked).getByRole('link', { name: /Ask for unlock/ })).toHaveAttribute(
    'href',
    /^mailto:/,
  );
  await expect(line('Line 4')).toContainText('Please enter the name with its extension');
  await inspect(page, 'transfer list, checked');
  // What stood in the way is gone: the one act that helps looks again.
  await control('registrar', 'outside-world', { domain: locked, authCode: code, nameservers });
  await line(locked)
    .getByRole('button', { name: /^Check again/ })
    .click();
  await expect(line(locked)).toContainText('Will be transferred and renewed');
  await line(locked)
    .getByRole('button', { name: /^Leave out/ })
    .click();
  await expect(line(locked)).toContainText('It will not be ordered');
  await page.reload();
  await line(good)
    .getByRole('button', { name: /^3 records/ })
    .click();
  const sheet = page.getByRole('dialog');
  await expect(sheet).toContainText('www A 203.0.113.5');
  await inspect(page, 'records of a line');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'Order' })).toContainText('2 transfers');

  const orders = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Orders' });
  await orders.click();
  await expect(page.getByText('No orders yet')).toBeVisible();
  await page.goBack();
  const before = await balanceOf(msp.token);
  await page.getByRole('button', { name: 'Order 2 transfers' }).click();
  const dialog = page.getByRole('dialog', { name: 'Order the transfer of 2 domains?' });
  await expect(dialog).toContainText('is reserved from your balance');
  await dialog.getByRole('button', { name: /^Order for/ }).click();
  await expect(line(good)).toContainText('Approval');
  await expect(line(good)).toContainText('Expected by');
  expect(await balanceOf(msp.token)).toBeLessThan(before);
  await orders.click();
  await expect(page.getByRole('table', { name: 'Orders' }).getByRole('row')).toHaveCount(2);
  await page.goBack();

  // The owner approves, the old registrar releases; the jobs look when their time comes, or now.
  const advance = async () => {
    for (const domain of [good, wrong]) await control('registrar', 'transfers/advance', { domain, steps: 1 });
  };
  await advance();
  await expect(async () => {
    await startJob('transfers.poll', {});
    await expect(line(good)).toContainText('The other registrar has five days to object', { timeout: 5_000 });
  }).toPass();
  await expect(line(good)).toContainText('Release');
  await advance();
  await advance();
  await startJob('transfers.poll', {});
  await expect(line(wrong)).toContainText('You were not charged.');
  await expect(async () => {
    await startJob('moves.sweep', {});
    await expect(line(good)).toContainText('all of its 3 records answer as they did on', { timeout: 5_000 });
  }).toPass();

  await line(wrong)
    .getByRole('button', { name: /^New code/ })
    .click();
  const entering = page.getByRole('dialog');
  await entering.getByRole('textbox', { name: 'AuthInfo / EPP code' }).fill('Another-Code-1');
  await entering.getByRole('button', { name: 'Check with this code' }).click();
  await expect(line(wrong)).toContainText('Will be transferred and renewed');
  await page.goto('/domain/moves');
  await expect(page.getByRole('row', { name: /Blue Fig Ltd/ })).toContainText('1 done');
  await page.goto(`/domain/${good}/dns`);
  await expect(page.getByText('203.0.113.5').first()).toBeVisible();
});
