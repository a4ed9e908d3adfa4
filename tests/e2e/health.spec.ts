import { expect, test } from '@playwright/test';
import { managedDomain, resolver } from './support/domains.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';

/** Health: what the world sees of a domain, on its tab, on the board and in the report of its customer. */

test('a fault in a zone is found, muted with a reason, reported to its customer, and mended by the ordinary difference', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = await managedDomain(msp);
  await enter(page, msp, `/domain/${name}?tab=health`);
  await page.getByRole('button', { name: 'Check now' }).click();
  const health = page.getByRole('region', { name: 'Health' });
  await expect(health.getByRole('listitem').first()).toBeVisible();
  await expect(health.getByRole('listitem').filter({ hasText: 'No DMARC record' })).toContainText(
    'Receivers have no instruction to refuse mail',
  );
  await inspect(page, 'health of a domain');
  const muted = health.getByRole('listitem').filter({ hasText: 'No SPF record' });
  await muted.getByRole('button', { name: /^Mute/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('It sends no mail');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await expect(muted).toContainText('It sends no mail');

  await page.goto(`/health?customer=${msp.customers[0]?.customerId}`);
  const board = page.getByRole('region', { name: 'Findings' });
  await expect(board.getByRole('listitem').filter({ hasText: 'No DMARC record' })).toContainText(
    'Blue Fig Ltd',
  );
  await expect(board.getByRole('listitem').filter({ hasText: 'No SPF record' })).toHaveCount(0);
  await noAxeFindings(page);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Report as PDF' }).click();
  expect((await saved).suggestedFilename()).toBe('health-report.pdf');
  await page.getByRole('link', { name: 'Report', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Health of your domains' })).toBeVisible();
  await expect(page.getByText(msp.person.organization).first()).toBeVisible();
  await expect(page.getByText('Blue Fig Ltd').first()).toBeVisible();
  const reported = page.getByRole('region', { name }).getByRole('listitem');
  await expect(reported.filter({ hasText: 'No DMARC record' })).toBeVisible();
  await inspect(page, 'report of a customer’s health');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(reported.first()).toBeVisible();
  await page.emulateMedia({ media: 'screen' });

  await page.goto('/health?kind=dmarc-missing');
  await page.getByRole('button', { name: 'Fix in all domains: No DMARC record' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Fix: No DMARC record' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Difference' }).getByRole('listitem')).toHaveText([
    '_dmarc TXT v=DMARC1; p=quarantine',
  ]);
  await page.getByRole('button', { name: 'Apply to 1 domain' }).click();
  await expect(page.getByRole('main').locator('[data-tone]').first()).toHaveText('Done');
  const dns = await resolver();
  expect(await dns.resolveTxt(`_dmarc.${name}`)).toEqual([['v=DMARC1; p=quarantine']]);
});
