import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { withoutEnd } from '../ends.ts';
import type { SandboxPart } from '../part.ts';
import { closeServer, HttpError, listen } from '../web.ts';
import { openAccounts } from './accounts.ts';
import { identityControl, type Outage } from './control.ts';
import { makeTables, openArtifacts, openSettings, type Settings } from './database.ts';
import { serveInteraction } from './interaction.ts';
import { openKeys } from './keys.ts';
import { createLetters } from './letters.ts';
import { growingDelayMs, openLimits } from './limits.ts';
import type { IdentityOptions, Realm } from './options.ts';
import { errorPage } from './pages.ts';
import { createProvider } from './provider.ts';
import { changePassword, saveNewPassword, showNewPassword, verifyEmail } from './recovery.ts';
import { STYLE } from './style.ts';
import { serveUserinfo } from './userinfo.ts';
import { view } from './view.ts';
import { type Call, framePolicy, sendPage, type World } from './world.ts';

export type { IdentityClient, IdentityOptions, Shape } from './options.ts';

export interface IdentityPart extends SandboxPart {
  /** To the letter as tokens and metadata have it. */
  issuer: string;
  /** The keys that were current when asked, e.g. to see which ones a test dropped. */
  kids(): string[];
}

/** Starts the OpenID provider with its own pages for signing in, signing up and recovering an account. */
export async function startIdentity(options: IdentityOptions): Promise<IdentityPart> {
  const { store } = options;
  makeTables(store);
  const name = options.realm ?? 'main';
  const settings = openSettings(store, name);
  const keys = await openKeys(settings);
  const cookieSecret = secretOf(settings);

  // The issuer needs the port: requests that come before it is known have to wait for the few lines below.
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(503, { 'retry-after': '1' }).end();
  };
  const server = createServer((request, response) => handle(request, response));
  const url = await listen(server, options);

  const realm = realmOf(options, url);
  const accounts = openAccounts(store, name);
  const artifacts = openArtifacts(store, name);
  const letters = createLetters(realm, accounts, options.mail);
  let { clients } = options;
  let outage: Outage = { on: false };
  const build = () => createProvider({ realm, clients, accounts, artifacts, keys: keys.all(), cookieSecret });
  let provider = build();
  let library = provider.callback();
  const rebuild = () => {
    provider = build();
    library = provider.callback();
  };
  const world: World = {
    realm,
    accounts,
    artifacts,
    limits: openLimits(store, name),
    keys,
    letters,
    clients: () => clients,
    provider: () => provider,
    loginDelayMs: options.loginDelayMs ?? growingDelayMs,
  };
  handle = (request, response) => {
    const call = toCall(world, request, response);
    if (outage.on && outage.paths.some((path) => call.path.startsWith(path))) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('out of order');
      return;
    }
    serve(call, library).catch((error: unknown) => fail(call, error));
  };

  return {
    name: name === 'main' ? 'identity' : `identity-${name}`,
    url: realm.baseUrl,
    issuer: realm.issuer,
    kids: () => keys.all().map((key) => key.kid),
    control: identityControl({
      world,
      setOutage(next) {
        outage = next;
      },
      rebuild,
      setClients(next) {
        clients = next;
        rebuild();
      },
    }),
    view: () => view(world),
    async close() {
      await closeServer(server);
      await letters.idle();
    },
  };
}

function realmOf(options: IdentityOptions, url: string): Realm {
  const shape = options.shape ?? {};
  const origin = withoutEnd(options.publicUrl ?? url, '/');
  const basePath = withoutEnd(shape.issuerPath ?? '', '/');
  const baseUrl = `${origin}${basePath}`;
  return {
    store: options.store,
    name: options.realm ?? 'main',
    baseUrl,
    basePath: withoutEnd(new URL(baseUrl).pathname, '/'),
    issuer: shape.trailingSlash ? `${baseUrl}/` : baseUrl,
    audience: options.audience,
    shape,
    secure: baseUrl.startsWith('https:'),
  };
}

/** Signs the cookies; kept, so that a restart signs nobody out. */
function secretOf(settings: Settings): string {
  const known = settings.read('cookie-secret');
  if (typeof known === 'string') return known;
  const fresh = randomBytes(32).toString('base64url');
  settings.write('cookie-secret', fresh);
  return fresh;
}

/** The path below the issuer's; the library finds the issuer's own part by comparing `url` with `originalUrl`. */
function toCall(world: World, request: IncomingMessage, response: ServerResponse): Call {
  const original = request.url ?? '/';
  const { basePath } = world.realm;
  const inside = basePath !== '' && (original === basePath || original.startsWith(`${basePath}/`));
  const url = inside ? original.slice(basePath.length) || '/' : original;
  Object.assign(request, { originalUrl: original, url });
  const [path = '/', query = ''] = url.split('?');
  return { world, request, response, path, query: new URLSearchParams(query) };
}

async function serve(call: Call, library: ReturnType<Provider['callback']>): Promise<void> {
  const { world, request, response, path } = call;
  const isGet = request.method === 'GET';
  if (path === '/assets/style.css' && isGet) {
    response.writeHead(200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' });
    response.end(STYLE);
    return;
  }
  if (path.startsWith('/interaction/')) return serveInteraction(call);
  if (path === '/dbconnections/change_password') return changePassword(call);
  if (path === '/verify-email' && isGet) return verifyEmail(call);
  if (path === '/reset-password') return isGet ? showNewPassword(call) : saveNewPassword(call);
  if (path === '/me') return serveUserinfo(call);
  response.setHeader('content-security-policy', framePolicy(world.clients()));
  response.setHeader('referrer-policy', 'no-referrer');
  await library(request, response);
}

function fail(call: Call, error: unknown): void {
  const { world, request, response } = call;
  const known = error instanceof HttpError ? error : null;
  if (!known) console.error('identity provider failed', error);
  if (response.headersSent) {
    response.end();
    return;
  }
  const status = known?.status ?? 500;
  const text = known?.message ?? 'Something went wrong here.';
  if (request.headers.accept?.includes('text/html')) {
    sendPage(call, status, errorPage(world.realm, world.clients(), text), known?.headers);
    return;
  }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...known?.headers });
  response.end(text);
}
