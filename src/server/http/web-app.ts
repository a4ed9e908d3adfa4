import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix, relative, resolve, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { PublicConfig } from '#contracts/operations/system.ts';
import { allowStyles } from './security-headers.ts';

/** Stands in the built page wherever a nonce belongs (Vite's `html.cspNonce`); another one for each reply. */
const noncePlace = '__CSP_NONCE__';
/** Stands in the built page where what the web app asks first belongs: then it need not ask. */
const configPlace = '__PUBLIC_CONFIG__';
/** Anybody may ask for pages as often as they like, and the name of whose portal it is comes from the database. */
const configKeptMs = 2_000;
/** The page that silent sign-in loads in a frame of our own; no other page is ever framed. */
const framedPage = '/auth/silent-callback.html';
/** It and its script are the same in most versions, and do without each other's latest one. */
const ofFrame = 'public, max-age=86400';

export type SendPage = (reply: FastifyReply) => Promise<FastifyReply>;

export interface WebAppOptions {
  siteName?: string | null | undefined;
  /** Absent, or out of order: the web app asks for it. */
  publicConfig?: (() => Promise<PublicConfig>) | undefined;
}

/**
 * Serves the built web app: hashed files for ever, the page itself never from a cache. Gives back what sends the page,
 * or null when nothing is built (in development another server serves the pages).
 */
export async function serveWebApp(
  app: FastifyInstance,
  directory: string,
  { siteName, publicConfig }: WebAppOptions = {},
): Promise<SendPage | null> {
  const root = resolve(directory);
  const pageFile = `${root}/index.html`;
  if (!existsSync(pageFile)) return null;
  const page = named(readFileSync(pageFile, 'utf8'), siteName);
  const configNow = keptFor(configKeptMs, async () => publicConfig?.().catch(() => null) ?? null);
  const sendPage: SendPage = async (reply) => {
    const config = page.includes(configPlace) ? await configNow() : null;
    const nonce = page.includes(noncePlace) ? randomBytes(16).toString('base64url') : null;
    if (nonce) allowStyles(reply, nonce);
    return reply
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(
        page
          .replaceAll(noncePlace, () => nonce ?? '')
          .replace(configPlace, () => (config ? escaped(JSON.stringify(config)) : '')),
      );
  };
  const config = { place: 'page' } as const;
  app.get('/', { config }, (_request, reply) => sendPage(reply));
  app.get('/index.html', { config }, (_request, reply) => sendPage(reply));
  await app.register((files, _options, done) => {
    files.addHook('onRoute', (route) => {
      route.config = { ...route.config, place: route.url === framedPage ? 'frame' : 'page' };
    });
    files.register(fastifyStatic, {
      root,
      serve: false,
      index: false,
      dotfiles: 'ignore',
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const file = path.slice(root.length);
        const known = file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : null;
        const framed = file.startsWith('/auth/') ? ofFrame : null;
        reply.header('cache-control', known ?? framed ?? 'no-cache');
      },
    });
    // As its own routes do.
    files.setErrorHandler((error, request) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
        throw error;
      request.raw.destroy();
    });
    const known = filesIn(root);
    for (const file of known) {
      const isAlone = posix.dirname(file) === '/' || file === framedPage;
      if (isAlone) files.get(file, (_request, reply) => reply.sendFile(file));
    }
    // One route for a folder: each file's own would take 5 KB, and there are a hundred.
    for (const folder of new Set([...known].map((file) => posix.dirname(file)))) {
      if (folder === '/') continue;
      files.get<{ Params: { name: string } }>(`${folder}/:name`, ({ params }, reply) => {
        const file = `${folder}/${params.name}`;
        return known.has(file) ? reply.sendFile(file) : reply.callNotFound();
      });
    }
    done();
  });
  return sendPage;
}

/** What is asked for by name: neither the page, nor what is hidden, nor what a file is sent as when it is small. */
function filesIn(root: string): ReadonlySet<string> {
  const urls = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(root, resolve(entry.parentPath, entry.name)).split(sep).join('/')}`);
  return new Set(urls.filter((url) => !/\/\.|\.(br|gz)$|^\/index\.html$/.test(url)));
}

/** The answer of a moment ago is as good. */
function keptFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let kept: { atMs: number; answer: Promise<T> } | null = null;
  return () => {
    const atMs = performance.now();
    if (kept === null || atMs - kept.atMs >= ms) kept = { atMs, answer: ask() };
    return kept.answer;
  };
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The page under another name; under nobody's it has no picture either (decision 90). */
function named(page: string, siteName: string | null | undefined): string {
  if (siteName === undefined) return page;
  const name = escaped(siteName ?? 'Customer portal');
  const renamed = page.replaceAll('Nameward', () => name);
  return siteName === null ? renamed.replace(/(<link rel="icon" href=")[^"]*/, '$1data:,') : renamed;
}
