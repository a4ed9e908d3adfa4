import { createLocalJWKSet, jwtVerify } from 'jose';
import { sendJson } from '../web.ts';
import { publicPart } from './keys.ts';
import { profile } from './provider.ts';
import { allowOrigin } from './recovery.ts';
import type { Call, World } from './world.ts';

/** `/me`: who an access token is about. As at Auth0, a token for the API serves here too (checked 2026-11-21). */
export async function serveUserinfo(call: Call): Promise<void> {
  const { world, request, response } = call;
  allowOrigin(call);
  if (request.method === 'OPTIONS') {
    response.writeHead(204, {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization',
      'access-control-max-age': '600',
    });
    response.end();
    return;
  }
  const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
  const subject = scheme.toLowerCase() === 'bearer' ? await subjectOf(world, token) : null;
  const user = subject === null ? null : world.accounts.byId(subject);
  if (!user) {
    response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
    sendJson(response, 401, { error: 'invalid_token', error_description: 'invalid token provided' });
    return;
  }
  sendJson(response, 200, { sub: user.id, ...profile(user) });
}

async function subjectOf({ realm, keys }: World, token: string): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: keys.all().map(publicPart) }), {
      issuer: realm.issuer,
      audience: realm.audience,
    });
    return payload.sub ?? null;
  } catch {
    return null;
  }
}
