import { expect, test } from '@playwright/test';
import type { AttentionItem, AttentionList } from '../../src/contracts/operations/attention.ts';
import { inspect } from './support/inspect.ts';
import { addMember, api, enter, enterAs, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** What needs attention: on the start, on its own screen, and on the page of a customer. */

/** Names of the first customer that lapse in so many days; `together`: how many lapse then, with earlier ones. */
async function lapsing(
  msp: Awaited<ReturnType<typeof openMsp>>,
  count: number,
  days: number,
  together = count,
) {
  const names = Array.from({ length: count }, () => freshName('many'));
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  const dates = names.map((domain) => ({ domain, ageDays: 300, expiresInDays: days }));
  await control('registrar', 'domains/dates', dates);
  for (const name of names) await api(msp.token, 'GET', `domain/details/${name}?type=all_info`);
  await waiting(msp.token, together, ({ renewal }) => renewal !== null);
  return names;
}

/** Until there are so many such entries: a job writes them, and an open page asks only once a minute. */
async function waiting(token: string, count: number, such: (item: AttentionItem) => boolean): Promise<void> {
  const listed = async () => (await api<AttentionList>(token, 'GET', 'attention')).items.filter(such).length;
  await expect.poll(listed).toBe(count);
}

test('"All N" of the start opens the list with exactly so many entries', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = await lapsing(msp, 7, 10);
  await page.route('**/api/renewals/due?*', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'Something went wrong' } }),
  );
  await enter(page, msp, '/');
  const start = page.getByRole('region', { name: 'Needs attention' });
  await expect(start.getByRole('listitem')).toHaveCount(6);
  const all = start.getByRole('link', { name: /^All \d+$/ });
  const count = Number((await all.textContent())?.replace(/\D/g, ''));
  expect(count).toBeGreaterThanOrEqual(names.length);
  // Figures that cannot be read are not waited for.
  const balance = page.getByRole('region', { name: 'Balance' });
  await expect(balance.getByRole('button', { name: 'Try again' })).toBeVisible();
  await all.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Attention' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Entries' }).getByRole('listitem')).toHaveCount(count);
  for (const name of names) await expect(page.getByRole('button', { name: `Renew ${name}` })).toBeVisible();
  await inspect(page, 'attention');
});

test('an entry is taken over, put off and found again; a customer’s page has its own', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Other Ltd'] });
  const [name = ''] = await lapsing(msp, 1, 3);
  await enter(page, msp, '/attention');
  const entry = page
    .getByRole('region', { name: 'Entries' })
    .getByRole('listitem')
    .filter({ hasText: 'auto renew is off' });
  await expect(entry.getByRole('img', { name: 'Urgent' })).toBeVisible();
  const menu = async (item: string) => {
    await entry.getByRole('button', { name: `More for ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const views = page.getByRole('group', { name: 'How pressing' });
  const changing = '**/api/attention/*';
  await page.route(changing, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 409, json: { code: 'conflict', message: 'Somebody else was faster' } })
      : route.continue(),
  );
  await menu('Take over');
  await expect(entry.getByRole('alert')).toHaveText('Somebody else was faster');
  await page.unroute(changing);
  await menu('Take over');
  await views.getByRole('button', { name: /^Mine/ }).click();
  await expect(page).toHaveURL('/attention?tab=mine');
  await expect(entry).toHaveCount(1);
  await menu('Postpone for a week');
  await expect(page.getByText('Nothing here needs attention')).toBeVisible();
  await views.getByRole('button', { name: /^Postponed/ }).click();
  await expect(entry).toHaveCount(1);
  await menu('Show again now');
  await expect(page.getByText('Nothing here needs attention')).toBeVisible();
  for (const [index, count] of [1, 0].entries()) {
    await page.goto(`/customers/${msp.customers[index]?.customerId}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Needs attention' })).toHaveCount(count);
  }
});

test('entries are filtered by severity, cause and customer, and what is done in place goes away', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Other Ltd'] });
  const [urgent = ''] = await lapsing(msp, 1, 3);
  const [later = ''] = await lapsing(msp, 1, 10, 2);
  await enter(page, msp, '/attention');
  const entries = page.getByRole('region', { name: 'Entries' });
  const renew = (name: string) => entries.getByRole('button', { name: `Renew ${name}` });
  const shows = async (shown: string, hidden: string) => {
    await expect(renew(shown)).toBeVisible();
    await expect(renew(hidden)).toHaveCount(0);
  };
  const views = page.getByRole('group', { name: 'How pressing' });
  await views.getByRole('button', { name: /^Now/ }).click();
  await shows(urgent, later);
  await views.getByRole('button', { name: /^Soon/ }).click();
  await expect(page).toHaveURL('/attention?tab=soon');
  await shows(later, urgent);
  await views.getByRole('button', { name: /^Soon/ }).click();
  const choose = async (filter: string, option: string) => {
    await page.getByRole('combobox', { name: filter }).click();
    await page.getByRole('option', { name: option }).click();
  };
  await choose('Cause', 'Renewals');
  await expect(page).toHaveURL('/attention?kind=renewal');
  await expect(renew(urgent)).toBeVisible();
  await expect(renew(later)).toBeVisible();
  await inspect(page, 'attention, filtered');
  await choose('Customer', 'Other Ltd');
  await expect(page.getByText('Nothing here needs attention')).toBeVisible();
  await page.goto('/attention?kind=transfer');
  await expect(page.getByText('Nothing here needs attention')).toBeVisible();

  // The act of an entry is done where it stands; the entry goes when its cause does.
  await page.goto('/attention');
  await renew(urgent).click();
  await expect(entries.getByRole('button', { name: `In cart: renewal of ${urgent}` })).toBeDisabled();
  await page.goto('/cart');
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  await expect(page.getByRole('dialog')).toContainText(urgent);
  await page.goto('/attention');
  await shows(later, urgent);
});

test('a customer’s own user sees the own entries, and owns none; the daily mail is everybody’s choice', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const member = await addMember(msp, 'MSP_CUSTOMER', msp.customers[0]?.customerId);
  const [name = ''] = await lapsing(msp, 1, 3);
  // The registrar asks each address once, and the run may have confirmed this one before.
  await control('registrar', 'verify', { domain: name, status: 'unverified', daysLeft: 9 });
  await api(msp.token, 'GET', `domain/details/${name}?type=all_info`);
  await waiting(member.token, 1, ({ title }) => title.startsWith('is waiting for its owner'));
  await enterAs(page, member.person, '/attention');
  // What the registrant has to do is theirs to see; renewals are the provider's.
  const entries = page.getByRole('region', { name: 'Entries' }).getByRole('listitem');
  await expect(entries).toContainText(['is waiting for its owner to confirm an email address']);
  await expect(entries.getByRole('button')).toHaveCount(0);
  const daily = page.getByRole('switch', { name: 'Email me this list every day' });
  await daily.click();
  await expect(daily).toBeChecked();
  // It shows the choice while it is being saved; until then it is disabled, and a reload would be early.
  await expect(daily).toBeEnabled();
  await page.reload();
  await expect(daily).toBeChecked();
});
