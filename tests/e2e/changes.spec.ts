import { expect, type Page, test } from '@playwright/test';
import { editZone, managedDomain, resolver } from './support/domains.ts';
import { inspect } from './support/inspect.ts';
import { api, enter, type Msp, openMsp } from './support/msp.ts';
import { control } from './support/sandbox.ts';

/** One change of many domains, from the wish to its undoing. */

const mail = [
  { type: 'A', subdomain: '', action: 'add', ip_address: '192.0.2.1' },
  { type: 'A', subdomain: 'www', action: 'add', ip_address: '192.0.2.1' },
  { type: 'MX', subdomain: '', action: 'add', hostname: 'mx1.oldfilter.example', priority: 10 },
  { type: 'TXT', subdomain: '', action: 'add', text: 'v=spf1 include:oldfilter.example -all' },
];

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const line = (page: Page, domain: string) =>
  page.getByRole('list', { name: 'Domains' }).getByRole('listitem').filter({ hasText: domain });
const main = (page: Page, place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place });
/** Every call of this kind is refused, until it is let through again. */
const refuse = (page: Page, calls: string) =>
  page.route(calls, (route) =>
    route.fulfill({ status: 409, json: { code: 'conflict', message: 'Somebody else was faster' } }),
  );
/** The state beside the heading. */
const state = (page: Page, text: string) =>
  expect(page.getByRole('main').locator('[data-tone]').first()).toHaveText(text);

async function fleet(count: number): Promise<{ msp: Msp; names: string[] }> {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Red Plum Ltd'] });
  const names: string[] = [];
  for (let n = 0; n < count; n += 1) names.push(await managedDomain(msp, mail));
  return { msp, names: names.sort() };
}

test('mail moves to another filter in all zones that were chosen: seen before, applied, and undone as one', async ({
  page,
}) => {
  const { msp, names } = await fleet(3);
  const [first = '', second = '', third = ''] = names;
  await enter(page, msp, '/domain/list');
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await button(page, 'Change...').click();
  await expect(page).toHaveURL('/changes/new');
  await expect(page.getByRole('textbox', { name: 'Names' })).toHaveValue(names.join('\n'));

  await button(page, 'Review the differences').click();
  await expect(page.getByText('Please name the change')).toBeVisible();
  await page.getByLabel('Find', { exact: true }).fill('oldfilter.example');
  await page.getByLabel('Replace with').fill('newfilter.example');
  await page.getByLabel('Name of the change').fill('Move mail to the new filter');
  await page.getByLabel('Ticket').fill('T-42');
  await main(page, 'Changes').click();
  const leaving = page.getByRole('dialog', { name: 'Leave without making this change?' });
  await button(page, 'Stay').click();
  await expect(leaving).toBeHidden();
  await expect(page.getByLabel('Ticket')).toHaveValue('T-42');
  await inspect(page, 'a change that is described');
  // As with more domains than come at once.
  await page.route(/\/items\?/, (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
  );
  await button(page, 'Review the differences').click();

  await expect(page.getByRole('heading', { level: 1, name: 'Move mail to the new filter' })).toBeVisible();
  await state(page, 'Not applied yet');
  for (const name of [second, third]) {
    await button(page, 'Show more').click();
    await expect(line(page, name)).toBeVisible();
  }
  await button(page, first).click();
  const difference = page.getByRole('list', { name: 'Difference' });
  await expect(difference.getByRole('listitem')).toHaveText([
    ...['@ MX 10 mx1.oldfilter.example', '@ MX 10 mx1.newfilter.example'],
    ...['@ TXT v=spf1 include:oldfilter.example -all', '@ TXT v=spf1 include:newfilter.example -all'],
  ]);
  await expect(page.getByText('2 other records stay as they are.')).toBeVisible();
  await inspect(page, 'the differences of a change');

  // One is left out, and somebody else edits another meanwhile.
  const taken = page.getByRole('checkbox', { name: `Change ${third}` });
  await refuse(page, '**/items');
  await taken.click();
  await expect(line(page, third).getByRole('alert')).toHaveText('Somebody else was faster');
  await expect(taken).toBeChecked();
  await page.unroute('**/items');
  await taken.uncheck();
  await expect(button(page, 'Apply to 2 domains')).toBeVisible();
  await expect(line(page, third)).toContainText('Left out');
  const leftOut = page.getByRole('group', { name: 'State' }).getByRole('button', { name: /^Left out/ });
  await leftOut.click();
  await expect(page.getByText('1 of 1', { exact: true })).toBeVisible();
  await leftOut.click();
  await expect(page.getByText('1 of 3', { exact: true })).toBeVisible();
  await editZone(msp, second, [{ type: 'A', subdomain: 'later', action: 'add', ip_address: '192.0.2.9' }]);
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  await expect(line(page, first)).toContainText('Done');
  await expect(line(page, third)).toContainText('Left out');
  const dns = await resolver();
  const mailOf = async (name: string) => (await dns.resolveMx(name)).map(({ exchange }) => exchange);
  expect(await mailOf(first)).toEqual(['mx1.newfilter.example']);
  expect(await mailOf(second)).toEqual(['mx1.newfilter.example']);
  expect(await dns.resolve4(`later.${second}`)).toEqual(['192.0.2.9']);
  expect(await mailOf(third)).toEqual(['mx1.oldfilter.example']);
  await page.reload();
  await state(page, 'Done');

  await button(page, 'Undo').click();
  await expect(
    page.getByRole('heading', { level: 1, name: 'Undo Move mail to the new filter' }),
  ).toBeVisible();
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  expect(await mailOf(first)).toEqual(['mx1.oldfilter.example']);
  expect(await dns.resolve4(`later.${second}`)).toEqual(['192.0.2.9']);
  await page.getByRole('link', { name: 'an earlier change' }).click();
  await state(page, 'Undone');

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Changes' }).click();
  await expect(page.getByRole('list', { name: 'Changes' }).getByRole('listitem')).toHaveCount(2);
  await inspect(page, 'list of changes');
});

test('progress is live and there after a reload; a change is paused, resumed and comes to its end', async ({
  page,
}) => {
  const { msp, names } = await fleet(2);
  const [first = '', second = ''] = names;
  await enter(page, msp, '/changes/new');
  await page.getByRole('textbox', { name: 'Names' }).fill(names.join('\n'));
  await page.getByLabel('Find', { exact: true }).fill('oldfilter.example');
  await page.getByLabel('Replace with').fill('newfilter.example');
  await page.getByLabel('Name of the change').fill('A slow registrar');
  await button(page, 'Review the differences').click();
  await state(page, 'Not applied yet');
  // The registrar is not there for one of them, for a while.
  const rule = { action: 'SET_DNS_ZONE', domain: second, effect: '705', times: 3 };
  await control('registrar', 'faults', rule);
  await button(page, 'Apply to 2 domains').click();
  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('Applying: 1 of 2 domains');
  await expect(line(page, first)).toContainText('Done');
  await expect(line(page, second)).toContainText('Waits');
  await page.reload();
  await expect(progress).toContainText('Applying: 1 of 2 domains');
  await inspect(page, 'a change that is applied');
  await button(page, 'Pause').click();
  await state(page, 'Paused');
  await expect(progress).toContainText('Nothing more is changed until somebody resumes it.');
  await page.goto('/attention');
  await page.getByRole('link', { name: 'Open: The change “A slow registrar” is paused' }).click();
  await state(page, 'Paused');
  const dns = await resolver();
  expect(await dns.resolveMx(second)).toMatchObject([{ exchange: 'mx1.oldfilter.example' }]);
  await button(page, 'Resume').click();
  await state(page, 'Done');
  for (const name of names)
    expect(await dns.resolveMx(name)).toMatchObject([{ exchange: 'mx1.newfilter.example' }]);
});

test('a list is pasted, a zone that moved is looked at again, and what would lose much needs a word', async ({
  page,
}) => {
  const { msp, names } = await fleet(2);
  const [first = '', second = ''] = names;
  await enter(page, msp, '/changes');
  await expect(page.getByText('No changes yet')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'New change' }).first().click();
  await page.getByRole('textbox', { name: 'Names' }).fill(`${first}\thttps\n${second}\nnot-ours.example`);
  await page.getByRole('combobox', { name: 'What to do' }).click();
  await page.getByRole('option', { name: 'Delete a host' }).click();
  await page.getByLabel('Name of the change').fill('Old server');
  await button(page, 'Review the differences').click();
  await expect(page.getByText('Please name a host below the domain')).toBeVisible();
  await page.getByLabel('Host', { exact: true }).fill('www');
  for (const name of names)
    await editZone(msp, name, [{ type: 'TXT', subdomain: 'www', action: 'add', text: 'one' }]);
  await button(page, 'Review the differences').click();
  await state(page, 'Not applied yet');
  await expect(line(page, 'not-ours.example')).toContainText('This is not among your domains.');
  await expect(line(page, first)).toContainText('Loses much of its zone');
  // What is searched for is looked for among the domains of the chosen state.
  const barred = page.getByRole('button', { name: 'Not possible' });
  await barred.click();
  await page.getByLabel('Find a domain').fill(first);
  await expect(page.getByText('No domains here')).toBeVisible();
  await page.getByLabel('Find a domain').fill('not-ours');
  await expect(line(page, 'not-ours.example')).toBeVisible();
  await page.getByLabel('Find a domain').fill('');
  await barred.click();
  await button(page, 'Apply to 2 domains').click();
  await expect(page.getByRole('alert')).toContainText('2 zones lose more than 30 % of the records');
  const intended = page.getByRole('checkbox', {
    name: 'It loses more than 30 % of its records, and this is intended',
  });
  // The answer about one is on its way when the other is opened.
  const opened = Promise.withResolvers<void>();
  await page.route('**/items', async (route) => {
    await opened.promise;
    await route.continue();
  });
  await button(page, first).click();
  await intended.check();
  await button(page, second).click();
  await expect(page.getByRole('heading', { level: 2, name: second })).toBeVisible();
  await expect(intended).not.toBeChecked();
  opened.resolve();
  await intended.check();
  await editZone(msp, second, [{ type: 'TXT', subdomain: 'www', action: 'add', text: 'two' }]);
  await editZone(msp, second, [{ type: 'A', subdomain: 'www', action: 'update', ip_address: '192.0.2.2' }]);
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Partly done');
  await expect(line(page, second)).toContainText(
    'Somebody changed these records in between. Please look again.',
  );
  const waiting = () => api<{ items: { title: string }[] }>(msp.token, 'GET', 'attention?cause=change');
  expect((await waiting()).items[0]?.title).toBe('The change “Old server” is done in part');
  await button(page, second).click();
  await intended.check();
  await button(page, 'Try 1 domain again').click();
  await state(page, 'Done');
  expect((await waiting()).items).toEqual([]);
});

test('how far a change is follows the person, over a reload too, until they have seen the result', async ({
  page,
}) => {
  const { msp, names } = await fleet(2);
  const made = await api<{ id: string }>(msp.token, 'POST', 'changes', {
    title: 'Delete www everywhere',
    request: { kind: 'delete-host', subdomain: 'www', below: false },
    targets: { kind: 'names', names },
  });
  await enter(page, msp, `/changes/${made.id}`);
  await state(page, 'Not applied yet');
  // It begins once they have left: what ends under their eyes is seen.
  const left = Promise.withResolvers<void>();
  await page.route(`**/api/changes/${made.id}/apply`, async (route) => {
    await left.promise;
    await route.continue();
  });
  await button(page, 'Apply to 2 domains').click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Customers' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your current customers' })).toBeVisible();
  left.resolve();
  const line = page.getByRole('region', { name: 'Progress: Delete www everywhere' });
  await expect(line).toBeVisible();
  await page.reload();
  await expect(line.getByRole('status')).toHaveText('done');
  await inspect(page, 'a change that has ended elsewhere');
  await line.getByRole('link', { name: 'See the result' }).click();
  await state(page, 'Done');
  await expect(line).toBeHidden();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Customers' })).toBeVisible();
  await expect(line).toBeHidden();
});

test('a finding is mended by the ordinary difference, for one domain and for all that have it', async ({
  page,
}) => {
  const { msp, names } = await fleet(2);
  const [first = '', second = ''] = names;
  await enter(page, msp, `/domain/${first}?tab=health`);
  await button(page, 'Check now').click();
  // Two presses before the page can show what the first one did.
  await button(page, 'Fix: No DMARC record').evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });
  await expect(page.getByRole('heading', { level: 1, name: 'Fix: No DMARC record' })).toBeVisible();
  await state(page, 'Not applied yet');
  await expect(page.getByRole('list', { name: 'Difference' }).getByRole('listitem')).toHaveText([
    '_dmarc TXT v=DMARC1; p=quarantine',
  ]);
  await button(page, 'Discard').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await expect(page).toHaveURL('/changes');
  await expect(page.getByText('No changes yet')).toBeVisible();
  await page.goto(`/domain/${second}?tab=health`);
  await button(page, 'Check now').click();
  await expect(button(page, 'Fix: No DMARC record')).toBeVisible();
  await page.goto('/health?kind=dmarc-missing');
  await button(page, 'Fix in all domains: No DMARC record').click();
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  const dns = await resolver();
  for (const name of names)
    expect(await dns.resolveTxt(`_dmarc.${name}`)).toEqual([['v=DMARC1; p=quarantine']]);
});

test('settings of many domains: contacts with their rules, described differently, a customer, and undone', async ({
  page,
}) => {
  const { msp, names } = await fleet(2);
  const [first = ''] = names;
  const kind = async (name: string) => {
    await page.getByRole('combobox', { name: 'What to do' }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  await enter(page, msp, `/domain/${first}`);
  const privacy = page.getByRole('switch', { name: 'Privacy' });
  await expect(privacy).not.toBeChecked();
  await main(page, 'Domain management').click();
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await button(page, 'Change...').click();
  await kind('Contacts');
  await page.getByLabel('Name of the change').fill('New tech contact');
  await button(page, 'Review the differences').click();
  await expect(page.getByText('Please choose at least one contact')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Tech' }).check();
  await button(page, 'Review the differences').click();
  await expect(page.getByText('A customer has no tech contact')).toBeVisible();
  await page.getByText('One for all').click();
  await button(page, 'Review the differences').click();
  await expect(page.getByText('This field is required').first()).toBeVisible();
  const typed = {
    ...{
      Company: 'Marsh Managed IT',
      'First name': 'Tess',
      'Last name': 'Marsh',
      Email: 'tech@marsh.example',
    },
    ...{ Phone: '+1.2125550100', 'Address line 1': '1 Main Street', City: 'Toronto', State: 'ON' },
    ...{ 'Postal code': 'M5V 1A1' },
  };
  for (const [label, text] of Object.entries(typed))
    await page.getByRole('textbox', { name: label, exact: true }).fill(text);
  await page.getByRole('combobox', { name: 'Country' }).click();
  await page.getByRole('combobox', { name: 'Country' }).fill('Canada');
  await page.getByRole('option', { name: 'Canada', exact: true }).click();
  await inspect(page, 'a change of contacts');
  await button(page, 'Review the differences').click();
  await state(page, 'Not applied yet');
  const difference = page.getByRole('list', { name: 'Difference' });
  await expect(difference).toContainText('Tech: email');
  await expect(difference).toContainText('tech@marsh.example');
  await inspect(page, 'the differences of contacts');

  await button(page, 'Describe differently').click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: 'Email', exact: true })).toHaveValue('tech@marsh.example');
  await kind('WHOIS privacy');
  await dialog.getByText('On', { exact: true }).click();
  await dialog.getByLabel('Name of the change').fill('Hide registrants');
  // A click beside it loses nothing.
  await page.mouse.click(5, 5);
  await expect(dialog.getByLabel('Name of the change')).toHaveValue('Hide registrants');
  await inspect(page, 'a change described differently');
  await dialog.getByRole('button', { name: 'Review the differences' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Hide registrants' })).toBeVisible();
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  const details = () =>
    api<{ privacy: boolean; customer: string }>(msp.token, 'GET', `domain/details/${first}?type=all_info`);
  expect((await details()).privacy).toBe(true);
  // What was read of the domain before is read again.
  await main(page, 'Domain management').click();
  await page.getByRole('table').getByRole('link', { name: first, exact: true }).click();
  await expect(privacy).toBeChecked();
  for (const _ of ['domain', 'list']) await page.goBack();
  await button(page, 'Undo').click();
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  expect((await details()).privacy).toBe(false);

  await page.goto('/changes/new');
  await page.getByRole('textbox', { name: 'Names' }).fill(names.join('\n'));
  await kind('Customer');
  await page.getByLabel('Name of the change').fill('Hand over');
  await page.getByRole('combobox', { name: 'Customer', exact: true }).click();
  await page.getByRole('option', { name: 'Red Plum Ltd' }).click();
  await button(page, 'Review the differences').click();
  await expect(page.getByText('Assign to Red Plum Ltd')).toBeVisible();
  await state(page, 'Not applied yet');
  await expect(difference).toHaveText('CustomerBlue Fig LtdRed Plum Ltd');
  await button(page, 'Apply to 2 domains').click();
  await state(page, 'Done');
  expect((await details()).customer).toBe('Red Plum Ltd');
});
