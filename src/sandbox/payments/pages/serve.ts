import type { IncomingMessage, ServerResponse } from 'node:http';
import { Params, parseForm } from '../form.ts';
import { matchPath, readBody } from '../http.ts';
import type { World } from '../world.ts';
import { challengePage } from './challenge.ts';
import { checkoutPage } from './checkout.ts';
import { dashboardPage } from './dashboard.ts';
import { onboardingPage } from './onboarding.ts';
import { notFound, type PageReply } from './page.ts';

const PAGES = [checkoutPage, challengePage, onboardingPage, dashboardPage];

/** Serves the provider's hosted pages. */
export async function servePage(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  within: (work: () => PageReply) => PageReply,
): Promise<void> {
  const url = new URL(request.url ?? '/', world.baseUrl);
  const method = request.method === 'POST' ? 'POST' : 'GET';
  const form = new Params(method === 'POST' ? parseForm(await readBody(request)) : {});
  const query = new Params(parseForm(url.search.slice(1)));
  for (const page of PAGES) {
    const path = matchPath(page.pattern, url.pathname);
    if (!path) continue;
    send(
      response,
      within(() => page.handle({ world, method, path, query, form })),
    );
    return;
  }
  send(response, notFound());
}

function send(response: ServerResponse, reply: PageReply): void {
  if ('redirect' in reply) {
    response.writeHead(303, { location: reply.redirect, 'cache-control': 'no-store' }).end();
    return;
  }
  response
    .writeHead(reply.status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .end(reply.html);
}
