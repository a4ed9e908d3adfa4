import { expect, type Page, test } from '@playwright/test';
import { expectHue } from './support/colour.ts';
import { editZone, managedDomain, registerDomain } from './support/domains.ts';
import { noAxeFindings } from './support/inspect.ts';

import { enter, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

const searchBox = (page: Page) => page.getByLabel('Search your next domain');
const results = (page: Page) => page.getByRole('list', { name: /^Results for / });

test('the box lower-cases, waits for text, says what is on offer; results carry status and price', async ({
  page,
}) => {
  await enter(page, await openMsp());
  const name = freshName('fig');
  await expect(searchBox(page)).toHaveAttribute('placeholder', 'Search your next domain');
  await expect(page.getByText('Only .com domains are available at the moment.')).toBeVisible();
  const button = page.getByRole('button', { name: 'Search', exact: true });
  await expect(button).toBeDisabled();
  await searchBox(page).fill('   ');
  await expect(button).toBeDisabled();
  await searchBox(page).clear();
  await searchBox(page).pressSequentially(name.replace('.com', '').toUpperCase());
  await expect(searchBox(page)).toHaveValue(name.replace('.com', ''));
  await button.click();
  const row = results(page).getByRole('listitem').first();
  await expect(row).toContainText(name);
  await expect(row).toContainText('Available');
  await expect(row).toContainText(/USD\$\d+\.\d\d/);

  const cart = page.getByRole('link', { name: /^Cart, / });
  await expect(cart).toHaveAccessibleName('Cart, 0 items');
  await row.getByRole('button', { name: `Add ${name} to cart` }).click();
  await expect(row.getByRole('img', { name: `${name} is in your cart` })).toBeVisible();
  await expect(cart).toHaveAccessibleName('Cart, 1 item');
  await expect(cart).toHaveAttribute('data-filled', 'true');
  // Another text: the old results go.
  await searchBox(page).fill('other');
  await expect(results(page)).toHaveCount(0);
});

test('a taken name is shown as such and cannot be added, by no way', async ({ page }) => {
  await enter(page, await openMsp());
  const name = freshName('wanted');
  await control('registrar', 'outside-world', { domain: name });
  await searchBox(page).fill(name);
  await searchBox(page).press('Enter');
  const row = results(page).getByRole('listitem').first();
  await expect(row).toContainText('Taken');
  await expect(row.getByRole('button', { name: `Add ${name} to cart` })).toBeDisabled();
  await row.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  const card = page.getByRole('region', { name, exact: true });
  await expectHue(card.getByText('Taken', { exact: true }), 'amber');
  await expect(card.getByRole('button', { name: 'Add to cart' })).toBeDisabled();
  await expect(page.getByText('Great Alternative')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Cart, 0 items' })).toBeVisible();
});

test('from the key / to a name in the cart without a mouse', async ({ page }) => {
  await enter(page, await openMsp());
  const name = freshName('keys');
  await expect(searchBox(page)).toBeVisible();
  await page.keyboard.press('/');
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  const rows = results(page).locator('[data-result]');
  await expect(rows.first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: `Add ${name} to cart` })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Cart, 1 item' })).toBeVisible();
  // The place in the list is kept although the icon has become a check mark.
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(results(page)).toHaveCount(0);
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(rows.first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/domains?name=${name}`);
  await expect(page.getByRole('link', { name: 'Go to cart' })).toBeVisible();
});

const bad: [what: string, text: string, message: string][] = [
  ['253 characters', `${'a'.repeat(249)}.com`, 'The part before .com has at most 63 characters'],
  ['more than a name may have', 'b'.repeat(290), 'A domain name has at most 253 characters'],
  ['Unicode', 'MÜLLER.com', 'Only letters a to z, digits and hyphens are supported at the moment'],
  ['another suffix', 'fig.org', 'Only .com domains are supported at the moment.'],
  ['a name below a name', 'shop.fig.com', 'Only .com domains are supported at the moment.'],
  [
    'signs',
    'fig_tree!',
    'Only letters, digits and hyphens are allowed, and no hyphen at the beginning or end',
  ],
  [
    'a hyphen in front',
    '-fig',
    'Only letters, digits and hyphens are allowed, and no hyphen at the beginning or end',
  ],
];

test('what cannot be searched is said beside the box, nothing typed is lost, no request is made', async ({
  page,
}) => {
  await enter(page, await openMsp());
  let lookups = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/domain/lookup/')) lookups += 1;
  });
  for (const [what, text, message] of bad) {
    await searchBox(page).fill(text);
    await searchBox(page).press('Enter');
    await expect(searchBox(page), what).toHaveAccessibleDescription(message);
    await expect(searchBox(page), what).toHaveAttribute('aria-invalid', 'true');
    await expect(searchBox(page), what).toHaveValue(text.toLowerCase());
  }
  expect(lookups).toBe(0);
  // Pasted addresses are understood.
  await searchBox(page).fill('https://WWW.Fig-Tree.com/shop?x=1');
  await searchBox(page).press('Enter');
  await expect(results(page)).toHaveAccessibleName('Results for fig-tree.com');
  // A link with a bad name says why.
  await page.goto('/domains?name=fig.org');
  await expect(page.getByRole('main')).toContainText('Only .com domains are supported at the moment.');
});

test('the result screen: the name, an alternative, and names to protect it with, toggled in the cart', async ({
  page,
}) => {
  await enter(page, await openMsp(), '/domains');
  const name = freshName('harbor');
  await searchBox(page).fill(name);
  await searchBox(page).press('Enter');
  const second = results(page).locator('[data-result]').nth(1);
  const other = (await second.locator('span').first().textContent()) ?? '';
  await second.click();
  // The picked row is the card, what was typed is among the others.
  await expect(page).toHaveURL(`/domains?name=${name}&picked=${other}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Search for domains' })).toBeVisible();
  const card = page.getByRole('region', { name: other, exact: true });
  await expectHue(card.getByText('Available'), 'green');
  await expect(card.getByText(/^USD \$\d+\.\d\d per year$/)).toBeVisible();
  const alternative = page.getByRole('region', { name, exact: true });
  await expect(alternative.getByText('Great Alternative')).toBeVisible();

  await card.getByRole('button', { name: 'Add to cart' }).click();
  await expect(card.getByRole('button', { name: 'In cart' })).toBeDisabled();
  const protect = page.getByRole('region', { name: 'Protect your name with these domains' });
  const row = protect.getByRole('row').nth(1);
  await row.getByText(/USD/).click();
  await expect(page.getByRole('link', { name: 'Cart, 2 items' })).toBeVisible();
  await expect(row.getByRole('button', { name: /^Remove / })).toHaveAttribute('aria-pressed', 'true');
  await row.getByText(/USD/).click();
  await expect(page.getByRole('link', { name: 'Cart, 1 item' })).toBeVisible();
  await row.getByRole('button', { name: /^Add / }).press('Space');
  await expect(page.getByRole('link', { name: 'Cart, 2 items' })).toBeVisible();

  // The address shows a colleague the same; look-ups are never cached (P1 §1).
  const asked = page.waitForRequest(/\/api\/domain\/lookup\//);
  await page.reload();
  await asked;
  await card.getByRole('link', { name: 'Go to cart' }).click();
  await expect(page).toHaveURL('/cart');
});

test('a search that fails says so, with a way to try again', async ({ page }) => {
  await enter(page, await openMsp());
  await page.route('**/api/domain/lookup/**', (route) =>
    route.fulfill({
      status: 503,
      json: {
        message: 'The registry does not answer. Please try again.',
        code: 'upstream_unavailable',
        requestId: 'r-2',
      },
    }),
  );
  await searchBox(page).fill('fig-tree');
  await searchBox(page).press('Enter');
  await expect(page.getByRole('alert')).toContainText('The registry does not answer. Please try again.');
  await expect(searchBox(page)).toHaveValue('fig-tree');
  await page.unroute('**/api/domain/lookup/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(results(page)).toBeVisible();
});

const options = (page: Page) => page.getByRole('listbox', { name: 'Matches' }).getByRole('option');
const group = (page: Page, name: string) => page.getByRole('group', { name }).getByRole('option');

test('Ctrl K opens the same field to go somewhere: the first match is chosen, the arrows move, Enter opens', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await enter(page, msp, '/orders');
  await expect(searchBox(page)).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(searchBox(page)).toBeFocused();
  // Nothing is typed yet: the screens.
  await expect(options(page).first()).toHaveText(/^Home/);
  await page.keyboard.type('blue');
  await expect(group(page, 'Customers')).toHaveText(/^Blue Fig Ltd/);
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(options(page).nth(1)).toHaveText(/^Search for blue.com to buy/);
  await expect(options(page).nth(1)).toHaveAttribute('aria-selected', 'true');
  const active = await searchBox(page).getAttribute('aria-activedescendant');
  await expect(options(page).nth(1)).toHaveAttribute('id', active ?? '');
  await noAxeFindings(page);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/customers\/[0-9a-f-]{36}/);
  await expect(searchBox(page)).toHaveValue('');
  // Enter waits for what is still looked for; here it was typed faster than the answer came.
  await page.route('**/api/customer?**', async (route) => {
    await new Promise((done) => setTimeout(done, 400));
    await route.continue();
  });
  await page.goto('/orders');
  await expect(searchBox(page)).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(options(page).first()).toBeVisible();
  await page.keyboard.insertText('blue fig');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/customers\/[0-9a-f-]{36}/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('no such thing at all');
  await expect(
    page.getByRole('search').getByRole('status').filter({ hasText: 'Nothing found' }),
  ).toBeVisible();
});

test('the search field shows what fits while somebody types: names to buy first, then all that one has', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = await managedDomain(msp);
  const fields = { type: 'A', subdomain: 'sprout', ip_address: '192.0.2.77', action: 'add' };
  await editZone(msp, name, [fields]);
  await enter(page, msp, '/orders');
  await expect(searchBox(page)).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('blue');
  await expect(options(page).first()).toHaveText(/^Search for blue.com to buy/);
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true');
  await expect(group(page, 'Customers')).toHaveText(/^Blue Fig Ltd/);
  await noAxeFindings(page);
  await page.keyboard.press('Escape');
  await expect(options(page)).toHaveCount(0);
  await expect(searchBox(page)).toBeFocused();
  // A record, by its name and by its value.
  for (const text of [`sprout.${name.slice(0, 4)}`, '192.0.2.7']) {
    await searchBox(page).fill(text);
    await expect(group(page, 'DNS records')).toHaveText(new RegExp(`^sprout.${name}.*A 192.0.2.77`));
  }
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/domain/${name}/dns?search=192.0.2.77`);
  await expect(page.getByRole('table', { name: 'DNS records' })).toContainText('sprout');
});

test('an option that somebody has moved to stays theirs while the matches of a longer text are on their way', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Blue Fig Trees'] });
  await enter(page, msp, '/orders');
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const longer = (url: URL) =>
    url.pathname === '/api/customer' && url.searchParams.get('search') === 'blue fig';
  await page.route(longer, async (route) => {
    await held;
    await route.continue();
  });
  await searchBox(page).fill('blue');
  await expect(group(page, 'Customers')).toHaveCount(2);
  const onTheWay = page.waitForRequest((request) => longer(new URL(request.url())));
  await searchBox(page).fill('blue fig');
  await onTheWay;
  await page.keyboard.press('ArrowUp');
  const marked = page.getByRole('option', { selected: true });
  await expect(marked).toHaveText(/^Blue Fig/);
  const label = (await marked.textContent()) ?? '';
  answer();
  await expect(page.getByRole('search').getByRole('status').filter({ hasText: /match/ })).toBeVisible();
  await expect(marked).toHaveText(label);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/customers\/[0-9a-f-]{36}/);
  await expect(page.getByRole('main')).toContainText(label.slice(0, 'Blue Fig Ltd'.length));
});

test('availability does not wait for names like it, and a premium name stays one when it is picked', async ({
  page,
}) => {
  await enter(page, await openMsp());
  const name = freshName('soon');
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const like = { domain: `gold-${name}`, status: 'available', price: 999, premium: true, own: false };
  await page.route('**/api/domain/suggestions/**', async (route) => {
    await asked;
    await route.fulfill({ json: { data: [like] } });
  });
  await searchBox(page).fill(name);
  await searchBox(page).press('Enter');
  await expect(results(page).getByText('Available')).toHaveCount(1);
  await expect(page.getByText('Looking for similar names...')).toBeVisible();
  answer();
  const row = results(page).getByRole('button', { name: new RegExp(`^${like.domain}`) });
  await expect(row).toContainText('Premium');
  await row.click();
  await expect(
    page.getByRole('region', { name: like.domain, exact: true }).getByText('Premium'),
  ).toBeVisible();
});

test('a domain of one’s own is shown as such, with a way to it', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = await registerDomain(msp, 'own');
  await enter(page, msp);
  await searchBox(page).fill(name);
  await searchBox(page).press('Enter');
  const row = results(page).getByRole('button', { name: new RegExp(`^${name}`) });
  await expect(row).toContainText('Yours');
  await expect(row).not.toContainText('USD');
  await row.click();
  const card = page.getByRole('region', { name, exact: true });
  await expect(card.getByText('This domain is yours.')).toBeVisible();
  await card.getByRole('link', { name: 'Open domain' }).click();
  await expect(page).toHaveURL(`/domain/${name}`);
});

test('a pasted list of names goes into the cart, and only what can be bought', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [free, other, taken] = [freshName('fig'), freshName('plum'), freshName('wanted')];
  await control('registrar', 'outside-world', { domain: taken });
  await enter(page, msp, '/domains/list');
  await page.getByRole('button', { name: 'Look them up' }).click();
  await expect(page.getByText('Please enter names')).toBeVisible();
  await page.getByRole('textbox', { name: 'Names' }).fill(`${free}\n${other}, ${taken}\nfig.org`);
  await expect(page.getByText('fig.org: Only .com domains are supported at the moment.')).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Look them up' }).click();
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await expect(row(free)).toContainText(/Available.*\$\d+\.\d\d/);
  await expect(row(taken)).toContainText('Taken');
  await noAxeFindings(page);
  await page.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Blue Fig Ltd' }).click();
  await page.getByRole('button', { name: /^Add 2 to cart/ }).click();
  await expect(row(free)).toContainText('In your cart');
  await expect(page.getByRole('link', { name: /^Cart, / })).toHaveAccessibleName('Cart, 2 items');
  await page.getByRole('link', { name: 'Go to cart' }).click();
  await expect(page.getByRole('region', { name: other })).toBeVisible();
  // And is bought there as everything is.
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  const dialog = page.getByRole('dialog', { name: /See the items|succe/i });
  for (const name of [free, other]) await expect(dialog).toContainText(name);
  await page.goto('/domains/list');
  await page.getByRole('textbox', { name: 'Names' }).fill(`${free}\n${other}`);
  await page.getByRole('button', { name: 'Look them up' }).click();
  await expect(row(free)).not.toContainText('Available');
});
