import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createHttpClient } from '#kernel/http-client.ts';
import { createOidc } from './index.ts';

/** An OpenID provider of the tests: metadata, keys and user information over HTTP, and tokens of any shape. */

export interface Shape {
  /** Path of the issuer below the server's origin; `/` has a slash at the end as Auth0's has. */
  path: string;
  audience: string;
  clientId: string;
  tokenTypes: string[];
  algorithm: 'RS256' | 'ES256' | 'EdDSA';
  /** What the provider puts into an access token beside iss, sub, aud, iat and exp. */
  claims(origin: string): JWTPayload;
  aud(origin: string): string | string[];
  typ: string;
}

interface Key {
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

export async function startIssuer(shape: Shape) {
  const state = {
    keys: [await newKey(shape.algorithm, 'first')],
    keyFetches: 0,
    down: false,
    issuer: '',
    /** What else it publishes. */
    signIn: {} as Record<string, unknown>,
    userInfo: {
      sub: 'person-1',
      email: 'Told@Msp.Example',
      email_verified: true,
      name: 'Told',
    } as JWTPayload,
    nowMs: Date.parse('2026-11-21T12:00:00Z'),
  };
  const server = createServer(async (request, response) => {
    const answer = state.down ? null : await answerTo(request.url ?? '');
    response.writeHead(answer === null ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.issuer = `${origin}${shape.path}`;

  async function answerTo(url: string): Promise<unknown> {
    if (url.endsWith('/.well-known/openid-configuration')) {
      return {
        ...{ issuer: state.issuer, jwks_uri: `${origin}/keys`, userinfo_endpoint: `${origin}/userinfo` },
        ...state.signIn,
      };
    }
    if (url === '/userinfo') return state.userInfo;
    state.keyFetches += 1;
    const keys = state.keys.map(async (key) => ({
      ...(await exportJWK(key.publicKey)),
      kid: key.kid,
      use: 'sig',
    }));
    return { keys: await Promise.all(keys) };
  }

  const http = createHttpClient({
    allowedOrigins: [origin],
    timeoutMs: 120_000,
    connectTimeoutMs: 120_000,
    maxResponseBytes: 100_000,
    maxConnections: 4,
  });
  const clock = { now: () => new Date(state.nowMs) };
  const configured = `${origin}${shape.path}`;
  const newOidc = () =>
    createOidc({
      issuer: configured,
      audience: shape.audience,
      clientId: shape.clientId,
      algorithms: ['RS256', 'ES256', 'EdDSA'],
      tokenTypes: shape.tokenTypes,
      clockToleranceSeconds: 10,
      claims: { email: 'email', emailVerified: 'email_verified', name: 'name' },
      http,
      clock,
    });

  /** A good access token of the shape, changed as the test wants it. */
  async function token(
    claims: JWTPayload = {},
    header: Record<string, unknown> = {},
    key?: Key,
  ): Promise<string> {
    const signer = key ?? state.keys.at(-1);
    if (!signer) throw new Error('no key');
    const nowSeconds = Math.floor(state.nowMs / 1000);
    return new SignJWT({
      iss: configured,
      sub: 'person-1',
      aud: shape.aud(origin),
      iat: nowSeconds,
      exp: nowSeconds + 600,
      ...shape.claims(origin),
      ...claims,
    })
      .setProtectedHeader({ alg: shape.algorithm, typ: shape.typ, kid: signer.kid, ...header })
      .sign(signer.privateKey, { crit: { 'b64-x': true } });
  }

  return {
    state,
    origin,
    issuer: configured,
    token,
    newKey: (kid: string, algorithm: string = shape.algorithm) => newKey(algorithm, kid),
    newOidc,
    nowSeconds: () => Math.floor(state.nowMs / 1000),
    async close() {
      await http.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function newKey(algorithm: string, kid: string): Promise<Key> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  return { kid, ...pair };
}
