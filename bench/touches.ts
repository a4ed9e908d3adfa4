import type { BrowserContext, Locator, Page } from 'playwright-core';
import { shownDomain } from '../tools/screenshots/screens.ts';
import type { Result } from './result.ts';

const mostMs = 100;
/** A quarter of this processor, as Lighthouse takes a slow phone to be. */
const throttling = 4;
/** Until the paint after a touch has been reported, and what it asked for is there. */
const restMs = 900;

interface Touched {
  events: number[];
}

/**
 * From a touch or a key to the next paint, on a slow phone: the worst of each screen's usual acts (the browser's own measure,
 * Interaction to Next Paint).
 */
export async function* measureTouches(context: BrowserContext): AsyncGenerator<Result> {
  const page = await context.newPage();
  await page.setViewportSize({ width: 412, height: 823 });
  await page.addInitScript(() => {
    const touched: Touched = { events: [] };
    Object.assign(window, { touched });
    new PerformanceObserver((list) => {
      for (const event of list.getEntries() as (PerformanceEntry & { interactionId: number })[])
        if (event.interactionId) touched.events.push(event.duration);
    }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit);
  });
  for (const [screen, acts] of Object.entries(actsOf(page))) {
    let worst = { what: 'nothing', ms: 0 };
    for (const act of acts) {
      const [what] = act;
      const ms = await touch(page, act);
      console.log(`    ${screen}, ${what}: ${ms} ms`);
      if (ms > worst.ms) worst = { what, ms };
    }
    yield {
      name: `slow phone: a touch to the next paint, ${screen}`,
      measured: `${worst.ms} ms (${worst.what})`,
      ...{ target: `≤ ${mostMs} ms`, passed: worst.ms <= mostMs, figures: { worstMs: worst.ms } },
    };
  }
  await page.close();
}

/** What is touched, and the letters that are typed then. */
type Act = [what: string, path: string, at: Locator, letters?: string];

function actsOf(page: Page): Record<string, Act[]> {
  const main = page.getByRole('main');
  const list = '/domain/list';
  const domain = `/domain/${shownDomain}`;
  const link = main.getByRole('link', { name: /\.com$/ }).first();
  const remove = main.getByRole('button', { name: /^Remove/ }).first();
  return {
    start: [
      ['menu', '/', page.getByRole('button', { name: 'Open navigation' })],
      ['account menu', '/', page.getByRole('button', { name: /^Account menu/ })],
      ['letters in the search', '/', page.getByRole('combobox').first(), 'anc'],
    ],
    list: [
      ['letters in its search', list, main.getByRole('textbox').first(), 'an'],
      ['a customer is looked for', list, main.getByRole('combobox').first(), 'an'],
      ['one is chosen', list, main.getByRole('checkbox').nth(1)],
      ['a domain is opened', list, link],
    ],
    detail: [
      ['records', domain, page.getByRole('tab').nth(1)],
      ['health', domain, page.getByRole('tab').last()],
    ],
    cart: [
      ['an owner is looked for', '/cart', main.getByRole('combobox').first()],
      ['an item is taken out', '/cart', remove],
    ],
  };
}

/** The place is found before the processor is slow: a finger does not search the page for it. */
async function touch(page: Page, [, path, at, letters = '']: Act): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  await at.scrollIntoViewIfNeeded();
  const box = await at.boundingBox();
  if (!box) throw new Error(`${path} does not show what is touched`);
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttling });
  await page.evaluate(() => {
    (window as unknown as { touched: Touched }).touched.events = [];
  });
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForTimeout(restMs);
  for (const letter of letters) {
    await page.keyboard.press(letter);
    await page.waitForTimeout(restMs);
  }
  const events = await page.evaluate(() => (window as unknown as { touched: Touched }).touched.events);
  await session.detach();
  return Math.max(0, ...events);
}
