import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { hashWebSources } from '../src/start/builds.ts';
import { axeFindings } from '../tests/support/axe.ts';
import { sweep } from '../tests/support/sweep.ts';
import { ensureChromium } from './browser.ts';
import { makePictures } from './screenshots/pictures.ts';
import { type Screen, type State, screens, type Viewer } from './screenshots/screens.ts';
import { seededPortal } from './screenshots/seeded-portal.ts';
import { settled, waiting, watchRequests } from './screenshots/settled.ts';
import { meet } from './screenshots/states.ts';
import { openAs, pathOf } from './screenshots/viewers.ts';

/**
 * `npm run screenshots`: every screen and dialog at four widths, light and dark, in each of its states, into
 * `screenshots/`. Uses the seeded portal that runs on the data folder, or starts and seeds one. `--only=cart,billing`,
 * `--state=filled`, `--width=390`, `--theme=dark` and `--out=folder` narrow it; `--resume` leaves out
 * what was taken of the same sources before, so that a run can be interrupted. `--axe` also looks at all of them with axe, and
 * `--sweep` for words broken inside and figures that are cut at every width; `--blind` takes no pictures of them.
 * `--pictures` makes those of the docs and of the landing page, and nothing else.
 */

const { values: asked } = parseArgs({
  options: {
    ...{ only: { type: 'string' }, state: { type: 'string' }, width: { type: 'string' } },
    ...{ theme: { type: 'string' }, out: { type: 'string', default: 'screenshots' } },
    ...{ pictures: { type: 'boolean', default: false }, axe: { type: 'boolean', default: false } },
    ...{ sweep: { type: 'boolean', default: false }, blind: { type: 'boolean', default: false } },
    resume: { type: 'boolean', default: false },
  },
});
const listed = (text: string | undefined, all: readonly string[]) => text?.split(',') ?? all;
const names = listed(
  asked.only,
  screens.map(({ name }) => name),
);
const states = listed(asked.state, ['filled', 'empty', 'loading', 'error', 'long']);
const widths = listed(asked.width, ['1440', '1024', '768', '390']).map(Number);
const themes = listed(asked.theme, ['light', 'dark']) as ('light' | 'dark')[];
/** A longer page is cut: what comes below looks like what is above. */
const mostHeight = 2_000;
const patienceMs = 30_000;

const sources = await hashWebSources(join(import.meta.dirname, '..'));

const portal = await seededPortal();
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: ['--no-sandbox', '--disable-gpu'],
});
const contexts = new Map<Viewer, BrowserContext>();
try {
  if (asked.pictures) await makePictures(await as('staff'));
  else for (const screen of screens) if (names.includes(screen.name)) await takeAll(screen);
} finally {
  await browser.close();
  await portal.stop();
}

/** Told at once: a run is long, and may be stopped. */
function fail(what: string): void {
  console.error(what);
  process.exitCode = 1;
}

async function takeAll(screen: Screen): Promise<void> {
  for (const state of ['filled', ...(screen.states ?? [])] as State[]) {
    if (!states.includes(state) || (asked.resume && isTaken(screen, state))) continue;
    const page = await (await as(state === 'empty' ? 'beginner' : screen.viewer)).newPage();
    watchRequests(page);
    try {
      await take(page, screen, state);
    } catch (error) {
      fail(`${screen.name}, ${state}: ${error instanceof Error ? error.message : error}`);
    } finally {
      await page.close();
    }
  }
}

async function take(page: Page, screen: Screen, state: State): Promise<void> {
  page.setDefaultTimeout(patienceMs);
  mkdirSync(resolve(asked.out, screen.name), { recursive: true });
  await page.setViewportSize({ width: 1440, height: 900 });
  await meet(page, state);
  await page.goto(await pathOf(screen, portal));
  await page.locator('main h1, main h2, main form, main [role=alert]').first().waitFor();
  if (screen.viewer === 'operator') await signInAsOperator(page);
  if (state === 'loading') await waiting(page);
  else await settled(page);
  if (screen.open) await screen.open(page);
  if (state !== 'loading') await settled(page);
  // First: a screen that waits gives up while it is looked at on a slow machine.
  if (!asked.blind) await takePictures(page, screen, state);
  if (asked.axe) await lookAt(page, screen, state);
  if (asked.sweep && !screen.open) await sweepOver(page, screen, state);
  writeFileSync(markOf(screen, state), sources);
  console.log(`${screen.name}, ${state}`);
}

async function takePictures(page: Page, screen: Screen, state: State): Promise<void> {
  const folder = resolve(asked.out, screen.name);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      // A dialog stands in the window, not in the page behind it.
      const height = screen.open ? 0 : await page.evaluate(() => document.documentElement.scrollHeight);
      await page.setViewportSize({ width, height: Math.min(Math.max(900, height), mostHeight) });
      await page.screenshot({ path: join(folder, `${state}-${width}-${theme}.png`) });
    }
  }
}

function markOf({ name }: Screen, state: State): string {
  return resolve(asked.out, name, `.${state}`);
}

function isTaken(screen: Screen, state: State): boolean {
  const mark = markOf(screen, state);
  return existsSync(mark) && readFileSync(mark, 'utf8') === sources;
}

/** The widest and the narrowest; in the dark only colours differ. */
async function lookAt(page: Page, screen: Screen, state: State): Promise<void> {
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    for (const width of [Math.max(...widths), Math.min(...widths)]) {
      await page.setViewportSize({ width, height: 900 });
      const found = await axeFindings(page, theme === 'dark' ? ['color-contrast'] : undefined);
      for (const finding of found) fail(`${screen.name}, ${state}, ${width}, ${theme}: ${finding}`);
    }
  }
}

async function sweepOver(page: Page, screen: Screen, state: State): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  for (const fault of await sweep(page)) fail(`${screen.name}, ${state}, ${fault}`);
}

/** The key is kept in the page's memory only. */
async function signInAsOperator(page: Page): Promise<void> {
  const key = await portal.operatorKey();
  await page.getByLabel(/key/i).first().fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('tab').first().waitFor();
}

async function as(viewer: Viewer): Promise<BrowserContext> {
  const known = contexts.get(viewer);
  if (known) return known;
  const context = await openAs(viewer, browser, portal);
  contexts.set(viewer, context);
  return context;
}
