import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';

/** Health: what the world sees of a domain, on its tab and on the board. */

test('a customer’s report is a page under the name of the provider, to be printed', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('reported');
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await enter(page, msp, `/health?customer=${msp.customers[0]?.customerId}`);
  await page.getByRole('link', { name: 'Report', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Health of your domains' })).toBeVisible();
  await expect(page.getByText(msp.person.organization).first()).toBeVisible();
  await expect(page.getByText('Blue Fig Ltd').first()).toBeVisible();
  await expect(page.getByText('Nothing is wrong')).toBeVisible();
  await page.goto(`/domain/${name}?tab=health`);
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByRole('region', { name: 'Health' }).getByRole('listitem').first()).toBeVisible();
  await page.goto(`/health/report/${msp.customers[0]?.customerId}`);
  const found = page.getByRole('region', { name: name });
  await expect(found.getByRole('listitem').filter({ hasText: 'No DMARC record' })).toBeVisible();
  await inspect(page, 'report of a customer’s health');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(found.getByRole('listitem').first()).toBeVisible();
});

test('a fault in a zone is found, muted with a reason, and on the board', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('faulty');
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await enter(page, msp, `/domain/${name}?tab=health`);
  await page.getByRole('button', { name: 'Check now' }).click();
  const health = page.getByRole('region', { name: 'Health' });
  await expect(health.getByRole('listitem').first()).toBeVisible();
  const finding = health.getByRole('listitem').filter({ hasText: 'No DMARC record' });
  await expect(finding).toContainText('Receivers have no instruction to refuse mail');
  await inspect(page, 'health of a domain');
  await finding.getByRole('button', { name: /^Mute/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await expect(dialog.getByText('Please enter a reason')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('It sends no mail');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await expect(finding).toContainText('It sends no mail');
  await page.goto('/health');
  const board = page.getByRole('region', { name: 'Findings' });
  await expect(board.getByRole('listitem').filter({ hasText: 'No SPF record' })).toContainText(
    'Blue Fig Ltd',
  );
  await expect(board.getByRole('listitem').filter({ hasText: 'No DMARC record' })).toHaveCount(0);
  await inspect(page, 'board of health');
  await page.goto(`/health?customer=${msp.customers[0]?.customerId}`);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Report as PDF' }).click();
  expect((await saved).suggestedFilename()).toBe('health-report.pdf');
  await inspect(page, 'board of a customer’s health');
  await page.goto('/health');
  await page
    .getByRole('group', { name: 'Area' })
    .getByRole('button', { name: /^Muted/ })
    .click();
  await expect(board.getByRole('listitem')).toHaveCount(1);
  await page.route('**/mute', (route) =>
    route.fulfill({ status: 409, json: { code: 'conflict', message: 'Somebody else was faster' } }),
  );
  await board.getByRole('button', { name: 'Unmute' }).click();
  await expect(board.getByRole('alert')).toHaveText('Somebody else was faster');
  await board.getByRole('link').click();
  await expect(page).toHaveURL(`/domain/${name}?tab=health`);
});
