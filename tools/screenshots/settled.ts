import type { Page } from 'playwright-core';

const patienceMs = 20_000;
/** Nothing is drawn for so long. */
const quietMs = 300;
/** What goes when the screen has its data. A certificate that is being issued has a sign of its own, for hours. */
const loading = '.mantine-Skeleton-root, .mantine-Loader-root:not([data-lasting])';

const open = new WeakMap<Page, { count: number }>();

/** Counts what is on its way, from the page's first request on. */
export function watchRequests(page: Page): void {
  const seen = { count: 0 };
  open.set(page, seen);
  page.on('request', () => {
    seen.count += 1;
  });
  const ended = () => {
    seen.count -= 1;
  };
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
}

/** Nothing is on its way, and nothing waits to be drawn. A screen that goes on loading is taken as it is. */
export async function settled(page: Page, patience = patienceMs): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  const until = Date.now() + patience;
  do await quiet(page);
  while ((open.get(page)?.count ?? 0) > 0 && Date.now() < until);
  await page
    .waitForFunction((loading) => !document.querySelector(loading), loading, { timeout: patience })
    .catch(() => undefined);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** The page has drawn nothing for a while; one that always moves is taken as it is. */
async function quiet(page: Page): Promise<void> {
  await page.evaluate(
    ([calm, patience]) =>
      new Promise<void>((done) => {
        const end = () => {
          observer.disconnect();
          done();
        };
        let timer = setTimeout(end, calm);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(end, calm);
        });
        observer.observe(document, { subtree: true, childList: true, attributes: true });
        setTimeout(end, patience);
      }),
    [quietMs, patienceMs / 4] as const,
  );
}

/** The screen shows that it waits; one that has nothing to wait for is taken as it is. */
export async function waiting(page: Page): Promise<void> {
  await page
    .locator(loading)
    .first()
    .waitFor({ timeout: patienceMs / 2 })
    .catch(() => undefined);
}
