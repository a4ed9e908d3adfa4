import { expect, type Locator, type Page, test } from '@playwright/test';
import { managedDomain, registerDomain } from './support/domains.ts';
import { enter, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
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

/** What a person can press, choose or write in within `root`, by what it is called. Runs in the page. */
function controlsIn(root: string): string[] {
  const all = document.querySelectorAll<HTMLElement>(
    `${root} :is(a[href], button, input, textarea, select, [role="tab"])`,
  );
  return [...all].flatMap((control) => {
    const { disabled, type, name } = control as HTMLInputElement;
    // Of several tabs or radio buttons one is reached by Tab, the others by the arrows.
    const one = control.role === 'tab' || type === 'radio';
    // What clears a field is done by its keys.
    const inField = control.tabIndex < 0 && control.closest('.mantine-Input-wrapper');
    const left = control.closest('[aria-hidden="true"]') || inField || disabled || one;
    if (left || ['hidden', 'file'].includes(type)) return [];
    if (!control.checkVisibility({ visibilityProperty: true })) return [];
    const label = (control as HTMLInputElement).labels?.[0]?.textContent ?? control.textContent;
    return [`${control.tagName} ${control.ariaLabel || label || name}`];
  });
}

/** Presses Tab until every control within `root` had the focus and has shown it. */
async function expectAllReached(page: Page, root: string): Promise<void> {
  const left = new Set(await page.evaluate(controlsIn, root));
  expect(left.size, root).toBeGreaterThan(0);
  for (let count = 0; count < mostTabs && left.size > 0; count += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const control = document.activeElement as HTMLInputElement;
      const label = control.labels?.[0]?.textContent ?? control.textContent;
      return `${control.tagName} ${control.ariaLabel || label || control.name}`;
    });
    if (left.delete(focused)) expect(await showsFocus(page), `focus on ${focused}`).toBe(true);
  }
  expect([...left], `of ${page.url()}, not reached by Tab`).toEqual([]);
}

test('every control of the forms, the lists and a dialog is reached by Tab, and shows it; the focus returns to where a dialog came from', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = await managedDomain(msp, [
    { type: 'A', subdomain: 'www', action: 'add', ip_address: '192.0.2.1' },
  ]);
  await enter(page, msp, '/orders');
  for (const [path, there] of [
    ['/customers/add', page.getByLabel('Postal code')],
    ['/domain/transfer', page.getByLabel('AuthInfo / EPP code')],
    ['/changes/new', page.getByLabel('Name of the change')],
    ['/users', button(page, 'Invite User')],
    ['/tokens', button(page, 'New token')],
    ['/audit', page.getByRole('button', { name: /fields?/ }).first()],
    [`/domain/${name}`, page.getByRole('switch', { name: /auto renew/i }).first()],
    [`/domain/${name}/dns`, button(page, `Edit A record for www.${name}`)],
  ] as const) {
    await page.goto(path);
    await expect(there).toBeVisible();
    await page.waitForLoadState('networkidle');
    // Where "Skip to content" leads.
    await page.locator('#main').focus();
    await expectAllReached(page, '#main');
  }
  await press(page, button(page, 'Add'));
  const dialog = page.getByRole('dialog', { name: 'Add record' });
  await choose(page, dialog.getByRole('combobox', { name: 'Type', exact: true }), 'A');
  await expectAllReached(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button(page, 'Add')).toBeFocused();
});

/** Whether what has the focus can be seen: nothing that stays in place lies over its middle. */
function isUncovered(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const focused = document.activeElement ?? document.body;
    const { left, top, width, height } = focused.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return there !== null && (focused.contains(there) || there.contains(focused));
  });
}

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]) {
  test(`what has the focus lies under no bar, down a long list and up again, on a window of ${viewport.width}`, async ({
    page,
  }) => {
    const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
    const records = Array.from({ length: 25 }, (_unused, at) => ({
      ...{ type: 'A', subdomain: `host${at}`, action: 'add', ip_address: '192.0.2.1' },
    }));
    const name = await managedDomain(msp, records);
    await page.setViewportSize(viewport);
    await enter(page, msp, `/domain/${name}/dns`);
    await expect(button(page, `Delete A record for host24.${name}`)).toBeVisible();
    await page.locator('.skip-link').focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('#main')).toBeFocused();
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toBeInViewport();
    const last = button(page, `Delete A record for host24.${name}`);
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let count = 0; count < mostTabs; count += 1) {
        await page.keyboard.press(key);
        const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120));
        expect(await isUncovered(page), `${key} to ${focused}`).toBe(true);
        const isEnd =
          key === 'Tab'
            ? await last.evaluate((element) => element === document.activeElement)
            : await page.evaluate(
                () => document.activeElement?.id === 'main' || !document.activeElement?.closest('main'),
              );
        if (isEnd) break;
      }
    }
  });
}
