import { base64url, exportSPKI, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { InvalidToken } from '../../ports/identity.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { type Shape, startIssuer } from './stub-issuer.ts';

/** How the providers' access tokens look (checked 2026-11-21). */
const shapes: Record<string, Shape> = {
  Auth0: {
    path: '/',
    audience: 'https://nameward.example/api',
    clientId: 'spa',
    tokenTypes: ['JWT', 'at+jwt'],
    algorithm: 'RS256',
    typ: 'JWT',
    aud: (origin) => ['https://nameward.example/api', `${origin}/userinfo`],
    claims: () => ({ azp: 'spa', scope: 'openid profile email' }),
  },
  Keycloak: {
    path: '/realms/msp',
    audience: 'nameward-api',
    clientId: 'nameward',
    tokenTypes: ['JWT'],
    algorithm: 'RS256',
    typ: 'JWT',
    aud: () => ['nameward-api', 'account'],
    claims: () => ({
      typ: 'Bearer',
      azp: 'nameward',
      email: 'A@Msp.Example',
      email_verified: true,
      name: 'A',
    }),
  },
  'Entra ID v2': {
    path: '/11111111-2222-3333-4444-555555555555/v2.0',
    audience: 'aaaaaaaa-0000-0000-0000-000000000000',
    clientId: 'aaaaaaaa-0000-0000-0000-000000000000',
    tokenTypes: ['JWT'],
    algorithm: 'RS256',
    typ: 'JWT',
    aud: () => 'aaaaaaaa-0000-0000-0000-000000000000',
    claims: () => ({
      ver: '2.0',
      scp: 'access_as_user',
      azp: 'aaaaaaaa-0000-0000-0000-000000000000',
      oid: 'o',
    }),
  },
  'Entra ID v1': {
    path: '/11111111-2222-3333-4444-555555555555/',
    audience: 'api://nameward',
    clientId: 'bbbbbbbb-0000-0000-0000-000000000000',
    tokenTypes: ['JWT'],
    algorithm: 'RS256',
    typ: 'JWT',
    aud: () => 'api://nameward',
    claims: () => ({ ver: '1.0', scp: 'access_as_user', appid: 'bbbbbbbb-0000-0000-0000-000000000000' }),
  },
  embedded: {
    path: '/oidc',
    audience: 'https://nameward.example/api',
    clientId: 'nameward',
    tokenTypes: ['at+jwt'],
    algorithm: 'ES256',
    typ: 'at+jwt',
    aud: () => 'https://nameward.example/api',
    claims: () => ({
      client_id: 'nameward',
      scope: 'openid email',
      email: 'a@msp.example',
      auth_time: 1_795_262_300,
    }),
  },
};

describe.each(Object.entries(shapes))('%s', (_name, shape) => {
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let verify: (token: string) => Promise<unknown>;
  beforeAll(async () => {
    issuer = await startIssuer(shape);
    const oidc = issuer.newOidc();
    verify = (token) => oidc.verify(token);
  });
  afterAll(() => issuer.close());

  const refused = (token: string) => expect(verify(token)).rejects.toBeInstanceOf(InvalidToken);

  test('an access token is taken, its person is (issuer, subject)', async () => {
    const claims = shape.claims(issuer.origin);
    expect(await verify(await issuer.token())).toEqual({
      issuer: issuer.issuer,
      subject: 'person-1',
      email: typeof claims.email === 'string' ? claims.email.toLowerCase() : null,
      emailVerified: claims.email_verified === true,
      name: claims.name ?? null,
      authenticatedAt: claims.auth_time ?? null,
      expiresAt: issuer.nowSeconds() + 600,
    });
  });

  test('a token of another issuer, for another audience, or of nobody is refused', async () => {
    const other = issuer.issuer.endsWith('/') ? issuer.issuer.slice(0, -1) : `${issuer.issuer}/`;
    for (const claims of [
      { iss: 'https://evil.example/' },
      { iss: other },
      { aud: 'https://other.example/api' },
      { aud: `${issuer.origin}/userinfo` },
      { aud: [] },
      { sub: '' },
    ]) {
      await refused(await issuer.token(claims));
    }
  });

  test('a token that lacks sub, exp, iat or aud is refused', async () => {
    for (const name of ['sub', 'exp', 'iat', 'aud', 'iss']) {
      await refused(await issuer.token({ [name]: undefined } as unknown as JWTPayload));
    }
  });

  test('10 seconds of tolerance: good until then, refused one second later, so before its time', async () => {
    const now = issuer.nowSeconds();
    await verify(await issuer.token({ exp: now - 9 }));
    await refused(await issuer.token({ exp: now - 10 }));
    await refused(await issuer.token({ exp: now - 11 }));
    await verify(await issuer.token({ nbf: now + 10 }));
    await refused(await issuer.token({ nbf: now + 11 }));
  });

  test('an ID token is refused', async () => {
    const nowSeconds = issuer.nowSeconds();
    const bare = { scope: undefined, scp: undefined, typ: undefined } as unknown as JWTPayload;
    for (const idToken of [
      { aud: shape.clientId, nonce: 'n', at_hash: 'h' },
      { aud: shape.clientId, at_hash: 'h' },
      { aud: shape.clientId },
      { aud: shape.clientId, typ: 'ID' },
    ]) {
      const token = await issuer.token({ ...bare, auth_time: nowSeconds, ...idToken }, { typ: 'JWT' });
      await refused(token);
    }
    if (shape.typ === 'JWT') {
      await refused(await issuer.token({ nonce: 'n' }));
      await refused(await issuer.token({ at_hash: 'h' }));
      await refused(await issuer.token({ typ: 'ID' }));
      await refused(await issuer.token({ typ: 'Refresh' }));
    }
  });

  test('a token of another type, or of none, is refused', async () => {
    for (const typ of ['logout+jwt', 'dpop+jwt', '', undefined]) {
      await refused(await issuer.token({}, { typ }));
    }
    if (!shape.tokenTypes.includes('JWT')) await refused(await issuer.token({}, { typ: 'JWT' }));
  });

  test('no signature, a changed one, or a shared-secret one made of the public key is refused', async () => {
    const good = await issuer.token();
    const [header = '', payload = '', signature = ''] = good.split('.');
    const none = base64url.encode(JSON.stringify({ alg: 'none', typ: shape.typ }));
    for (const alg of ['none', 'None', 'NONE']) {
      await refused(`${base64url.encode(JSON.stringify({ alg, typ: shape.typ }))}.${payload}.`);
    }
    await refused(`${none}.${payload}.${signature}`);
    await refused(`${header}.${payload}.`);
    const claims = JSON.parse(new TextDecoder().decode(base64url.decode(payload))) as JWTPayload;
    await refused(
      `${header}.${base64url.encode(JSON.stringify({ ...claims, sub: 'person-2' }))}.${signature}`,
    );
    const key = issuer.state.keys.at(-1);
    const secret = new TextEncoder().encode(key && (await exportSPKI(key.publicKey)));
    for (const alg of ['HS256', 'HS512']) {
      await refused(
        await new SignJWT(claims).setProtectedHeader({ alg, typ: shape.typ, kid: 'first' }).sign(secret),
      );
    }
  });

  test('a key that the token brings along counts for nothing', async () => {
    const foreign = await issuer.newKey('first');
    await refused(await issuer.token({}, {}, foreign));
    const headers = {
      jku: `${issuer.origin}/evil`,
      x5u: `${issuer.origin}/evil`,
      jwk: { kty: 'oct', k: 'AA' },
    };
    const before = issuer.state.keyFetches;
    await refused(await issuer.token({}, headers, { ...foreign, kid: 'first' }));
    expect(issuer.state.keyFetches).toBe(before);
  });

  test('a header that must be understood and is not is refused', async () => {
    await refused(await issuer.token({}, { crit: ['b64-x'], 'b64-x': true }));
  });

  test('what is no token at all is refused', async () => {
    for (const junk of [
      '',
      '.',
      '..',
      'a.b.c',
      'e30.e30.',
      `${'a'.repeat(5_000)}.b.c`,
      'e30.e30.e30.e30.e30',
      '\u0000',
    ]) {
      await refused(junk);
    }
  });
});

describe('keys', () => {
  const shape = shapes.embedded as Shape;
  async function withIssuer(work: (issuer: Awaited<ReturnType<typeof startIssuer>>) => Promise<void>) {
    const issuer = await startIssuer(shape);
    try {
      await work(issuer);
    } finally {
      await issuer.close();
    }
  }

  test('are fetched once for many tokens, and again after 10 minutes', () =>
    withIssuer(async (issuer) => {
      const oidc = issuer.newOidc();
      await Promise.all(Array.from({ length: 20 }, async () => oidc.verify(await issuer.token())));
      expect(issuer.state.keyFetches).toBe(1);
      issuer.state.nowMs += 600_000;
      await oidc.verify(await issuer.token());
      expect(issuer.state.keyFetches).toBe(2);
    }));

  test('a published key of a kind that is not on the list of algorithms signs nothing', () =>
    withIssuer(async (issuer) => {
      issuer.state.keys.push(await issuer.newKey('other-kind', 'PS256'));
      const token = await issuer.token({}, { alg: 'PS256' });
      await expect(issuer.newOidc().verify(token)).rejects.toBeInstanceOf(InvalidToken);
    }));

  test('a rotation is picked up with the first token of the new key, and the old one ends', () =>
    withIssuer(async (issuer) => {
      const oidc = issuer.newOidc();
      const old = await issuer.token();
      await oidc.verify(old);
      issuer.state.nowMs += 31_000;
      issuer.state.keys = [await issuer.newKey('second')];
      await oidc.verify(await issuer.token());
      expect(issuer.state.keyFetches).toBe(2);
      await expect(oidc.verify(old)).rejects.toBeInstanceOf(InvalidToken);
    }));

  test('a token that was good a moment ago is refused as soon as it has expired', () =>
    withIssuer(async (issuer) => {
      const oidc = issuer.newOidc();
      await oidc.verify(await issuer.token());
      const token = await issuer.token({ exp: issuer.nowSeconds() + 20 });
      await oidc.verify(token);
      await oidc.verify(token);
      // The tolerance for clocks is 10 seconds.
      issuer.state.nowMs += 29_000;
      await oidc.verify(token);
      issuer.state.nowMs += 2_000;
      await expect(oidc.verify(token)).rejects.toBeInstanceOf(InvalidToken);
    }));

  test('a token is told from one that differs in a letter of its signature', () =>
    withIssuer(async (issuer) => {
      const oidc = issuer.newOidc();
      const token = await issuer.token();
      await oidc.verify(token);
      await oidc.verify(token);
      const letter = token.at(-20) === 'A' ? 'B' : 'A';
      const forged = `${token.slice(0, -20)}${letter}${token.slice(-19)}`;
      await expect(oidc.verify(forged)).rejects.toBeInstanceOf(InvalidToken);
    }));

  test('a flood of invented key ids costs one fetch in 30 seconds, and good tokens pass meanwhile', () =>
    withIssuer(async (issuer) => {
      const oidc = issuer.newOidc();
      await oidc.verify(await issuer.token());
      const flood = async () => {
        for (let index = 0; index < 50; index += 1) {
          const junk = await issuer.token({}, { kid: `junk-${index}-${issuer.state.nowMs}` });
          await expect(oidc.verify(junk)).rejects.toBeInstanceOf(InvalidToken);
        }
      };
      await flood();
      expect(issuer.state.keyFetches).toBe(1);
      issuer.state.nowMs += 30_000;
      await flood();
      expect(issuer.state.keyFetches).toBe(2);
      await oidc.verify(await issuer.token());
    }));

  test('while the provider is down the last good keys serve on', () =>
    withIssuer(async (issuer) => {
      const oidc = issuer.newOidc();
      await oidc.verify(await issuer.token());
      issuer.state.down = true;
      for (const minutes of [1, 11, 60, 600]) {
        issuer.state.nowMs += minutes * 60_000;
        await oidc.verify(await issuer.token());
      }
    }));

  test('a provider that is down from the start is no fault of the token, and is asked again in a moment', () =>
    withIssuer(async (issuer) => {
      const oidc = issuer.newOidc();
      issuer.state.down = true;
      await expect(oidc.verify(await issuer.token())).rejects.toBeInstanceOf(UpstreamUnavailable);
      issuer.state.down = false;
      await expect(oidc.verify(await issuer.token())).rejects.toBeInstanceOf(UpstreamUnavailable);
      issuer.state.nowMs += 2_000;
      await oidc.verify(await issuer.token());
    }));

  test('a provider that calls itself something else is not used', () =>
    withIssuer(async (issuer) => {
      issuer.state.issuer = 'https://evil.example';
      await expect(issuer.newOidc().verify(await issuer.token())).rejects.toBeInstanceOf(UpstreamUnavailable);
      expect(issuer.state.keyFetches).toBe(0);
    }));
});

describe('user information', () => {
  test('tells name and email of the token’s person, and of no other', async () => {
    const issuer = await startIssuer(shapes.Auth0 as Shape);
    const oidc = issuer.newOidc();
    const token = await issuer.token();
    expect(await oidc.userInfo(token)).toEqual({
      email: 'told@msp.example',
      emailVerified: true,
      name: 'Told',
    });
    issuer.state.userInfo.sub = 'person-2';
    await expect(oidc.userInfo(token)).rejects.toBeInstanceOf(InvalidToken);
    await issuer.close();
  });
});

describe('where browsers sign in', () => {
  const published = {
    authorization_endpoint: 'https://id.test/authorize',
    token_endpoint: 'https://id.test/token',
    end_session_endpoint: 'https://id.test/logout',
    response_modes_supported: ['query', 'fragment'],
  };
  const within = async (work: (issuer: Awaited<ReturnType<typeof startIssuer>>) => Promise<void>) => {
    const issuer = await startIssuer(shapes.Auth0 as Shape);
    await work(issuer).finally(() => issuer.close());
  };

  test('is told once the provider has said it, and nobody waits for that', () =>
    within(async ({ state, newOidc, issuer }) => {
      Object.assign(state.signIn, published);
      const oidc = newOidc();
      expect(oidc.signInMetadata()).toBeNull();
      await eventually(() => expect(oidc.signInMetadata()).toEqual({ issuer, ...published }));
    }));

  test.each([[null], ['query fragment'], [Array.from({ length: 40 }, (_unused, at) => `way-${at}`)]])(
    'is told, and tokens are taken, whatever the provider says of its ways to answer: %j',
    (modes) =>
      within(async ({ state, newOidc, token, issuer }) => {
        Object.assign(state.signIn, published, { response_modes_supported: modes });
        const oidc = newOidc();
        await oidc.verify(await token());
        expect(oidc.signInMetadata()).toEqual({ issuer, ...published, response_modes_supported: undefined });
      }),
  );

  test('is not told where the provider does not publish it', () =>
    within(async ({ state, newOidc, token }) => {
      Object.assign(state.signIn, { token_endpoint: published.token_endpoint });
      const oidc = newOidc();
      await oidc.verify(await token());
      expect(oidc.signInMetadata()).toBeNull();
    }));

  test('is asked again after 10 minutes, and what was said stays while the provider is down', () =>
    within(async ({ state, newOidc, token }) => {
      Object.assign(state.signIn, published);
      const oidc = newOidc();
      await oidc.verify(await token());
      const said = () => oidc.signInMetadata()?.token_endpoint;
      state.signIn.token_endpoint = 'https://id.test/moved';
      state.nowMs += 599_000;
      expect([said(), said()]).toEqual(['https://id.test/token', 'https://id.test/token']);
      state.down = true;
      state.nowMs += 1_000;
      expect(said()).toBe('https://id.test/token');
      await oidc.verify(await token({ exp: Math.floor(state.nowMs / 1_000) + 60 })).catch(() => undefined);
      expect(said()).toBe('https://id.test/token');
      state.down = false;
      state.nowMs += 2_000;
      await eventually(() => expect(said()).toBe('https://id.test/moved'));
    }));
});
