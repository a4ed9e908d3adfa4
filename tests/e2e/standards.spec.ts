import { expect, type Locator, test } from '@playwright/test';
import { enter, type Msp, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { contrastWithin } from './support/pixels.ts';

async function withDomain(): Promise<{ msp: Msp; domain: string }> {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const domain = freshName('standard');
  await own(msp, [domain], msp.customers[0]?.customerId ?? '');
  return { msp, domain };
}

test('switches, the lines of fields and what Enter would choose are seen in light, dark and the system’s own colours', async ({
  page,
}) => {
  const { msp, domain } = await withDomain();
  const media = [
    { colorScheme: 'light' as const, forcedColors: 'none' as const },
    { colorScheme: 'dark' as const, forcedColors: 'none' as const },
    { colorScheme: 'light' as const, forcedColors: 'active' as const },
    { colorScheme: 'dark' as const, forcedColors: 'active' as const },
  ];
  await enter(page, msp, `/domain/${domain}`);
  const track = page.locator('.mantine-Switch-track').first();
  const off = page.getByRole('switch', { name: /auto renew/i }).first();
  for (const one of media) {
    await page.emulateMedia({ reducedMotion: 'reduce', ...one });
    await expect(track).toBeVisible();
    expect(await contrastWithin(track), `switch, ${JSON.stringify(one)}`).toBeGreaterThanOrEqual(3);
    const before = await track.screenshot();
    await off.click();
    await expect(async () => expect((await track.screenshot()).equals(before)).toBe(false)).toPass();
    await off.click();
    await expect(off).not.toBeChecked();
  }
  await page.goto('/customers/add');
  const field = page.getByRole('textbox', { name: 'Company' });
  await expect(field).toBeVisible();
  for (const one of media) {
    await page.emulateMedia({ reducedMotion: 'reduce', ...one });
    expect(await contrastWithin(field), `field, ${JSON.stringify(one)}`).toBeGreaterThanOrEqual(3);
  }
  await page.getByRole('combobox', { name: /^Country/ }).click();
  await page.keyboard.type('germ');
  const first = page.getByRole('option', { name: 'Germany' });
  await expect(first).toHaveAttribute('data-combobox-selected', /true/);
  for (const one of media) {
    await page.emulateMedia({ reducedMotion: 'reduce', ...one });
    expect(await contrastWithin(first, 8), `chosen option, ${JSON.stringify(one)}`).toBeGreaterThanOrEqual(
      4.5,
    );
  }
});

/** Screens of every kind: a start, lists, a detail, forms, money. */
const kinds = (domain: string) => [
  ...['/', '/domain/list', `/domain/${domain}`, `/domain/${domain}?tab=advanced`, '/customers/add'],
  ...['/cart', '/account', '/account/statement', '/audit'],
];

test('on paper there is the content alone, dark on white, with its headings; at 400 % zoom the head leaves with the page, and the content has the window', async ({
  page,
}) => {
  const { msp, domain } = await withDomain();
  await page.emulateMedia({ colorScheme: 'dark' });
  await enter(page, msp, `/domain/${domain}`);
  const heading = page.getByRole('heading', { level: 2 }).first();
  await expect(heading).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.getByRole('contentinfo')).toBeHidden();
  for (const navigation of await page.locator('nav').all()) await expect(navigation).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(heading).toBeVisible();
  const colours = await page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    return { backgroundColor, color };
  });
  expect(colours).toEqual({ backgroundColor: 'rgb(255, 255, 255)', color: 'rgb(0, 0, 0)' });
  // A table is printed whole, with its head and no column cut off.
  await page.goto('/account/statement');
  await expect(page.getByRole('table').first()).toBeVisible();
  await page.setViewportSize({ width: 720, height: 1000 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720);
  await expect(page.getByRole('banner')).toBeHidden();

  await page.emulateMedia({ colorScheme: 'light', media: 'screen' });
  await page.setViewportSize({ width: 320, height: 200 });
  for (const path of kinds(domain)) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => window.scrollTo(0, 600));
    await expect.poll(() => page.evaluate(covered), path).toBeLessThanOrEqual(0.3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320);
  }
});

/** Which part of the window is under something that stays. Runs in the page. */
function covered(): number {
  let height = 0;
  for (const box of document.querySelectorAll('body *')) {
    const { position } = getComputedStyle(box);
    if (position !== 'sticky' && position !== 'fixed') continue;
    const { top, bottom, width } = box.getBoundingClientRect();
    if (width < window.innerWidth / 2) continue;
    height += Math.max(0, Math.min(bottom, window.innerHeight) - Math.max(top, 0));
  }
  return height / window.innerHeight;
}

test('after a change of screen the keyboard goes on from the screen; in the system’s own colours, what is chosen, pressed or focused still differs from what is not', async ({
  page,
}) => {
  const { msp, domain } = await withDomain();
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
  await enter(page, msp, '/domain/list');
  await expect(page.getByRole('table', { name: 'Domains' })).toContainText(domain);
  const focused = () => page.evaluate(() => document.activeElement?.id ?? document.activeElement?.tagName);
  await page.getByRole('link', { name: domain }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/domain/${domain}`);
  await expect.poll(focused).toBe('main');
  await page.goBack();
  await expect(page.getByRole('table', { name: 'Domains' })).toBeVisible();
  expect(await focused()).not.toBe('BODY');
  // The row that Enter opens.
  await page.keyboard.press('Control+k');
  const options = page.getByRole('option');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  const outline = (index: number) =>
    options.nth(index).evaluate((option) => getComputedStyle(option).outlineStyle);
  expect(await outline(0)).toBe('solid');
  expect(await outline(1)).toBe('none');
  await page.keyboard.press('Escape');
  // The tab that is open, the entry of the navigation, a chosen row.
  await page.goto(`/domain/${domain}`);
  const differs = async (chosen: Locator, other: Locator) => {
    const look = (element: Element) => {
      const { color, borderColor, backgroundColor, outlineStyle, fontWeight, boxShadow } =
        getComputedStyle(element);
      return [color, borderColor, backgroundColor, outlineStyle, fontWeight, boxShadow].join();
    };
    expect(await chosen.evaluate(look)).not.toBe(await other.evaluate(look));
  };
  await differs(
    page.getByRole('tab', { selected: true }),
    page.getByRole('tab', { selected: false }).first(),
  );
  const side = page.getByRole('navigation', { name: 'Main' });
  await differs(
    side.getByRole('link', { name: /^Domain management/ }),
    side.getByRole('link', { name: 'Home' }),
  );
});
