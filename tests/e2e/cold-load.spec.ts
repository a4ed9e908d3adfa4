import { expect, type Locator, type Page, test } from '@playwright/test';
import { enter, type Msp, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';

const mostShift = 0.02;
const mostRequests = 25;
const mostCalls = 10;

interface Shifts {
  shift: number;
  moved: string[];
}

async function withDomain(): Promise<{ msp: Msp; domain: string }> {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const domain = freshName('cold');
  await own(msp, [domain], msp.customers[0]?.customerId ?? '');
  return { msp, domain };
}

type Screen = [path: string, withItsData: Locator];

/** Screens, each with something that only its data show. */
const screensOf = (page: Page, domain: string): Screen[] => [
  ['/', page.getByRole('region', { name: 'Latest changes' }).getByRole('listitem').first()],
  ['/domain/list', page.getByRole('link', { name: domain, exact: true })],
  [`/domain/${domain}`, page.getByRole('region', { name: 'Life of this domain' })],
  ['/domain/renewals', page.getByText('Nothing falls due in the next 90 days')],
  ['/customers', page.getByRole('link', { name: 'Blue Fig Ltd' })],
];

async function load(page: Page, [path, withItsData]: Screen): Promise<void> {
  await page.goto(path);
  await withItsData.waitFor();
  await page.waitForLoadState('networkidle');
}

/** The page has written down what it asked for by itself; what it fetched for later is not among it. */
async function kept(page: Page, path: string, calls: readonly string[]): Promise<void> {
  const asks = async () => {
    const text = await page.evaluate(() => localStorage.getItem('nameward.asks'));
    const { pages } = JSON.parse(text ?? '{"pages":[]}') as { pages: [string, string[]][] };
    return pages.find(([of]) => of === path)?.[1] ?? [];
  };
  const asked = calls
    .map((call) => new URL(call.slice('GET '.length)))
    .map((url) => url.pathname + url.search);
  await expect.poll(asks, { message: path }).toHaveLength(asked.length);
  expect(asked).toEqual(expect.arrayContaining(await asks()));
}

/**
 * Each answer waits until what came before it has been painted: whatever moves when data arrive is seen to move. As in life, what the
 * registrar is asked for comes last.
 */
async function paintBetweenAnswers(page: Page): Promise<void> {
  await page.route('**/api/**', async (route) => {
    const frames = route.request().url().includes('all_info') ? 30 : 2;
    await page
      .evaluate(async (count) => {
        for (let n = 0; n < count; n += 1) await new Promise((done) => requestAnimationFrame(done));
      }, frames)
      .catch(() => undefined);
    await route.continue();
  });
}

/** Adds up how far the page moves under its reader, from the first paint on. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shifts = { shift: 0, moved: [] };
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      const entries = list.getEntries() as (PerformanceEntry & {
        value: number;
        sources?: { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }[];
      })[];
      for (const { value, sources } of entries) {
        shifts.shift += value;
        const boxes = (sources ?? []).map(
          ({ node, previousRect, currentRect }) =>
            `${node?.outerHTML?.slice(0, 120)} ${JSON.stringify(previousRect)} ${JSON.stringify(currentRect)}`,
        );
        shifts.moved.push(`${value}: ${boxes.join(' | ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

test('a screen on an empty cache makes at most 25 requests, 10 of them for data, none twice; on a cold load nothing moves when the shell, the screen and its data arrive', async ({
  page,
}) => {
  const { msp, domain } = await withDomain();
  await enter(page, msp, '/');
  // An interception switches the browser's cache off.
  await page.route('**/nowhere', (route) => route.abort());
  let made: string[] = [];
  page.on('request', (request) => made.push(`${request.method()} ${request.url()}`));
  for (const screen of screensOf(page, domain)) {
    // What the screen before has left is not this one's.
    await page.goto('about:blank');
    made = [];
    await load(page, screen);
    const all = `${screen[0]}\n${made.join('\n')}`;
    expect(made.length, all).toBeLessThanOrEqual(mostRequests);
    const calls = made.filter((one) => one.includes('/api/'));
    expect(calls.length, all).toBeGreaterThan(0);
    expect(calls.length, all).toBeLessThanOrEqual(mostCalls);
    const repeated = made.filter((one, index) => made.indexOf(one) !== index);
    expect(repeated, screen[0]).toEqual([]);
    // Every country with its telephone numbers: the screen of a domain changes no contact by itself (docs/decisions/0361).
    if (screen[0].startsWith(`/domain/${domain}`)) expect(all).not.toContain('/assets/contacts-');
    // The next time it asks ahead what it has asked now, and neither more nor less.
    await kept(page, screen[0], calls);
    await page.goto('about:blank');
    made = [];
    await load(page, screen);
    expect(made.filter((one) => one.includes('/api/')).sort(), screen[0]).toEqual(calls.sort());
  }

  await paintBetweenAnswers(page);
  await watchShifts(page);
  for (const [width, height] of [
    [1280, 720],
    [412, 823],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const screen of screensOf(page, domain)) {
      await load(page, screen);
      const { shift, moved } = await page.evaluate(() => (window as unknown as { shifts: Shifts }).shifts);
      expect(shift, `${screen[0]} at ${width}\n${moved.join('\n')}`).toBeLessThanOrEqual(mostShift);
    }
  }
});

test('the first look has the line to itself, and the records of a domain are asked for together with the screen around them', async ({
  page,
}) => {
  const { msp, domain } = await withDomain();
  await enter(page, msp, '/');
  const html = await (await page.request.get('/')).text();
  const named = html.match(/<link rel="(?:modulepreload|preload" as="style)"[^>]*>/g) ?? [];
  expect(named.length).toBeGreaterThan(2);
  for (const link of named) expect(link).toContain('fetchpriority="low"');
  const tabAsked = page.waitForRequest(/managed-dns-tab/);
  await page.route('**/assets/domain-detail-*.js', async (route) => {
    await tabAsked;
    await route.continue();
  });
  await page.goto(`/domain/${domain}/dns`);
  await expect(page.getByRole('switch', { name: /^Collect changes/ })).toBeVisible();
});

test('who comes back sees their screen before the provider has answered, cannot act on it until it has, and asks it for nothing that the page brings', async ({
  page,
}) => {
  const { msp, domain } = await withDomain();
  await enter(page, msp, '/');
  const list: Screen = ['/domain/list', page.getByRole('link', { name: domain, exact: true })];
  await load(page, list);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const answer = Promise.withResolvers<void>();
  await page.route(/response_type=code/, async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.goto(list[0]);
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await expect(page.locator('main[inert]').getByRole('heading', { name: 'Domains' })).toBeVisible();
  expect(asked.filter((url) => url.includes('/api/'))).toEqual([]);
  await expect(page.getByText('Signing you in…')).toBeVisible();
  answer.resolve();
  await list[1].waitFor();
  await expect(page.locator('main[inert]')).toHaveCount(0);
  await expect(page.getByText('Signing you in…')).toHaveCount(0);
  expect(asked.filter((url) => /api\/config|openid-configuration/.test(url))).toEqual([]);
});

test('who opens a screen again has its data and the program of members asked for before the app is there, and the app asks for neither', async ({
  page,
}) => {
  const { msp, domain } = await withDomain();
  await enter(page, msp, '/');
  const list: Screen = ['/domain/list', page.getByRole('link', { name: domain, exact: true })];
  await load(page, list);
  const path = '/api/domain?page=1&pageSize=50&sort=address';
  const asks = () => page.evaluate(() => localStorage.getItem('nameward.asks') ?? '');
  await expect.poll(asks).toContain(path);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const app = Promise.withResolvers<void>();
  await page.route('**/assets/main-*.js', async (route) => {
    await app.promise;
    await route.continue();
  });
  const answered = page.waitForResponse((reply) => reply.url().endsWith(path));
  await page.goto(list[0], { waitUntil: 'commit' });
  const answer = await answered;
  expect([answer.status(), await answer.request().headerValue('authorization')]).toEqual([
    200,
    expect.stringMatching(/^Bearer /),
  ]);
  const ahead = asked.filter((url) => url.includes('/api/'));
  // And what all members need of the program.
  expect(asked).toContainEqual(expect.stringMatching(/\/assets\/members-[^/]+\.js$/));
  app.resolve();
  await list[1].waitFor();
  await page.waitForLoadState('networkidle');
  expect(asked.filter((url) => url.includes('/api/'))).toEqual(ahead);
});

test('a tab beside another one of the person shows their data before the provider has answered, asks it afterwards, and goes when they sign out', async ({
  page,
  context,
}) => {
  const { msp, domain } = await withDomain();
  await enter(page, msp, '/');
  await load(page, ['/domain/list', page.getByRole('link', { name: domain, exact: true })]);
  const other = await context.newPage();
  const answer = Promise.withResolvers<void>();
  await other.route(/response_type=code/, async (route) => {
    await answer.promise;
    await route.continue();
  });
  const renewed = other.waitForResponse((reply) => /\/token$/.test(reply.url()));
  await other.goto('/domain/list');
  await other.getByRole('link', { name: domain, exact: true }).waitFor();
  await expect(other.locator('main[inert]')).toHaveCount(0);
  answer.resolve();
  expect((await renewed).status()).toBe(200);
  await expect(other.getByRole('link', { name: domain, exact: true })).toBeVisible();

  await page.getByRole('button', { name: `Account menu, ${msp.person.organization}` }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(other.getByRole('navigation', { name: 'Main' })).toHaveCount(0);
});
