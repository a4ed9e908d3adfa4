import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Accounts } from './accounts.ts';
import type { Artifacts } from './database.ts';
import type { Keys } from './keys.ts';
import type { Letters } from './letters.ts';
import type { Limits } from './limits.ts';
import type { IdentityClient, Realm } from './options.ts';

/** What the handlers of one running provider share. */
export interface World {
  realm: Realm;
  accounts: Accounts;
  artifacts: Artifacts;
  limits: Limits;
  keys: Keys;
  letters: Letters;
  clients(): IdentityClient[];
  provider(): Provider;
  loginDelayMs(failures: number): number;
}

/** One request, its path already without the issuer's. */
export interface Call {
  world: World;
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
}

/** The address that the connection comes from; no header is believed. */
export function ipOf({ request }: Call): string {
  return request.socket.remoteAddress ?? 'unknown';
}

/** Who may frame what is not a page of ours: a silent sign-in runs in a frame of the portal. */
export function framePolicy(clients: readonly IdentityClient[]): string {
  const origins = clients.flatMap((client) => client.origins);
  return `frame-ancestors ${origins.length > 0 ? origins.join(' ') : "'none'"}`;
}

/** A page of ours: no scripts, not framed, posting only to itself and, by redirection, to the portal. */
export function sendPage(
  call: Call,
  status: number,
  markup: string,
  headers: Record<string, string> = {},
): void {
  const origins = call.world.clients().flatMap((client) => client.origins);
  call.response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      'img-src data:',
      `form-action ${["'self'", ...new Set(origins)].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    ...headers,
  });
  call.response.end(markup);
}
