import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MailPart, startMail } from '../mail/index.ts';
import { openStore, type SandboxStore } from '../store.ts';
import { type IdentityOptions, type IdentityPart, startIdentity } from './index.ts';

export const PORTAL = 'http://127.0.0.1:4999';
export const CALLBACK = `${PORTAL}/callback`;
export const CLIENT = {
  client_id: 'nameward',
  redirect_uris: [CALLBACK],
  post_logout_redirect_uris: [`${PORTAL}/`],
  origins: [PORTAL],
};
export const AUDIENCE = 'https://nameward.example/api';

export interface Stand {
  store: SandboxStore;
  mail: MailPart;
  identity: IdentityPart;
  start(options?: Partial<IdentityOptions>): Promise<IdentityPart>;
  close(): Promise<void>;
}

/** A provider with a mailbox in a directory of its own. */
export async function openStand(): Promise<Stand> {
  const dir = await mkdtemp(join(tmpdir(), 'sandbox-identity-'));
  const store = openStore(dir);
  const mail = await startMail({ store, host: '127.0.0.1', port: 0 });
  const running: IdentityPart[] = [];
  async function start(options: Partial<IdentityOptions> = {}): Promise<IdentityPart> {
    const part = await startIdentity({
      store,
      mail,
      host: '127.0.0.1',
      port: 0,
      clients: [CLIENT],
      audience: AUDIENCE,
      loginDelayMs: () => 0,
      ...options,
    });
    running.push(part);
    return part;
  }
  const identity = await start();
  return {
    store,
    mail,
    identity,
    start,
    async close() {
      for (const part of running) await part.close();
      await mail.close();
      store.close();
      await rm(dir, { recursive: true });
    },
  };
}

/** Calls the control plane as a test of another part would. */
export async function control<T = unknown>(
  part: IdentityPart,
  route: string,
  body: unknown = {},
): Promise<T> {
  const handler = part.control[route];
  if (!handler) throw new Error(`no control route ${route}`);
  return (await handler(body)) as T;
}

export async function mintToken(part: IdentityPart, body: Record<string, unknown> = {}): Promise<string> {
  await control(part, 'users/add', { email: 'ada@example.org', name: 'Ada' });
  return (await control<{ token: string }>(part, 'tokens/mint', { email: 'ada@example.org', ...body })).token;
}

export interface Metadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  userinfo_endpoint: string;
  jwks_uri: string;
  end_session_endpoint: string;
  revocation_endpoint: string;
}

export interface Tokens {
  access_token: string;
  id_token: string;
  refresh_token?: string;
  expires_in: number;
  scope: string;
  error?: string;
}

export interface Page {
  status: number;
  url: URL;
  headers: Headers;
  text: string;
}

/** Cookies, redirects and forms as a browser has them, as far as signing in needs it. */
export class TestBrowser {
  private readonly jar = new Map<string, { value: string; path: string }>();

  /** Follows redirections inside the provider and stops before one to the portal. */
  async open(address: string, init: RequestInit = {}): Promise<Page> {
    let url = new URL(address);
    let request = init;
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: this.headers(url, request),
      });
      this.keep(response, url);
      const location = response.headers.get('location');
      const text = await response.text();
      if (!location) return { status: response.status, url, headers: response.headers, text };
      url = new URL(location, url);
      if (url.origin === PORTAL) return { status: response.status, url, headers: response.headers, text };
      request = {};
    }
    throw new Error('too many redirections');
  }

  post(address: string, fields: Record<string, string>): Promise<Page> {
    return this.open(address, { method: 'POST', body: new URLSearchParams(fields) });
  }

  private headers(url: URL, { headers }: RequestInit): Record<string, string> {
    const sent = [...this.jar].filter(([, { path }]) => url.pathname.startsWith(path));
    return {
      accept: 'text/html',
      cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; '),
      ...(headers as Record<string, string> | undefined),
    };
  }

  private keep(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/);
      const [name = '', ...value] = pair.split('=');
      const path =
        attributes.find((text) => text.toLowerCase().startsWith('path='))?.slice(5) ?? url.pathname;
      if (value.join('=') === '' || /expires=Thu, 01 Jan 1970/i.test(line)) this.jar.delete(name);
      else this.jar.set(name, { value: value.join('='), path });
    }
  }
}

export async function metadataOf(issuer: string): Promise<Metadata> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  return (await response.json()) as Metadata;
}

/** The portal's side: a single-page app with PKCE. */
export class TestApp {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly metadata: Metadata;

  constructor(metadata: Metadata) {
    this.metadata = metadata;
  }

  authorizeUrl(extra: Record<string, string | null> = {}): string {
    const params: Record<string, string | null> = {
      client_id: CLIENT.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid profile email offline_access',
      state: 's1',
      nonce: 'n1',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...extra,
    };
    const kept = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== null);
    return `${this.metadata.authorization_endpoint}?${new URLSearchParams(kept)}`;
  }

  async token(
    fields: Record<string, string>,
    origin = PORTAL,
  ): Promise<{ response: Response; tokens: Tokens }> {
    const response = await fetch(this.metadata.token_endpoint, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ client_id: CLIENT.client_id, ...fields }),
    });
    return { response, tokens: (await response.json()) as Tokens };
  }

  exchange(callback: URL) {
    const code = callback.searchParams.get('code');
    if (!code) throw new Error(`no code in ${callback.href}`);
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: this.verifier,
    });
  }

  refresh(refreshToken: string | undefined) {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken ?? '' });
  }
}

export const PASSWORD = 'correct horse battery';

/** Signs in with the form and answers with the way back to the portal. */
export async function signIn(
  browser: TestBrowser,
  app: TestApp,
  email: string,
  password = PASSWORD,
): Promise<Page> {
  const form = await browser.open(app.authorizeUrl());
  return browser.post(`${form.url.origin}${form.url.pathname}/login`, { email, password });
}
