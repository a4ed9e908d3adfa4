import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';

const root = join(import.meta.dirname, '../..');
const size = { width: 1440, height: 900 };
/** Of the landing page: as wide as it is shown there on a screen of double density. */
const landingWidth = 1_600;

/** The pictures of the README, and those of the landing page in both themes. */
export async function makePictures(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(size);
  const docs = join(root, 'docs/images');
  await open(page, '/', 'light');
  await keep(page, join(docs, 'start.png'));
  await open(page, '/cart', 'light');
  await keep(page, join(docs, 'cart.png'));
  const folder = join(root, 'src/web/public/pictures');
  mkdirSync(folder, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    await open(page, '/', theme);
    const picture = await page.screenshot({ scale: 'device' });
    await sharp(picture)
      .resize({ width: landingWidth })
      .webp({ quality: 82 })
      .toFile(join(folder, `start-${theme}.webp`));
  }
  await page.close();
}

/** With few colours a picture of a screen is a third as large. */
async function keep(page: Page, path: string): Promise<void> {
  await sharp(await page.screenshot())
    .png({ palette: true })
    .toFile(path);
}

async function open(page: Page, path: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.goto(path);
  await page.locator('main h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  // What is hovered or focused shows more than a reader needs.
  await page.mouse.move(0, 0);
}
