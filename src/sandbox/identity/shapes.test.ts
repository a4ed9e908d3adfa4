import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IdentityPart, Shape } from './index.ts';
import {
  AUDIENCE,
  control,
  metadataOf,
  mintToken,
  openStand,
  PORTAL,
  type Stand,
  signIn,
  TestApp,
  TestBrowser,
} from './test-browser.ts';

let stand: Stand;

beforeAll(async () => {
  stand = await openStand();
});

afterAll(() => stand.close());

const shapes: Record<string, { shape: Shape; audience: string; issuer: RegExp }> = {
  auth0: {
    shape: { trailingSlash: true, tokenTyp: 'JWT', audArray: true, emailInToken: false },
    audience: AUDIENCE,
    issuer: /:\d+\/$/,
  },
  keycloak: {
    shape: { issuerPath: '/realms/main', tokenTyp: 'JWT' },
    audience: 'nameward-api',
    issuer: /\/realms\/main$/,
  },
  entra: {
    shape: { issuerPath: '/5f1c/v2.0', tokenTyp: 'JWT', claimNames: { email: 'preferred_username' } },
    audience: '0f6f8d1e-7c1e-4b6e-9a35-0c2a1f6f2c11',
    issuer: /\/5f1c\/v2\.0$/,
  },
};

describe.each(Object.entries(shapes))('in the shape of %s', (name, { shape, audience, issuer }) => {
  let part: IdentityPart;
  let app: TestApp;

  beforeAll(async () => {
    part = await stand.start({ realm: name, shape, audience });
    app = new TestApp(await metadataOf(part.issuer));
    await control(part, 'users/add', { email: 'ada@example.org', name: 'Ada' });
  });

  it('the whole walk works: sign-in, tokens, user information, renewal, sign-out', async () => {
    expect(app.metadata.issuer).toBe(part.issuer);
    expect(part.issuer).toMatch(issuer);
    const browser = new TestBrowser();
    const back = await signIn(browser, app, 'ada@example.org');
    const { tokens } = await app.exchange(back.url);
    await jwtVerify(tokens.access_token, createRemoteJWKSet(new URL(app.metadata.jwks_uri)), {
      issuer: part.issuer,
      audience,
    });
    const me = await fetch(app.metadata.userinfo_endpoint, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(await me.json()).toMatchObject({ email: 'ada@example.org' });
    expect((await app.refresh(tokens.refresh_token)).tokens.access_token).toBeTruthy();
    const out = new URLSearchParams({
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${PORTAL}/`,
    });
    expect((await browser.open(`${app.metadata.end_session_endpoint}?${out}`)).url.href).toBe(`${PORTAL}/`);
  });

  it('minted tokens have the same form as issued ones', async () => {
    const back = await signIn(new TestBrowser(), app, 'ada@example.org');
    const { tokens } = await app.exchange(back.url);
    const token = await mintToken(part);
    const [issued, minted] = [decodeJwt(tokens.access_token), decodeJwt(token)];
    expect(Object.keys(minted).sort()).toEqual(Object.keys(issued).sort());
    expect([minted.aud, minted.iss, minted.sub]).toEqual([issued.aud, issued.iss, issued.sub]);
    expect(decodeProtectedHeader(token)).toEqual(decodeProtectedHeader(tokens.access_token));
    expect(decodeProtectedHeader(token).typ).toBe('JWT');
  });
});

describe('what shapes change', () => {
  it('e-mail is left out, or has another name, where the shape says so', async () => {
    const bare = await stand.start({ realm: 'bare', shape: { emailInToken: false } });
    expect(decodeJwt(await mintToken(bare)).email).toBeUndefined();
    const named = await stand.start({
      realm: 'named',
      shape: { claimNames: { email: 'https://x.example/email' } },
    });
    expect(decodeJwt(await mintToken(named))['https://x.example/email']).toBe('ada@example.org');
  });

  it('accounts of one realm are unknown in another', async () => {
    const part = await stand.start({ realm: 'empty' });
    await mintToken(stand.identity);
    expect(await control(part, 'users/list')).toEqual([]);
  });
});

describe('the control plane', () => {
  const mint = (body: Record<string, unknown>) => mintToken(stand.identity, body);
  const verify = async (token: string) => {
    const { jwks_uri } = await metadataOf(stand.identity.issuer);
    return jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), {
      issuer: stand.identity.issuer,
      audience: AUDIENCE,
      typ: 'at+jwt',
      algorithms: ['RS256', 'ES256', 'PS256'],
    });
  };

  it.each(['RS256', 'ES256'])('tokens/mint makes good tokens signed with %s', async (alg) => {
    expect((await verify(await mint({ alg }))).payload.email).toBe('ada@example.org');
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'https://other.example' }],
    ['the past', { exp: 1 }],
    ['the future', { nbf: 9_999_999_999 }],
    ['no signature', { alg: 'none' }],
    ['the public key as a secret', { alg: 'HS256' }],
    ['another type', { typ: 'JWT' }],
    ['an algorithm that the key is not for', { alg: 'PS256' }],
    ['an unknown key', { kid: 'nobody' }],
    ['a critical header nobody knows', { header: { crit: ['x'], x: 1 } }],
    ['an ID token', { idToken: true }],
  ])('tokens/mint makes tokens that a careful verifier refuses: %s', async (_name, body) => {
    await expect(verify(await mint(body))).rejects.toThrow();
  });

  it('keys/rotate signs with new keys and keeps the old ones valid, unless they are dropped', async () => {
    const before = await mint({});
    await control(stand.identity, 'keys/rotate', {});
    const between = await mint({});
    expect(decodeProtectedHeader(between).kid).not.toBe(decodeProtectedHeader(before).kid);
    await verify(before);
    await verify(between);
    await control(stand.identity, 'keys/rotate', { drop: true });
    await expect(verify(between)).rejects.toThrow();
    await verify(await mint({}));
  });

  it('down: everything, or only the paths named, is out of order until it is on again', async () => {
    const { jwks_uri } = await metadataOf(stand.identity.issuer);
    await control(stand.identity, 'down', { on: true, paths: ['/jwks'] });
    expect((await fetch(jwks_uri)).status).toBe(503);
    expect((await metadataOf(stand.identity.issuer)).issuer).toBe(stand.identity.issuer);
    await control(stand.identity, 'down', { on: true });
    expect((await fetch(`${stand.identity.url}/.well-known/openid-configuration`)).status).toBe(503);
    await control(stand.identity, 'down', { on: false });
    expect((await fetch(jwks_uri)).status).toBe(200);
  });

  it('clients: another portal may sign people in from now on', async () => {
    const other = {
      client_id: 'other',
      redirect_uris: ['http://127.0.0.1:5999/callback'],
      post_logout_redirect_uris: [],
      origins: ['http://127.0.0.1:5999'],
    };
    const part = await stand.start({ realm: 'clients' });
    await control(part, 'clients', [other]);
    const app = new TestApp(await metadataOf(part.issuer));
    const old = await new TestBrowser().open(app.authorizeUrl());
    expect(old.status).toBe(400);
    const form = await new TestBrowser().open(
      app.authorizeUrl({ client_id: 'other', redirect_uri: 'http://127.0.0.1:5999/callback' }),
    );
    expect(form.text).toContain('Sign in');
  });
});
