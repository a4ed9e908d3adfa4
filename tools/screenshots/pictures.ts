import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { shownDomain } from './screens.ts';
import { settled, watchRequests } from './settled.ts';

const root = join(import.meta.dirname, '../..');
const docs = join(root, 'docs/images');
const landing = join(root, 'src/web/public/pictures');

/** Of the README: as a window of a laptop. */
const window = { width: 1440, height: 900 };
/** Of the landing page: drawn at double density, the wide ones as wide as they are shown there. */
const shapes = {
  wide: { width: 1280, height: 800, pixels: 1_600 },
  narrow: { width: 390, height: 560, pixels: 780 },
};
const quality = 80;

/** What the landing page shows, by the name of the picture. */
const shown = { start: '/', dns: `/domain/${shownDomain}/dns` };

/** The pictures of the README, and those of the landing page in both themes, for wide and narrow screens. */
export async function makePictures(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(window);
  for (const [name, path] of Object.entries({ ...shown, cart: '/cart' })) {
    await open(page, path, 'light');
    await keep(page, join(docs, `${name}.png`));
  }
  await emptyCart(page);
  await page.close();
  mkdirSync(landing, { recursive: true });
  for (const [shape, { pixels, ...size }] of Object.entries(shapes)) {
    for (const theme of ['light', 'dark'] as const) {
      for (const [name, path] of Object.entries(shown)) {
        await takeForLanding(context, path, { size, pixels, theme, file: `${name}-${shape}-${theme}.webp` });
      }
    }
  }
}

async function takeForLanding(
  context: BrowserContext,
  path: string,
  how: { size: { width: number; height: number }; pixels: number; theme: 'light' | 'dark'; file: string },
): Promise<void> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.setViewportSize(how.size);
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ ...how.size, deviceScaleFactor: 2, mobile: false },
  });
  await open(page, path, how.theme);
  const { data } = await session.send('Page.captureScreenshot', { format: 'png' });
  await sharp(Buffer.from(data, 'base64'))
    .resize({ width: how.pixels })
    .webp({ quality })
    .toFile(join(landing, how.file));
  await page.close();
}

/** With few colours a picture of a screen is a third as large. */
async function keep(page: Page, path: string): Promise<void> {
  await sharp(await page.screenshot())
    .png({ palette: true })
    .toFile(path);
}

/** What lies in the cart is the viewer's, and says nothing on other screens. */
async function emptyCart(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage))
      if (key.startsWith('nameward.cart.')) localStorage.removeItem(key);
  });
}

async function open(page: Page, path: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  watchRequests(page);
  await page.goto(path);
  // Before the portal knows who looks, there is only a frame.
  await page.getByRole('button', { name: /^Account menu, (?!Hello)/ }).waitFor();
  await page.locator('main h1').first().waitFor();
  await settled(page);
  // What is hovered or focused shows more than a reader needs.
  await page.mouse.move(0, 0);
}
