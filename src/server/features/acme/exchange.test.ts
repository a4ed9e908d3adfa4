import { type CryptoKey, exportJWK, FlattenedSign, generateKeyPair } from 'jose';
import { beforeAll, expect, test, vi } from 'vitest';
import { newId } from '#kernel/ids.ts';
import { createExchange } from './exchange.ts';
import type { Jwk } from './jws.rules.ts';
import { AcmeProblem } from './problems.rules.ts';

/** Who sent a request, and that nothing is done or written down before that is known. */

let key: CryptoKey;
let jwk: Jwk;
beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  jwk = (await exportJWK(pair.publicKey)) as Jwk;
});

const at = (path: string) => `https://portal.test/acme/${path}`;
const accountId = newId();
const kid = at(`account/${accountId}`);
interface Sent {
  path?: string;
  contentType?: string;
  header?: object;
  by?: CryptoKey;
  status?: string;
  state?: string;
  how?: 'byAccount' | 'byKey' | 'byEither';
}

/** What comes of one request, and the nonces that it used up. */
async function sent({
  path = 'new-order',
  contentType,
  header = {},
  by,
  how = 'byAccount',
  ...of
}: Sent = {}) {
  const used: unknown[] = [];
  const ofAccount = vi.fn(async (id: string) =>
    id === accountId
      ? { account: { id, jwk, status: of.status ?? 'valid' }, access: { state: of.state ?? 'active' } }
      : null,
  );
  const exchange = createExchange({
    ...{ clock: { now: () => new Date() }, accesses: { ofAccount } as never, at },
    nonces: { make: () => '', use: async (nonce) => void used.push(nonce) },
  });
  const head = { alg: 'ES256', nonce: 'n-1', url: at('new-order'), ...(how === 'byKey' ? { jwk } : { kid }) };
  const jws = await new FlattenedSign(Buffer.from('{"a":1}'))
    .setProtectedHeader({ ...head, ...header })
    .sign(by ?? key);
  const body = Buffer.from(JSON.stringify(jws));
  const type = contentType ?? 'application/jose+json';
  const outcome = await exchange[how]({ path, contentType: type, body, ip: '192.0.2.1' }).then(
    (opened) => opened,
    (error: unknown) => {
      if (error instanceof AcmeProblem) return error;
      throw error;
    },
  );
  return { outcome, used, asked: ofAccount.mock.calls.flat() };
}

test('one that its account has signed is opened, and its nonce is used up', async () => {
  const { outcome, used } = await sent();
  expect(outcome).toMatchObject({
    ...{ account: { id: accountId }, access: { state: 'active' }, header: { kid, nonce: 'n-1' } },
    payload: Buffer.from('{"a":1}').toString('base64url'),
  });
  expect(used).toEqual(['n-1']);
});

test.each(['application/jose+json; charset=utf-8', 'Application/JOSE+JSON'])(
  'it may come as %s',
  async (contentType) => {
    expect((await sent({ contentType })).outcome).not.toBeInstanceOf(AcmeProblem);
  },
);

test.each<[string, Sent, string, number]>([
  ['as another kind of content', { contentType: 'application/json' }, 'malformed', 415],
  ['as a kind that only begins like it', { contentType: 'application/jose+jsonx' }, 'malformed', 415],
  ['for another address', { path: 'new-account' }, 'unauthorized', 403],
  [
    'with its key in place of its account',
    { header: { kid: undefined, jwk: { kty: 'EC' } } },
    'malformed',
    400,
  ],
  [
    'by an account that nobody has',
    { header: { kid: at(`account/${newId()}`) } },
    'accountDoesNotExist',
    400,
  ],
  ['by a name that is no account', { header: { kid: at('account/1') } }, 'accountDoesNotExist', 400],
  ['by an account elsewhere', { header: { kid: `https://x.test/${accountId}` } }, 'accountDoesNotExist', 400],
  ['by an account that was deactivated', { status: 'deactivated' }, 'unauthorized', 401],
  ['by an access that was revoked', { state: 'revoked' }, 'unauthorized', 401],
  ['by an access that has expired', { state: 'expired' }, 'unauthorized', 401],
])('one that comes %s is refused, and uses up no nonce', async (_how, how, type, status) => {
  const { outcome, used } = await sent(how);
  expect(outcome).toMatchObject({ type, status });
  expect(used).toEqual([]);
});

test('one that another key has signed is refused, and uses up no nonce', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  for (const how of ['byAccount', 'byKey'] as const) {
    const { outcome, used } = await sent({ how, by: privateKey });
    expect(outcome).toMatchObject({ type: 'malformed', status: 400 });
    expect(used).toEqual([]);
  }
});

test('one by a key says which, and asks for no account; one that names an account is none of these', async () => {
  const { outcome, used, asked } = await sent({ how: 'byKey' });
  expect(outcome).toMatchObject({ jwk, header: { kid: null } });
  expect([used, asked]).toEqual([['n-1'], []]);
  const named = await sent({ how: 'byKey', header: { kid, jwk: undefined } });
  expect(named.outcome).toMatchObject({ type: 'malformed' });
});

test('where either may sign, the one that is named is asked for', async () => {
  expect((await sent({ how: 'byEither' })).outcome).toMatchObject({ account: { id: accountId } });
  const byKey = await sent({ how: 'byEither', header: { kid: undefined, jwk } });
  expect(byKey.outcome).toMatchObject({ jwk });
  expect(byKey.outcome).not.toHaveProperty('account');
});
