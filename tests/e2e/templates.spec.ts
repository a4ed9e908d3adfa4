import { expect, type Page, test } from '@playwright/test';
import { editZone, managedDomain, resolver } from './support/domains.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';

/** A template from its pasting to its next version, in all domains. */

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const state = (page: Page, text: string) =>
  expect(page.getByRole('main').locator('[data-tone]').first()).toHaveText(text);
const connect = JSON.stringify({
  ...{ providerName: 'Post', serviceName: 'Mail', variableDescription: 'proof: Proof of ownership' },
  records: [
    { type: 'MX', host: '@', pointsTo: 'in.post.example', priority: 10 },
    { type: 'TXT', host: '@', data: 'post=%proof%' },
    { type: 'REDIR301', host: 'webmail', target: 'https://post.example' },
  ],
});

test('a template is pasted, applied, watched, brought back, changed and rolled out', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const old = [
    { type: 'A', subdomain: '', action: 'add', ip_address: '192.0.2.1' },
    { type: 'A', subdomain: 'www', action: 'add', ip_address: '192.0.2.1' },
    { type: 'A', subdomain: 'ftp', action: 'add', ip_address: '192.0.2.1' },
    { type: 'MX', subdomain: '', action: 'add', hostname: 'mx.old.example', priority: 10 },
  ];
  const names = [await managedDomain(msp, old), await managedDomain(msp, old)].sort();
  const [first = '', second = ''] = names;
  await enter(page, msp, '/changes/templates');
  await button(page, 'New template').click();
  const editor = page.getByRole('dialog');
  await editor.getByLabel('Records').fill(connect);
  await expect(editor.getByText('REDIR301 is not known here and was left out.')).toBeVisible();
  await expect(editor.getByLabel('Records')).toHaveValue('@ MX 10 in.post.example\n@ TXT post={proof}');
  await expect(editor.getByLabel('What {proof} stands for')).toHaveValue('Proof of ownership');
  await noAxeFindings(page);
  await editor.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Post Mail' })).toBeVisible();

  await button(page, 'Apply to domains').click();
  await expect(page.getByRole('combobox', { name: 'Template' })).toHaveValue('Post Mail, version 1');
  await page.getByRole('textbox', { name: 'Names' }).fill(names.join('\n'));
  await page.getByLabel('Proof of ownership').fill('abc');
  await page.getByLabel('Name of the change').fill('Mail to Post');
  await button(page, 'Review the differences').click();
  await state(page, 'Not applied yet');
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  const dns = await resolver();
  expect(await dns.resolveMx(first)).toMatchObject([{ exchange: 'in.post.example' }]);
  expect(await dns.resolveTxt(second)).toEqual([['post=abc']]);

  // Somebody changes one of them.
  await editZone(msp, second, [{ type: 'TXT', subdomain: '', action: 'remove', text: 'post=abc' }]);
  await page.goto('/changes/templates');
  await page.getByRole('link', { name: 'Post Mail' }).click();
  const line = (name: string) =>
    page.getByRole('list', { name: 'Domains' }).getByRole('listitem').filter({ hasText: name }).first();
  await button(page, 'Check now').click();
  await expect(async () => {
    await page.reload();
    await expect(line(second)).toContainText('Missing: @ TXT post=abc');
    await expect(line(first)).toContainText('As the template');
  }).toPass();
  await inspect(page, 'a template in use');
  await button(page, 'Bring 1 back').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Bring Post Mail back' })).toBeVisible();
  await button(page, 'Apply to 1 domain').click();
  await state(page, 'Done');
  expect(await dns.resolveTxt(second)).toEqual([['post=abc']]);

  // The next version.
  await page.goto('/changes/templates');
  await page.getByRole('link', { name: 'Post Mail' }).click();
  await button(page, 'Change').click();
  await editor.getByLabel('Records').fill('@ MX 10 in2.post.example\n@ TXT post={proof}');
  await editor.getByRole('button', { name: 'Save as version 2' }).click();
  await button(page, 'Roll out to 2').click();
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  for (const name of names)
    expect(await dns.resolveMx(name)).toMatchObject([{ exchange: 'in2.post.example' }]);
  await page.goto('/changes/templates');
  await expect(page.getByText('in use in 2 domains')).toBeVisible();
  await noAxeFindings(page);
});
