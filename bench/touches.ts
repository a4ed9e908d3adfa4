import type { BrowserContext, Locator, Page } from 'playwright-core';
import { shownDomain } from '../tools/screenshots/screens.ts';
import { median, type Result } from './result.ts';

const mostMs = 100;
/** A quarter of this processor, as Lighthouse takes a slow phone to be. */
const throttling = 4;
/** Single touches scatter by a half: each act is repeated on pages that were just opened, and the middle one counts. */
const times = 5;
/** Between two letters, until what the first one asked for is there; and the longest wait for a paint to be reported. */
const restMs = 900;

interface Touched {
  events: number[];
  onPaint: () => void;
}
/** Of the page. */
declare const touched: Touched;

/**
 * From a touch or a key to the next paint, on a slow phone: the worst of each screen's usual acts (the browser's own measure,
 * Interaction to Next Paint).
 */
export async function* measureTouches(context: BrowserContext): AsyncGenerator<Result> {
  const page = await context.newPage();
  await page.setViewportSize({ width: 412, height: 823 });
  await page.addInitScript(() => {
    const own: Touched = { events: [], onPaint: () => undefined };
    Object.assign(window, { touched: own });
    new PerformanceObserver((list) => {
      const entries = list.getEntries() as (PerformanceEntry & { interactionId: number })[];
      const acts = entries.filter(({ interactionId }) => interactionId);
      own.events.push(...acts.map(({ duration }) => duration));
      if (acts.some(({ name }) => name === 'click' || name === 'keydown')) own.onPaint();
    }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit);
  });
  for (const [screen, acts] of Object.entries(actsOf(page))) {
    let worst = { what: 'nothing', ms: 0, leastMs: 0, mostMs: 0 };
    for (const act of acts) {
      const { what } = act;
      const tookMs: number[] = [];
      while (tookMs.length < times) tookMs.push(await touch(page, act));
      const taken = { what, ms: median(tookMs), leastMs: Math.min(...tookMs), mostMs: Math.max(...tookMs) };
      console.log(`    ${screen}, ${inWords(taken)}`);
      if (taken.ms > worst.ms) worst = taken;
    }
    const { what: _, ...figures } = worst;
    yield {
      name: `slow phone: a touch to the next paint, ${screen}`,
      measured: inWords(worst),
      ...{ target: `≤ ${mostMs} ms`, passed: worst.ms <= mostMs, figures },
    };
  }
  await page.close();
}

const inWords = (taken: { what: string; ms: number; leastMs: number; mostMs: number }) =>
  `${taken.ms} ms (${taken.leastMs} to ${taken.mostMs}; ${taken.what})`;

interface Act {
  what: string;
  path: string;
  at: Locator;
  /** Typed then. */
  letters?: string;
  /** Pressed afterwards, so that the next one finds what this one found. */
  undo?: Locator;
}

function actsOf(page: Page): Record<string, Act[]> {
  const main = page.getByRole('main');
  const list = '/domain/list';
  const domain = `/domain/${shownDomain}`;
  const link = main.getByRole('link', { name: /\.com$/ }).first();
  const remove = main.getByRole('button', { name: /^Remove/ }).first();
  const undo = page.getByRole('button', { name: 'Undo' });
  return {
    start: [
      { what: 'menu', path: '/', at: page.getByRole('button', { name: 'Open navigation' }) },
      { what: 'account menu', path: '/', at: page.getByRole('button', { name: /^Account menu/ }) },
      { what: 'letters in the search', path: '/', at: page.getByRole('combobox').first(), letters: 'anc' },
    ],
    list: [
      { what: 'letters in its search', path: list, at: main.getByRole('textbox').first(), letters: 'an' },
      { what: 'a customer is looked for', path: list, at: main.getByRole('combobox').first(), letters: 'an' },
      { what: 'one is chosen', path: list, at: main.getByRole('checkbox').nth(1) },
      { what: 'a domain is opened', path: list, at: link },
    ],
    detail: [
      { what: 'records', path: domain, at: page.getByRole('tab').nth(1) },
      { what: 'health', path: domain, at: page.getByRole('tab').last() },
    ],
    cart: [
      { what: 'an owner is looked for', path: '/cart', at: main.getByRole('combobox').first() },
      { what: 'an item is taken out', path: '/cart', at: remove, undo },
    ],
  };
}

/** The place is found before the processor is slow: a finger does not search the page for it. */
async function touch(page: Page, { path, at, letters = '', undo }: Act): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  await at.scrollIntoViewIfNeeded();
  const box = await at.boundingBox();
  if (!box) throw new Error(`${path} does not show what is touched`);
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttling });
  await page.evaluate(() => {
    touched.events = [];
  });
  await painted(page, () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2));
  for (const letter of letters) {
    await page.waitForTimeout(restMs);
    await painted(page, () => page.keyboard.press(letter));
  }
  const events = await page.evaluate(() => touched.events);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await session.detach();
  await undo?.click();
  return Math.max(0, ...events);
}

/** Done when the browser has reported the paint. It never reports one that took less than 16 ms. */
async function painted(page: Page, act: () => Promise<void>): Promise<void> {
  const reported = page.evaluate(
    (mostMs) =>
      new Promise<void>((done) => {
        touched.onPaint = done;
        setTimeout(done, mostMs);
      }),
    restMs,
  );
  await act();
  await reported;
}
