import { expect, type Page, test } from '@playwright/test';
import { enter, openMsp } from './support/msp.ts';

interface Seen {
  text: string | null;
  x: number;
  y: number;
  width: number;
  font: string;
  colour: string;
}

/** The heading, with the typeface there. A wide window has the heading's own line to itself, so its text is measured. */
const headingOf = (page: Page, within: string) =>
  page.evaluate(async (place): Promise<Seen> => {
    await document.fonts.ready;
    const h1 = document.querySelector(`${place} h1`) as HTMLElement;
    const range = document.createRange();
    range.selectNodeContents(h1);
    const { x, y, width } = range.getBoundingClientRect();
    const { fontSize, fontWeight, lineHeight, letterSpacing, color } = getComputedStyle(h1);
    const font = `${fontWeight} ${fontSize}/${lineHeight} ${letterSpacing}`;
    return { text: h1.textContent, ...{ x, y, width: Math.round(width), font, colour: color } };
  }, within);

const barOf = (page: Page, within: string) =>
  page.evaluate((place) => {
    const box = (what: string) => document.querySelector(`${place} ${what}`)?.getBoundingClientRect();
    const [bar, name] = [box('header'), box('header :is(a, span) > span')];
    return { height: bar?.height, nameX: name?.x, nameY: name?.y };
  }, within);

const app = '**/assets/main-*.js';

/** Opens it with the app held back, and then lets the app come. */
async function bothLooks(page: Page, path: string) {
  const held = Promise.withResolvers<void>();
  await page.route(app, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(path, { waitUntil: 'commit' });
  const picture = page.locator('#root + div');
  await picture.locator('h1').waitFor({ state: 'attached' });
  const before = { ...(await headingOf(page, '#root + div')), ...(await barOf(page, '#root + div')) };
  held.resolve();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect(picture.locator('h1')).toHaveCount(0);
  // The lines of the header and what comes before a heading have their places by now.
  await page.waitForLoadState('networkidle');
  await page.unroute(app);
  return { before, after: { ...(await headingOf(page, '#root')), ...(await barOf(page, '#root')) } };
}

for (const width of [412, 1280]) {
  test(`before the app is there, the frame and the heading are drawn where they stay, ${width} px wide`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 823 });
    const visitor = await bothLooks(page, '/');
    expect(visitor.before).toEqual(visitor.after);
    await enter(page, await openMsp(), '/cart');
    for (const path of ['/', '/domain/list', '/customers', '/orders', '/cart', '/domain/not-ours.com']) {
      const { before, after } = await bothLooks(page, path);
      expect(before, path).toEqual(after);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await bothLooks(page, '/domain/list');
    expect(dark.before).toEqual(dark.after);
  });
}

test('where the app cannot be loaded, the page says so and offers to load again', async ({ page }) => {
  await page.route(app, (route) => route.abort());
  await page.goto('/');
  await expect(page.getByRole('alert')).toContainText('The portal could not be loaded.');
  await page.unroute(app);
  await page.getByRole('button', { name: 'Reload page' }).click();
  await expect(page.getByRole('button', { name: 'Get Started Today' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});
