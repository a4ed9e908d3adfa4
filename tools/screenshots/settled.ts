import type { Page } from 'playwright-core';

const patienceMs = 20_000;

/** Nothing is on its way, and nothing waits to be drawn. A screen that goes on loading is taken as it is. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page
    .waitForFunction(() => !document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root'), null, {
      timeout: patienceMs,
    })
    .catch(() => undefined);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** The screen shows that it waits; one that has nothing to wait for is taken as it is. */
export async function waiting(page: Page): Promise<void> {
  await page
    .locator('.mantine-Skeleton-root, .mantine-Loader-root')
    .first()
    .waitFor({ timeout: patienceMs / 2 })
    .catch(() => undefined);
}
