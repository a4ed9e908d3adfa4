import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, expect, test } from '@playwright/test';
import { screens, type Viewer } from '../../tools/screenshots/screens.ts';
import { seededPortal } from '../../tools/screenshots/seeded-portal.ts';
import { settled, watchRequests } from '../../tools/screenshots/settled.ts';
import { openAs, pathOf } from '../../tools/screenshots/viewers.ts';

const contexts = new Map<Viewer, BrowserContext>();
const portal = await seededPortal();
test.afterAll(() => portal.stop());

/** The clock of the page stands at the hour after the seeding: what is told relative to now stays the same. */
const { seededAt } = JSON.parse(readFileSync(join(portal.dataDir, 'seeded.json'), 'utf8')) as {
  seededAt: string;
};
const now = Date.parse(seededAt) + 3_600_000;

// What is random each time has nothing to compare with, and what leaves something behind makes the next run differ.
const compared = screens.filter(
  ({ viewer, leaves }) => (viewer === 'staff' || viewer === 'visitor') && !leaves,
);

/** A screen that still loads says nothing: on a busy machine one waits longer than for a picture. */
const patienceMs = 90_000;

for (const { name, viewer, path, open } of compared) {
  test(name, async ({ browser }) => {
    const context = contexts.get(viewer) ?? (await openAs(viewer, browser, portal));
    contexts.set(viewer, context);
    const page = await context.newPage();
    watchRequests(page);
    await page.clock.setFixedTime(now);
    await page.goto(await pathOf({ path }, portal));
    await page.locator('main h1, main h2').first().waitFor();
    await settled(page, patienceMs);
    if (open) {
      await open(page);
      await settled(page, patienceMs);
    }
    // The caret, the pointer's place, and moments that are told by the server.
    await page.mouse.move(0, 0);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const mask = [page.locator('main time')];
      await expect.soft(page).toHaveScreenshot(`${name}-${width}.png`, { mask, animations: 'disabled' });
    }
    await page.close();
  });
}
