import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  AUDIENCE,
  CLIENT,
  control,
  metadataOf,
  openStand,
  PORTAL,
  type Stand,
  signIn,
  TestApp,
  TestBrowser,
} from './test-browser.ts';

let stand: Stand;
let app: TestApp;

beforeAll(async () => {
  stand = await openStand();
  app = new TestApp(await metadataOf(stand.identity.issuer));
  await control(stand.identity, 'users/add', { email: 'ada@example.org', name: 'Ada' });
});

afterAll(() => stand.close());

async function signedIn() {
  const browser = new TestBrowser();
  const back = await signIn(browser, app, 'ada@example.org');
  const { tokens } = await app.exchange(back.url);
  return { browser, back, tokens };
}

describe('signing in', () => {
  it('code and PKCE yield an access token for the API that any verifier of RFC 9068 takes', async () => {
    const { back, tokens } = await signedIn();
    expect(back.url.searchParams.get('state')).toBe('s1');
    const { payload, protectedHeader } = await jwtVerify(
      tokens.access_token,
      createRemoteJWKSet(new URL(app.metadata.jwks_uri)),
      { issuer: stand.identity.issuer, audience: AUDIENCE, typ: 'at+jwt', algorithms: ['RS256'] },
    );
    expect(payload).toMatchObject({ email: 'ada@example.org', email_verified: true, name: 'Ada' });
    expect(payload.auth_time).toBeTypeOf('number');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600);
    expect(protectedHeader.kid).toBe(stand.identity.kids()[0]);
    expect(decodeJwt(tokens.id_token)).toMatchObject({
      aud: 'nameward',
      nonce: 'n1',
      email: 'ada@example.org',
    });
  });

  it('the user information answers for an access token of the API, and for nothing else', async () => {
    const { tokens } = await signedIn();
    const ask = (token: string) =>
      fetch(app.metadata.userinfo_endpoint, {
        headers: { authorization: `Bearer ${token}`, origin: PORTAL },
      });
    const good = await ask(tokens.access_token);
    expect(good.headers.get('access-control-allow-origin')).toBe(PORTAL);
    expect(await good.json()).toMatchObject({ email: 'ada@example.org', email_verified: true, name: 'Ada' });
    expect((await ask(tokens.id_token)).status).toBe(401);
    expect((await ask('x')).status).toBe(401);
  });

  it.each([
    ['no challenge', { code_challenge: null, code_challenge_method: null }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
  ])('%s: the request is refused', async (_name, extra) => {
    const page = await new TestBrowser().open(app.authorizeUrl(extra));
    expect(page.url.searchParams.get('error')).toBe('invalid_request');
  });

  it('a redirect address that is not registered is never followed', async () => {
    const page = await new TestBrowser().open(app.authorizeUrl({ redirect_uri: 'https://evil.example/' }));
    expect(page.status).toBe(400);
    expect(page.url.origin).toBe(stand.identity.url);
  });

  it('a wrong code verifier gets no token', async () => {
    const back = await signIn(new TestBrowser(), app, 'ada@example.org');
    const other = new TestApp(app.metadata);
    const { response, tokens } = await other.exchange(back.url);
    expect([response.status, tokens.error]).toEqual([400, 'invalid_grant']);
  });

  it('without offline_access there is no refresh token', async () => {
    const { browser } = await signedIn();
    const back = await browser.open(app.authorizeUrl({ scope: 'openid email', prompt: 'none' }));
    const { tokens } = await app.exchange(back.url);
    expect(tokens.refresh_token).toBeUndefined();
  });

  it('a fresh sign-in is asked for with max_age=0, with the address filled in', async () => {
    const { browser } = await signedIn();
    const form = await browser.open(app.authorizeUrl({ max_age: '0', login_hint: 'ada@example.org' }));
    expect(form.text).toContain('value="ada@example.org"');
    const back = await browser.post(`${form.url.href}/login`, {
      email: 'ada@example.org',
      password: 'correct horse battery',
    });
    expect(back.url.searchParams.get('code')).toBeTruthy();
  });

  it('only the portal may call the token endpoint from a page', async () => {
    const back = await signIn(new TestBrowser(), app, 'ada@example.org');
    const code = back.url.searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, redirect_uri: `${PORTAL}/callback` };
    const { response } = await app.token({ ...fields, code_verifier: app.verifier }, 'https://evil.example');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const mine = await app.token({ ...fields, code_verifier: app.verifier });
    expect(mine.response.headers.get('access-control-allow-origin')).toBe(PORTAL);
  });
});

describe('silent sign-in', () => {
  it('prompt=none gives a code and a refresh token to who has a session, framed by the portal only', async () => {
    const { browser } = await signedIn();
    const back = await browser.open(app.authorizeUrl({ prompt: 'none' }));
    const { tokens } = await app.exchange(back.url);
    expect(decodeJwt(tokens.access_token).email).toBe('ada@example.org');
    expect(tokens.refresh_token).toBeTruthy();
    const framed = back.headers.get('content-security-policy');
    expect(framed).toBe(`frame-ancestors ${PORTAL}`);
    expect(back.headers.get('x-frame-options')).toBeNull();
  });

  it('prompt=none says login_required to who has none', async () => {
    const back = await new TestBrowser().open(app.authorizeUrl({ prompt: 'none' }));
    expect(back.url.searchParams.get('error')).toBe('login_required');
  });

  it('the pages that take passwords are framed by nobody and run no script', async () => {
    const form = await new TestBrowser().open(app.authorizeUrl());
    const policy = form.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(form.text).not.toContain('<script');
    expect(form.text).not.toContain('style=');
  });
});

describe('refresh tokens', () => {
  it('rotate: each use yields the next, with the same person and time of sign-in', async () => {
    const { tokens } = await signedIn();
    const { tokens: next } = await app.refresh(tokens.refresh_token);
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    const [first, second] = [decodeJwt(tokens.access_token), decodeJwt(next.access_token)];
    expect(second).toMatchObject({
      sub: first.sub,
      auth_time: first.auth_time,
      email: first.email,
      aud: AUDIENCE,
    });
  });

  it('a used one ends its whole family', async () => {
    const { tokens } = await signedIn();
    const { tokens: next } = await app.refresh(tokens.refresh_token);
    expect((await app.refresh(tokens.refresh_token)).tokens.error).toBe('invalid_grant');
    expect((await app.refresh(next.refresh_token)).tokens.error).toBe('invalid_grant');
  });

  it('live 7 days unused, and 30 days from the sign-in however often used', async () => {
    const { tokens } = await signedIn();
    const read = () =>
      stand.store.db
        .prepare("SELECT payload FROM identity_artifacts WHERE model = 'RefreshToken' AND id = ?")
        .get(tokens.refresh_token ?? '') as { payload: string };
    const payload = JSON.parse(read().payload) as { iat: number; iiat: number; exp: number };
    expect(payload.exp - payload.iat).toBe(7 * 86_400);
    const aged = { ...payload, iiat: payload.iiat - 29 * 86_400 };
    stand.store.db
      .prepare('UPDATE identity_artifacts SET payload = ? WHERE id = ?')
      .run(JSON.stringify(aged), tokens.refresh_token ?? '');
    const { tokens: next } = await app.refresh(tokens.refresh_token);
    const row = stand.store.db
      .prepare('SELECT payload FROM identity_artifacts WHERE id = ?')
      .get(next.refresh_token ?? '') as { payload: string };
    const rotated = JSON.parse(row.payload) as { iat: number; exp: number };
    expect(rotated.exp).toBe(aged.iiat + 30 * 86_400);
  });

  it('outlive a restart of the provider, and so do its keys and sessions', async () => {
    const { browser, tokens } = await signedIn();
    const port = Number(new URL(stand.identity.url).port);
    await stand.identity.close();
    stand.identity = await stand.start({ port });
    // The client still holds connections to the closed server and learns of it by using them.
    await eventually(() => metadataOf(stand.identity.issuer));
    expect((await app.refresh(tokens.refresh_token)).tokens.access_token).toBeTruthy();
    const back = await browser.open(app.authorizeUrl({ prompt: 'none' }));
    expect(back.url.searchParams.get('code')).toBeTruthy();
    expect(decodeProtectedHeader(tokens.access_token).kid).toBe(stand.identity.kids()[0]);
  });
});

describe('signing out', () => {
  it('with the ID token: at once, back to the portal, sessions and refresh tokens gone', async () => {
    const { browser, tokens } = await signedIn();
    const target = new URLSearchParams({
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${PORTAL}/`,
      state: 'bye',
    });
    const back = await browser.open(`${app.metadata.end_session_endpoint}?${target}`);
    expect(back.url.href).toBe(`${PORTAL}/?state=bye`);
    expect((await app.refresh(tokens.refresh_token)).tokens.error).toBe('invalid_grant');
    const silent = await browser.open(app.authorizeUrl({ prompt: 'none' }));
    expect(silent.url.searchParams.get('error')).toBe('login_required');
  });

  it('without it: asked first, and either answer leads back to the portal', async () => {
    for (const [choice, afterwards] of [
      [{ logout: 'yes' }, 'error'],
      [{}, 'code'],
    ] as const) {
      const { browser } = await signedIn();
      const target = new URLSearchParams({
        client_id: CLIENT.client_id,
        post_logout_redirect_uri: `${PORTAL}/`,
      });
      const page = await browser.open(`${app.metadata.end_session_endpoint}?${target}`);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const back = await browser.post(`${app.metadata.end_session_endpoint}/confirm`, { xsrf, ...choice });
      expect(back.url.href).toBe(`${PORTAL}/`);
      const silent = await browser.open(app.authorizeUrl({ prompt: 'none' }));
      expect(silent.url.searchParams.get(afterwards)).toBeTruthy();
    }
  });
});
