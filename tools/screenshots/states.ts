import type { Page, Route } from 'playwright-core';
import type { State } from './screens.ts';

/** What a screen needs before it is one: who is there, and what portal this is. */
const needed = /\/api\/(config|user)(\?|$)/;
const longerBy = 'international-consolidated-';
const names = new Set([
  'address',
  'domain',
  'organization',
  'customer',
  'email',
  'actor',
  'username',
  'name',
]);

/** Lets the page meet this state: no answer, a refusal, or names as long as they may be. */
export async function meet(page: Page, state: State): Promise<void> {
  if (state === 'filled' || state === 'empty') return;
  await page.route('**/api/**', async (route) => {
    const request = route.request();
    if (request.method() !== 'GET' || needed.test(request.url())) return route.fallback();
    if (state === 'loading') return;
    if (state === 'error') return refuse(route);
    await lengthen(route);
  });
}

function refuse(route: Route): Promise<void> {
  const json = { message: 'Something went wrong', code: 'internal', requestId: '3f6c2e9a-1b7d' };
  return route.fulfill({ status: 500, json });
}

async function lengthen(route: Route): Promise<void> {
  // What follows from a longer name is asked for by the real one.
  const reply = await route.fetch({ url: route.request().url().replaceAll(longerBy, '') });
  const isJson = reply.headers()['content-type']?.includes('json') ?? false;
  if (!reply.ok() || !isJson) return route.fulfill({ response: reply });
  await route.fulfill({ response: reply, json: longer(await reply.json()) });
}

function longer(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => longer(each, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, longer(each, name)]));
  }
  if (typeof value !== 'string' || value === '' || !names.has(key)) return value;
  if (value.includes('@')) return `a.person.with.a.remarkably.long.address.indeed.${value}`;
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(value)) return `${longerBy}${value}`;
  return `The ${value} International Consolidated Holding Company of Northern Territories`;
}
