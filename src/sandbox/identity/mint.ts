import { createHmac, createPublicKey, randomUUID } from 'node:crypto';
import { CompactSign, importJWK } from 'jose';
import { z } from 'zod';
import { publicPart, type SigningKey } from './keys.ts';
import { ACCESS_TOKEN_SECONDS } from './options.ts';
import { profile, tokenProfile } from './provider.ts';
import type { World } from './world.ts';

/** Fields left out are as in a good token; null leaves the claim or header out of the token. */
export const mintBody = z.strictObject({
  email: z.string().optional(),
  sub: z.string().nullable().optional(),
  iss: z.string().nullable().optional(),
  aud: z
    .union([z.string(), z.array(z.string())])
    .nullable()
    .optional(),
  iat: z.number().nullable().optional(),
  exp: z.number().nullable().optional(),
  nbf: z.number().nullable().optional(),
  typ: z.string().nullable().optional(),
  /** `none`; `HS256`, keyed with the public key as a careless verifier would use it; or an asymmetric one. */
  alg: z.string().default('RS256'),
  kid: z.string().nullable().optional(),
  /** Further headers, e.g. `{ "crit": ["x"], "x": 1 }`. */
  header: z.record(z.string(), z.unknown()).default({}),
  /** Further claims. */
  claims: z.record(z.string(), z.unknown()).default({}),
  /** An ID token for the first client instead of an access token. */
  idToken: z.boolean().default(false),
});

type Mint = z.output<typeof mintBody>;

/** Makes a token that this provider might have issued, or never would have: for testing who accepts it. */
export async function mint(world: World, body: unknown): Promise<{ token: string }> {
  const wanted = mintBody.parse(body);
  const payload = withoutNulls({ ...goodClaims(world, wanted), ...given(wanted), ...wanted.claims });
  const key = world.keys.forAlgorithm(wanted.alg);
  if (!key) throw new Error('there is no signing key');
  const header = withoutNulls({
    alg: wanted.alg,
    typ: wanted.idToken ? 'JWT' : (world.realm.shape.tokenTyp ?? 'at+jwt'),
    kid: key.kid,
    ...(wanted.typ === undefined ? {} : { typ: wanted.typ }),
    ...(wanted.kid === undefined ? {} : { kid: wanted.kid }),
    ...wanted.header,
  });
  return { token: await sign(header, payload, wanted.alg, key) };
}

function goodClaims(world: World, { email, sub, idToken }: Mint): Record<string, unknown> {
  const { realm, accounts, clients } = world;
  const user = email === undefined ? null : accounts.byEmail(email);
  if (!user && sub === undefined) throw new Error(`there is no account for ${email ?? 'an empty email'}`);
  const now = Math.floor(Date.now() / 1000);
  const clientId = clients()[0]?.client_id ?? 'none';
  const common = {
    iss: realm.issuer,
    sub: user?.id ?? null,
    iat: now,
    exp: now + ACCESS_TOKEN_SECONDS,
    auth_time: now,
  };
  if (idToken) {
    const person = user ? profile(user) : {};
    return { ...common, aud: clientId, nonce: randomUUID(), at_hash: 'mKqBzC2vQGkpJOkUJh0dCA', ...person };
  }
  return {
    ...common,
    aud: realm.shape.audArray ? [realm.audience, `${realm.baseUrl}/me`] : realm.audience,
    client_id: clientId,
    jti: randomUUID(),
    scope: 'openid profile email',
    ...(user ? tokenProfile(realm, user) : {}),
  };
}

function given({ sub, iss, aud, iat, exp, nbf }: Mint): Record<string, unknown> {
  const all = Object.entries({ sub, iss, aud, iat, exp, nbf });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function sign(
  header: Record<string, unknown>,
  payload: Record<string, unknown>,
  alg: string,
  key: SigningKey,
) {
  const input = `${encode(header)}.${encode(payload)}`;
  if (alg === 'none') return `${input}.`;
  if (alg === 'HS256') {
    const pem = createPublicKey({ key: { ...publicPart(key) }, format: 'jwk' });
    const secret = pem.export({ type: 'spki', format: 'pem' });
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  }
  // The header is signed as it is asked for, also where the library would not write it so.
  const { alg: _alg, ...unbound } = key;
  const signer = new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ ...header, alg });
  const critical = Array.isArray(header.crit)
    ? Object.fromEntries(header.crit.map((name) => [String(name), true]))
    : {};
  return signer.sign(await importJWK(unbound, alg), { crit: critical });
}
