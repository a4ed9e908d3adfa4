import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { freePort } from '../src/server/kernel/db/embedded.ts';
import { ensureChromium } from '../tools/browser.ts';
import { shownDomain } from '../tools/screenshots/screens.ts';
import { seededPortal } from '../tools/screenshots/seeded-portal.ts';
import { signInAs } from '../tools/screenshots/viewers.ts';
import { median, type Result } from './result.ts';
import { measureTouches } from './touches.ts';

/** Fetched when it is asked for: with all it needs it is 180 MB, and nothing else uses it (docs/decisions/0238). */
const lighthouse = 'lighthouse@13.5.0';
const least = { performance: 95, accessibility: 100, 'best-practices': 100 } as const;
type Category = keyof typeof least;
const mostShift = 0.02;
const mostHoveredMs = 100;
/** On a slow phone, as Lighthouse has it when nothing else is asked for: a quarter of this processor, 150 ms each way, 1.6 Mbit/s. */
const paintMs = 1_200;
/** Single ones scatter by a tenth. */
const looksEach = 5;

const screens = {
  start: '/',
  list: '/domain/list',
  detail: `/domain/${shownDomain}`,
  records: `/domain/${shownDomain}/dns`,
  cart: '/cart',
};

/** What Lighthouse makes of the main screens of the seeded portal, and how soon a screen that was hovered paints. */
export async function* measureLighthouse(): AsyncGenerator<Result> {
  await using stack = new AsyncDisposableStack();
  const portal = stack.adopt(await seededPortal(), (running) => running.stop());
  const folder = stack.adopt(await mkdtemp(join(tmpdir(), 'nameward-lighthouse-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const port = await freePort(9_400);
  // Lighthouse works in the browser's own window: the person is signed in there.
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    ...{ executablePath: ensureChromium(), baseURL: portal.url, viewport: null },
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  });
  stack.defer(() => context.close());
  yield* resultsOf('landing', await look(portal.url, { port, folder }));
  await signInAs('staff', context, portal);
  for (const [name, path] of Object.entries(screens)) {
    const url = portal.url + path;
    yield* resultsOf(name, await look(url, { port, folder }));
    const onPhone = () => look(url, { port, folder, isPhone: true });
    const often = async (before = async () => {}) => {
      const looks: Report[] = [];
      while (looks.length < looksEach) {
        await before();
        looks.push(await onPhone());
      }
      return looks;
    };
    yield largestPaint(name, 'somebody who comes back', await often());
    const beside = await context.newPage();
    await beside.goto('/');
    await beside.waitForLoadState('networkidle');
    yield largestPaint(name, 'beside another tab', await often());
    await beside.close();
    yield firstPaint(name, await often(() => emptyCache(context)));
  }
  yield await measureHovered(context);
  yield* measureTouches(context);
}

interface Report {
  categories: Record<Category, { score: number | null }>;
  audits: Record<string, { score: number | null; numericValue?: number; title: string }>;
}

async function emptyCache(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.close();
}

const msOf = ({ audits }: Report, audit: string) => audits[audit]?.numericValue ?? Number.POSITIVE_INFINITY;

/** When the largest thing that a person sees is there: the middle of the looks. */
function largestPaint(screen: string, who: string, looks: readonly Report[]): Result {
  const of = (audit: string) => looks.map((report) => msOf(report, audit));
  const paints = of('largest-contentful-paint');
  const ms = median(paints);
  const [leastMs, mostMs] = [Math.min(...paints), Math.max(...paints)];
  const [blockedMs, shift] = [median(of('total-blocking-time')), Math.max(...of('cumulative-layout-shift'))];
  const about = `${Math.round(leastMs)} to ${Math.round(mostMs)}; blocked ${Math.round(blockedMs)} ms, shift ${shift.toFixed(3)}`;
  return {
    name: `Lighthouse on a slow phone: largest paint of ${screen}, ${who}`,
    measured: `${Math.round(ms)} ms (${about})`,
    ...{
      target: `≤ ${paintMs} ms`,
      passed: ms <= paintMs,
      figures: { ms, leastMs, mostMs, blockedMs, shift },
    },
  };
}

/** When there is something to read for who has none of the app's files, as after an update (docs/decisions/0361). */
function firstPaint(screen: string, looks: readonly Report[]): Result {
  const of = (audit: string) => median(looks.map((report) => msOf(report, audit)));
  const [ms, largestMs] = [of('first-contentful-paint'), of('largest-contentful-paint')];
  return {
    name: `Lighthouse on a slow phone: first paint of ${screen}, empty cache`,
    measured: `${Math.round(ms)} ms (the largest after ${Math.round(largestMs)} ms)`,
    ...{ target: `≤ ${paintMs} ms`, passed: ms <= paintMs, figures: { ms, largestMs } },
  };
}

async function look(
  url: string,
  { port, folder, isPhone = false }: { port: number; folder: string; isPhone?: boolean },
): Promise<Report> {
  const path = join(folder, 'report.json');
  const categories = isPhone ? 'performance' : Object.keys(least).join(',');
  const args = [
    ...['--yes', lighthouse, url, `--port=${port}`, '--disable-storage-reset', '--quiet'],
    ...(isPhone ? [] : ['--preset=desktop']),
    ...[`--only-categories=${categories}`, '--output=json', `--output-path=${path}`],
  ];
  const child = spawn('npx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const status = await new Promise<number | null>((done) => child.once('exit', done));
  if (status !== 0) throw new Error(`Lighthouse ended with ${status}.`);
  return JSON.parse(await readFile(path, 'utf8')) as Report;
}

function resultsOf(screen: string, report: Report): Result[] {
  const scores = (Object.keys(least) as Category[]).map((category): Result => {
    const score = Math.round((report.categories[category].score ?? 0) * 100);
    const name = `Lighthouse: ${category} of ${screen}`;
    const passed = score >= least[category];
    if (!passed) console.log(`  ${name}, not perfect: ${imperfect(report)}`);
    return { name, measured: `${score}`, target: `≥ ${least[category]}`, passed, figures: { score } };
  });
  const shift = report.audits['cumulative-layout-shift']?.numericValue ?? Number.POSITIVE_INFINITY;
  const measured = shift.toFixed(3);
  return [
    ...scores,
    {
      ...{ name: `Lighthouse: layout shift of ${screen}`, measured, target: `≤ ${mostShift}` },
      ...{ passed: shift <= mostShift, figures: { shift } },
    },
  ];
}

const imperfect = ({ audits }: Report) =>
  Object.values(audits)
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ title }) => title)
    .join('; ');

/** From the press on a link that the pointer has been on, to the paint of the screen behind it. */
async function measureHovered(context: BrowserContext): Promise<Result> {
  const page = await context.newPage();
  // Wide enough for the navigation to stand beside the screen.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/');
  await page.waitForLoadState('networkidle');
  const tookMs: number[] = [];
  for (const [label, heading] of [
    ['Customers', 'Your current customers'],
    ['Orders', 'Orders'],
    ['Renewals', 'Renewals'],
    ['Domain management', 'Domains'],
    ['Users', 'Users'],
  ] as const) {
    tookMs.push(await change(page, label, heading));
  }
  const middleMs = median(tookMs);
  return {
    ...{ name: 'change to a screen that was hovered', measured: `${Math.round(middleMs)} ms` },
    ...{ target: `≤ ${mostHoveredMs} ms`, passed: middleMs <= mostHoveredMs },
    figures: { middleMs, worstMs: Math.max(...tookMs) },
  };
}

async function change(page: Page, label: string, heading: string): Promise<number> {
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label });
  await link.hover();
  // As long as a hand takes from arriving to pressing, and until what was asked for ahead is there.
  await page.waitForLoadState('networkidle');
  await page.evaluate((text) => {
    const state = window as unknown as { painted: Promise<number> };
    state.painted = new Promise((done) => {
      const onPress = ({ timeStamp }: MouseEvent) => {
        const seen = () => document.querySelector('main h1')?.textContent?.startsWith(text);
        const onFrame = () => {
          if (seen()) setTimeout(() => done(performance.now() - timeStamp));
          else requestAnimationFrame(onFrame);
        };
        requestAnimationFrame(onFrame);
      };
      document.addEventListener('click', onPress, { capture: true, once: true });
    });
  }, heading);
  await link.click();
  return page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted);
}
