import { expect, type Page, test } from '@playwright/test';
import { editZone, managedDomain, resolver } from './support/domains.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';

/** One change of many domains, from the wish to its undoing. */

const mail = [
  { type: 'A', subdomain: '', action: 'add', ip_address: '192.0.2.1' },
  { type: 'A', subdomain: 'www', action: 'add', ip_address: '192.0.2.1' },
  { type: 'MX', subdomain: '', action: 'add', hostname: 'mx1.oldfilter.example', priority: 10 },
  { type: 'TXT', subdomain: '', action: 'add', text: 'v=spf1 include:oldfilter.example -all' },
];

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const main = (page: Page, place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place });
/** The state beside the heading. */
const state = (page: Page, text: string) =>
  expect(page.getByRole('main').locator('[data-tone]').first()).toHaveText(text);

/** Chooses these in the list of domains, and begins a change of them. */
async function begin(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await button(page, 'Change...').click();
  await expect(page.getByRole('textbox', { name: 'Names' })).toHaveValue(names.join('\n'));
}

test('mail moves to another filter in all zones that were chosen: seen before, applied, followed to its end, and undone as one', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = [await managedDomain(msp, mail), await managedDomain(msp, mail)].sort();
  const [first = '', second = ''] = names;
  await enter(page, msp, '/domain/list');
  await begin(page, names);
  await page.getByLabel('Find', { exact: true }).fill('oldfilter.example');
  await page.getByLabel('Replace with').fill('newfilter.example');
  await page.getByLabel('Name of the change').fill('Move mail to the new filter');
  await noAxeFindings(page);
  await button(page, 'Review the differences').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Move mail to the new filter' })).toBeVisible();
  await state(page, 'Not applied yet');
  await button(page, first).click();
  await expect(page.getByRole('list', { name: 'Difference' }).getByRole('listitem')).toHaveText([
    ...['@ MX 10 mx1.oldfilter.example', '@ MX 10 mx1.newfilter.example'],
    ...['@ TXT v=spf1 include:oldfilter.example -all', '@ TXT v=spf1 include:newfilter.example -all'],
  ]);
  await inspect(page, 'the differences of a change');

  // Somebody else edits one of them meanwhile.
  await editZone(msp, second, [{ type: 'A', subdomain: 'later', action: 'add', ip_address: '192.0.2.9' }]);
  // How far it is follows the person, over a reload too, until they have seen the result. It begins once they have left.
  const left = Promise.withResolvers<void>();
  await page.route('**/apply', async (route) => {
    await left.promise;
    await route.continue();
  });
  await button(page, 'Apply to 2 domains').click();
  await main(page, 'Customers').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your current customers' })).toBeVisible();
  left.resolve();
  const followed = page.getByRole('region', { name: 'Progress: Move mail to the new filter' });
  await expect(followed).toBeVisible();
  await page.reload();
  await expect(followed.getByRole('status')).toHaveText('done');
  await noAxeFindings(page);
  await followed.getByRole('link', { name: 'See the result' }).click();
  await state(page, 'Done');
  await expect(followed).toBeHidden();
  const dns = await resolver();
  const mailOf = async (name: string) => (await dns.resolveMx(name)).map(({ exchange }) => exchange);
  for (const name of names) expect(await mailOf(name)).toEqual(['mx1.newfilter.example']);
  expect(await dns.resolve4(`later.${second}`)).toEqual(['192.0.2.9']);

  await button(page, 'Undo').click();
  await expect(
    page.getByRole('heading', { level: 1, name: 'Undo Move mail to the new filter' }),
  ).toBeVisible();
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  for (const name of names) expect(await mailOf(name)).toEqual(['mx1.oldfilter.example']);
  expect(await dns.resolve4(`later.${second}`)).toEqual(['192.0.2.9']);
  await page.getByRole('link', { name: 'an earlier change' }).click();
  await state(page, 'Undone');
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Changes' }).click();
  await expect(page.getByRole('list', { name: 'Changes' }).getByRole('listitem')).toHaveCount(2);
  await noAxeFindings(page);
});

test('a setting of many domains is seen before, applied at the registrar, read again by other screens, and undone', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = [freshName('several'), freshName('several')].sort();
  const [first = ''] = names;
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  await enter(page, msp, `/domain/${first}`);
  const privacy = page.getByRole('switch', { name: 'Privacy' });
  await expect(privacy).not.toBeChecked();
  await main(page, 'Domain management').click();
  await begin(page, names);
  await page.getByRole('combobox', { name: 'What to do' }).click();
  await page.getByRole('option', { name: 'WHOIS privacy', exact: true }).click();
  await page.getByText('On', { exact: true }).click();
  await page.getByLabel('Name of the change').fill('Hide registrants');
  await button(page, 'Review the differences').click();
  await state(page, 'Not applied yet');
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  const hidden = async () =>
    (await api<{ privacy: boolean }>(msp.token, 'GET', `domain/details/${first}?type=all_info`)).privacy;
  expect(await hidden()).toBe(true);
  // What was read of the domain before is read again.
  await main(page, 'Domain management').click();
  await page.getByRole('table').getByRole('link', { name: first, exact: true }).click();
  await expect(privacy).toBeChecked();
  for (const _ of ['domain', 'list']) await page.goBack();
  await button(page, 'Undo').click();
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  expect(await hidden()).toBe(false);
});
