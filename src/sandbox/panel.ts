import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { MailPart } from './mail/index.ts';
import { messagePage, overviewPage, PANEL_STYLE } from './panel-pages.ts';
import type { ListenOptions, SandboxPart } from './part.ts';
import type { SandboxStore } from './store.ts';
import { closeServer, HttpError, listen, readJson, sendJson } from './web.ts';

export interface PanelOptions extends ListenOptions {
  store: SandboxStore;
  parts: readonly SandboxPart[];
  mail: MailPart;
}

export interface Panel {
  url: string;
  /** The same as `POST /control/<part>/<route>`. */
  control(part: string, route: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

const advanceBody = z.strictObject({
  ms: z
    .int()
    .min(0)
    .max(1000 * 86_400_000),
});

/** Starts the page that shows what the outside world holds, and the control plane that scripts it. */
export async function startPanel(options: PanelOptions): Promise<Panel> {
  const { store, parts } = options;

  function clock() {
    return { now: new Date(store.now()).toISOString(), ms: store.now() };
  }

  async function control(part: string, route: string, body: unknown = {}): Promise<unknown> {
    if (part === 'clock' && route === 'advance') {
      store.advance(advanceBody.parse(body).ms);
      return clock();
    }
    const handler = parts.find(({ name }) => name === part)?.control[route];
    if (!handler) throw new HttpError(404, `There is no ${part}/${route}; see GET /control.`);
    return (await handler(body)) ?? {};
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireOwnHost(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://panel');
    if (request.method === 'POST' && pathname.startsWith('/control/')) {
      requireJson(request);
      const [part = '', ...route] = pathname.slice('/control/'.length).split('/');
      sendJson(response, 200, await control(part, route.join('/'), await readJson(request)));
      return;
    }
    if (request.method !== 'GET') {
      throw new HttpError(405, 'Use GET, or POST below /control/.', { allow: 'GET' });
    }
    await show(pathname, searchParams, response);
  }

  async function show(pathname: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    if (pathname === '/health') return sendJson(response, 200, { ok: true });
    if (pathname === '/control') return sendJson(response, 200, routesOf(parts));
    if (pathname === '/control/clock') return sendJson(response, 200, clock());
    if (pathname === '/style.css') return send(response, 'text/css', PANEL_STYLE);
    if (pathname === '/') {
      const sections = await Promise.all(parts.map(async (part) => ({ part, tables: await part.view() })));
      const refreshSeconds = Number(query.get('refresh')) || null;
      return send(
        response,
        'text/html',
        overviewPage(sections, options.mail.list(), clock().now, refreshSeconds),
      );
    }
    const message = /^\/mail\/(\d+)$/.exec(pathname);
    const found = message ? options.mail.find(Number(message[1])) : null;
    if (found) return send(response, 'text/html', messagePage(found));
    throw new HttpError(404, 'There is nothing here.');
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.end();
      else answerFailure(response, error);
    });
  });
  const url = await listen(server, options);
  return { url, control, close: () => closeServer(server) };
}

function routesOf(parts: readonly SandboxPart[]): Record<string, string[]> {
  const routes = parts.map((part) => [part.name, Object.keys(part.control).sort()] as const);
  return { ...Object.fromEntries(routes), clock: ['advance'] };
}

/** A page from anywhere must not reach the control plane under a name of its own that points here. */
function requireOwnHost({ headers }: IncomingMessage): void {
  const name = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (name !== 'localhost' && isIP(name) === 0) throw new HttpError(421, 'Use an address or localhost.');
}

/** What a form of another site cannot send without being asked first. */
function requireJson({ headers }: IncomingMessage): void {
  if (!headers['content-type']?.startsWith('application/json'))
    throw new HttpError(415, 'Send application/json.');
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  });
  response.end(body);
}

function answerFailure(response: ServerResponse, error: unknown): void {
  if (error instanceof HttpError) {
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    sendJson(response, error.status, { error: error.message });
    return;
  }
  if (error instanceof z.ZodError) {
    sendJson(response, 400, { error: z.prettifyError(error) });
    return;
  }
  sendJson(response, 400, { error: error instanceof Error ? error.message : String(error) });
}
