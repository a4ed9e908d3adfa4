import { expect, type Locator, type Page, test } from '@playwright/test';
import { csrFor } from './support/certificates.ts';
import { editZone, managedDomain, registerDomain } from './support/domains.ts';
import { api, enter, openMsp, topUp } from './support/msp.ts';
import { freshName, newPerson } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** The main jobs without a pointer: every control is reached by Tab or its own keys, and shows that it has the focus. */

/** More presses of Tab than any screen has controls. */
const mostTabs = 120;

async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  await expect(target).toBeEnabled();
  for (let count = 0; count < mostTabs; count += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      expect(await showsFocus(page), `focus on ${target}`).toBe(true);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target} is not reached by Tab`);
}

/** An outline, a shadow or a border in the accent, on the control or on what draws it. */
function showsFocus(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused?.matches(':focus-visible')) return false;
    const accent = document.createElement('i');
    accent.style.color = 'var(--accent)';
    document.body.append(accent);
    const { color } = getComputedStyle(accent);
    accent.remove();
    return [focused, focused.parentElement, focused.nextElementSibling].some((shown) => {
      if (!shown) return false;
      const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(shown);
      const outlined = outlineStyle !== 'none' && outlineWidth !== '0px';
      return outlined || boxShadow !== 'none' || borderColor === color;
    });
  });
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

async function write(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

/** Opens the list of choices with the arrow, and takes the one of this name. */
async function choose(page: Page, target: Locator, name: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('ArrowDown');
  const option = page.getByRole('option', { name, exact: true });
  await expect(option).toBeVisible();
  for (let count = 0; count < 60; count += 1) {
    const active = await target.getAttribute('aria-activedescendant');
    if (active && (await option.getAttribute('id')) === active) break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await expect(option).toBeHidden();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const success = (page: Page) => page.getByText('Your order has been processed sucessfully!');

async function payAndClose(page: Page): Promise<void> {
  await press(page, button(page, 'Finalize Purchase'));
  await expect(success(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(success(page)).toBeHidden();
}

test.beforeEach(async ({ page }) => {
  // Whatever would need a pointer fails here.
  await page.addInitScript(() => {
    for (const type of ['pointerdown', 'mousedown']) {
      addEventListener(
        type,
        () => {
          throw new Error('a pointer was used');
        },
        true,
      );
    }
  });
});

test('a name is searched, put into the cart for a customer, and bought', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Red Plum GmbH'] });
  const name = freshName('keys');
  await enter(page, msp);
  await expect(page.getByText('Needs attention')).toBeVisible();
  await expect(page.getByLabel('Search your next domain')).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search your next domain')).toBeFocused();
  await page.keyboard.insertText(name);
  await page.keyboard.press('Enter');
  const offer = page.getByRole('button', { name: new RegExp(`^${name}`) });
  const card = page.getByRole('region', { name, exact: true });
  await expect(offer.or(card).first()).toBeVisible();
  if (!(await card.isVisible())) await press(page, offer);
  await press(page, card.getByRole('button', { name: 'Add to cart' }));
  await press(page, page.getByRole('link', { name: 'Go to cart' }));
  await choose(page, page.getByRole('combobox', { name: `Owner of ${name}` }), 'Red Plum GmbH');
  await payAndClose(page);
  await expect(page).toHaveURL(/\/customers$/);
  const { domains } = await control<{ domains: { domain: string }[] }>('registrar', 'state');
  expect(domains.map(({ domain }) => domain)).toContain(name);
});

test('a record is added, changed, found in the history, and deleted', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = await managedDomain(msp);
  await enter(page, msp, `/domain/${name}`);
  await tabTo(page, page.getByRole('tab', { name: 'Info' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await press(page, button(page, 'Add'));
  const dialog = page.getByRole('dialog', { name: 'Add record' });
  await choose(page, dialog.getByRole('combobox', { name: 'Type', exact: true }), 'A');
  await write(page, dialog.getByLabel('Subdomain'), 'post');
  await write(page, dialog.getByLabel('IPv4 address'), '192.0.2.30');
  await page.keyboard.press('Enter');
  const row = page.getByRole('table', { name: 'DNS records' }).getByRole('row', { name: /post/ });
  await expect(row).toContainText('192.0.2.30');
  await expect(dialog).toBeHidden();

  await press(page, button(page, `Edit A record for post.${name}`));
  await write(page, page.getByRole('form', { name: 'Edit record' }).getByLabel('IPv4 address'), '192.0.2.31');
  await page.keyboard.press('Enter');
  await expect(row).toContainText('192.0.2.31');

  await press(page, button(page, 'History'));
  await expect(page.getByRole('list', { name: 'Versions' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('list', { name: 'Versions' })).toBeHidden();
  // The focus is back where it came from.
  await expect(button(page, 'History')).toBeFocused();

  await press(page, button(page, `Delete A record for post.${name}`));
  const question = page.getByRole('dialog', { name: 'Are you sure you want to delete this record?' });
  await press(page, question.getByRole('button', { name: 'Delete' }));
  await expect(row).toBeHidden();
  const { records } = await api<{ records: { A?: object[] } }>(msp.token, 'GET', `${name}/zone`);
  expect(records.A ?? []).toEqual([]);
});

test('domains are chosen in the list, renewed, and their auto renew is switched', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const names = [await registerDomain(msp, 'alder'), await registerDomain(msp, 'birch')];
  await enter(page, msp, '/domain/list');
  const select = async () => {
    for (const name of names)
      await press(page, page.getByRole('checkbox', { name: `Select ${name}` }), 'Space');
    await expect(page.getByText('2 domains selected')).toBeVisible();
  };
  await select();
  await press(page, button(page, 'Auto renew on'));
  await press(page, button(page, 'Apply to 2 domains'));
  await expect(page.getByRole('main').locator('[data-tone]').first()).toHaveText('Done');
  await press(
    page,
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Domain management/ }),
  );
  await select();
  await press(page, button(page, 'Renew'));
  await press(page, page.getByRole('link', { name: 'View Cart' }));
  await payAndClose(page);
});

test('a customer is added with all of an address', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  await press(page, page.getByRole('link', { name: 'Add Customer' }).first());
  for (const [label, text] of [
    ['Company', 'Green Pear Ltd'],
    ['First name', 'Ann'],
    ['Last name', 'Smith'],
    ['Email', 'ann@customer.example'],
    ['Address line 1', '1 Main Street'],
    ['City', 'New York'],
  ] as const) {
    await write(page, page.getByLabel(label), text);
  }
  await write(page, page.getByRole('combobox', { name: 'State' }), 'New York');
  await choose(page, page.getByRole('combobox', { name: 'State' }), 'New York (NY)');
  await write(page, page.getByLabel('Postal code'), '10001');
  await write(page, page.getByLabel('Phone'), '2125550100');
  await press(page, button(page, 'Save'));
  await expect(page.getByRole('cell', { name: 'Green Pear Ltd', exact: true })).toBeVisible();
});

test('a certificate is ordered for a domain', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await topUp(msp.token, 100);
  const name = await managedDomain(msp);
  await enter(page, msp, '/domain/list');
  await press(page, page.getByRole('link', { name: `Purchase SSL Certificate for ${name}` }));
  await press(page, button(page, 'Paste CSR'));
  const pasting = page.getByRole('dialog', { name: 'Paste CSR' });
  await write(page, pasting.getByLabel('CSR'), csrFor(name, `keys-${name}`));
  await press(page, pasting.getByRole('button', { name: 'Use this CSR' }));
  await expect(pasting).toBeHidden();
  await payAndClose(page);
  const rows = await api<{ address: string }[]>(msp.token, 'GET', 'ssl');
  expect(rows.map(({ address }) => address)).toContain(name);
});

test('a record is put back to what it was', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const fields = { type: 'A', subdomain: 'www' };
  const name = await managedDomain(msp, [{ ...fields, action: 'add', ip_address: '192.0.2.1' }]);
  const old = { ip_address: '192.0.2.1' };
  await editZone(msp, name, [{ ...fields, action: 'update', old, fields: { ip_address: '192.0.2.66' } }]);
  await enter(page, msp, `/domain/${name}/dns`);
  const row = page.getByRole('table', { name: 'DNS records' }).getByRole('row', { name: /A www/ });
  await expect(row).toContainText('192.0.2.66');
  const what = `Put back the A record for www.${name}`;
  await press(page, row.getByRole('button', { name: what }));
  const review = page.getByRole('dialog', { name: what });
  await press(page, review.getByRole('button', { name: 'Save 1 change' }));
  await expect(row).toContainText('192.0.2.1');
  await expect(review).toBeHidden();
});

test('one change of two domains is described, looked at, applied and undone', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  // What would lose much of its zone asks for a word.
  const records = ['www', 'mail', 'shop', 'app'].map((subdomain) => ({
    ...{ type: 'A', subdomain, action: 'add', ip_address: '192.0.2.1' },
  }));
  const names = [await managedDomain(msp, records), await managedDomain(msp, records)];
  await enter(page, msp, '/changes');
  await press(page, page.getByRole('link', { name: 'New change' }).first());
  await write(page, page.getByRole('textbox', { name: 'Names' }), names.join('\n'));
  await choose(page, page.getByRole('combobox', { name: 'What to do', exact: true }), 'Add a record');
  await choose(page, page.getByRole('combobox', { name: 'Type', exact: true }), 'A');
  await write(page, page.getByLabel('Subdomain'), 'vpn');
  await write(page, page.getByLabel('IPv4 address'), '192.0.2.40');
  await write(page, page.getByLabel('Name of the change'), 'The new office line');
  await press(page, button(page, 'Review the differences'));
  await press(page, button(page, 'Apply to 2 domains'));
  await press(page, button(page, 'Undo'));
  await press(page, button(page, 'Apply to 2 domains'));
  await expect
    .poll(async () => {
      const { records } = await api<{ records: { A?: object[] } }>(msp.token, 'GET', `${names[0]}/zone`);
      return records.A?.length ?? 0;
    })
    .toBe(records.length);
});

test('a colleague is invited, a token is made, an entry of the audit log is opened', async ({ page }) => {
  const msp = await openMsp();
  const { email } = newPerson();
  await enter(page, msp, '/users');
  await press(page, button(page, 'Invite User'));
  await write(page, page.getByLabel('Email'), email);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table', { name: 'Your invites' })).toContainText(email);

  await press(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API tokens' }));
  await press(page, button(page, 'New token'));
  await write(page, page.getByRole('textbox', { name: 'Name' }), 'Monthly report');
  await press(page, page.getByRole('checkbox', { name: 'See the balance' }), 'Space');
  await press(page, button(page, 'Create token'));
  await expect(page.getByRole('dialog', { name: 'Your new token' })).toBeVisible();
  await page.keyboard.press('Escape');

  await press(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }));
  await press(page, page.getByRole('button', { name: /fields?/ }).first());
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('a domain of another registrar is checked, and its transfer ordered', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('keyed');
  await control('registrar', 'outside-world', [{ domain: name, authCode: 'EPP-2468-keys' }]);
  await enter(page, msp, '/domain/transfer');
  await write(page, page.getByRole('textbox', { name: 'Domain name' }), name);
  await press(page, button(page, 'Check'));
  await expect(page.getByText(`${name} can be transferred.`)).toBeVisible();
  await choose(
    page,
    page.getByRole('combobox', { name: 'Destination Customer for Domain Transfer *' }),
    'Blue Fig Ltd',
  );
  await write(page, page.getByLabel('AuthInfo / EPP code'), 'EPP-2468-keys');
  await press(page, button(page, 'Add to Cart'));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'View Cart' }));
  await press(page, button(page, 'Finalize Purchase'));
  await expect(page.getByRole('dialog')).toBeVisible();
});
