import { expect, type Locator, test } from '@playwright/test';
import type { AttentionItem, AttentionList } from '../../src/contracts/operations/attention.ts';
import { inspect } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** What needs attention: on the start, on its own screen, and on the page of a customer. */

/** Names of the first customer that lapse in so many days; `together`: how many lapse then, with earlier ones. */
async function lapsing(msp: Awaited<ReturnType<typeof openMsp>>, count: number, days: number) {
  const names = Array.from({ length: count }, () => freshName('many'));
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  const dates = names.map((domain) => ({ domain, ageDays: 300, expiresInDays: days }));
  await control('registrar', 'domains/dates', dates);
  for (const name of names) await api(msp.token, 'GET', `domain/details/${name}?type=all_info`);
  await waiting(msp.token, count, ({ renewal }) => renewal !== null);
  return names;
}

/** Until there are so many such entries: a job writes them, and an open page asks only once a minute. */
async function waiting(token: string, count: number, such: (item: AttentionItem) => boolean): Promise<void> {
  const listed = async () => (await api<AttentionList>(token, 'GET', 'attention')).items.filter(such).length;
  await expect.poll(listed).toBe(count);
}

test('"All N" of the start opens the list with exactly so many entries; one is taken over, put off and found again, and goes when its cause does', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Other Ltd'] });
  const names = await lapsing(msp, 7, 10);
  const [name = ''] = names;
  await enter(page, msp, '/');
  const start = page.getByRole('region', { name: 'Needs attention' });
  await expect(start.getByRole('listitem')).toHaveCount(6);
  const all = start.getByRole('link', { name: /^All \d+$/ });
  const count = Number((await all.textContent())?.replace(/\D/g, ''));
  // On a phone it keeps to the line of the heading.
  for (const width of [412, 360]) {
    await page.setViewportSize({ width, height: 844 });
    const middle = async (one: Locator) => {
      const { y = 0, height = 0 } = (await one.boundingBox()) ?? {};
      return y + height / 2;
    };
    const heading = start.getByRole('heading', { name: 'Needs attention' });
    expect(Math.abs((await middle(all)) - (await middle(heading)))).toBeLessThan(3);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(count).toBeGreaterThanOrEqual(names.length);
  await all.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Attention' })).toBeVisible();
  const entries = page.getByRole('region', { name: 'Entries' });
  await expect(entries.getByRole('listitem')).toHaveCount(count);
  for (const one of names) await expect(page.getByRole('button', { name: `Renew ${one}` })).toBeVisible();
  await inspect(page, 'attention');

  const entry = entries.getByRole('listitem').filter({ hasText: name }).filter({ hasText: 'expires in' });
  const menu = async (item: string) => {
    await entry.getByRole('button', { name: `More for ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const views = page.getByRole('group', { name: 'How pressing' });
  await menu('Take over');
  await views.getByRole('button', { name: /^Mine/ }).click();
  await expect(page).toHaveURL('/attention?tab=mine');
  await expect(entries.getByRole('listitem')).toHaveCount(1);
  await menu('Postpone for a week');
  await expect(page.getByText('Nothing here needs attention')).toBeVisible();
  await views.getByRole('button', { name: /^Postponed/ }).click();
  await expect(entry).toHaveCount(1);
  await menu('Show again now');
  await expect(page.getByText('Nothing here needs attention')).toBeVisible();
  for (const [index, shown] of [1, 0].entries()) {
    await page.goto(`/customers/${msp.customers[index]?.customerId}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Needs attention' })).toHaveCount(shown);
  }

  // The act of an entry is done where it stands.
  await page.goto('/attention');
  await page.getByRole('button', { name: `Renew ${name}` }).click();
  await expect(entries.getByRole('button', { name: `In cart: renewal of ${name}` })).toBeDisabled();
  await page.goto('/cart');
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  await expect(page.getByRole('dialog')).toContainText(name);
  await page.goto('/attention');
  await expect(page.getByRole('button', { name: `Renew ${names[1]}` })).toBeVisible();
  await expect(page.getByRole('button', { name: `Renew ${name}` })).toHaveCount(0);
});
