import { describe, expect, test } from 'vitest';
import {
  accountKeyOf,
  bindingAlgorithms,
  envelopeOf,
  headerOf,
  jsonOf,
  objectIn,
  requireAsGet,
  textOf,
} from './jws.rules.ts';
import { AcmeProblem } from './problems.rules.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwk = { kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' };
const header = {
  alg: 'ES256',
  url: 'https://portal.test/acme/new-order',
  nonce: 'bm9uY2U',
  kid: 'https://portal.test/acme/account/1',
};
const envelope = (change: object = {}) => ({
  protected: part({ ...header, ...change }),
  payload: '',
  signature: 'c2ln',
});
const withJwk = (change: object = {}) => envelope({ kid: undefined, jwk: { ...jwk, ...change } });

function typeOf(run: () => unknown): string {
  try {
    run();
    return 'taken';
  } catch (error) {
    return error instanceof AcmeProblem ? error.type : String(error);
  }
}

describe('the body of a request', () => {
  test.each([
    ['no object', 'text'],
    ['a list', [envelope()]],
    ['several signatures', { ...envelope(), signatures: [] }],
    ['an unsigned header', { ...envelope(), header: {} }],
    ['no signature', { ...envelope(), signature: undefined }],
    ['padding', { ...envelope(), payload: 'e30=' }],
    ['a number for a payload', { ...envelope(), payload: 1 }],
  ])('%s is refused', (_what, body) => {
    expect(typeOf(() => envelopeOf(body))).toBe('malformed');
  });

  test('one signature in the flattened form is taken', () => {
    expect(envelopeOf({ ...envelope(), more: 1 })).toEqual(envelope());
  });
});

describe('the protected header', () => {
  test('a good one is read', () => {
    expect(headerOf(envelope())).toEqual({ ...header, jwk: null });
    expect(headerOf(withJwk())).toMatchObject({ kid: null, jwk });
    expect(headerOf(envelope({ nonce: undefined }))).toMatchObject({ nonce: null });
  });

  test.each(['text', null, [header]])('that is no object is refused: %j', (value) => {
    expect(typeOf(() => headerOf({ ...envelope(), protected: part(value) }))).toBe('malformed');
  });

  test.each([
    ['an extension', { crit: ['exp'], exp: 1 }],
    ['an unencoded payload', { b64: false }],
    ['no algorithm', { alg: undefined }],
    ['no address', { url: undefined }],
    ['a nonce that is no text', { nonce: 1 }],
    ['both kid and jwk', { jwk }],
    ['neither kid nor jwk', { kid: undefined }],
    ['a key that is no object', { kid: undefined, jwk: 'key' }],
    ['a kid that is no text', { kid: 7 }],
  ])('%s is refused', (_what, change) => {
    expect(typeOf(() => headerOf(envelope(change)))).toBe('malformed');
  });

  test.each(['none', 'HS256', 'ES512', 'PS256', 'RS1'])(
    'the algorithm %s is refused, with those that are taken',
    (alg) => {
      try {
        headerOf(envelope({ alg }));
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({
          type: 'badSignatureAlgorithm',
          members: { algorithms: ['ES256', 'ES384', 'EdDSA', 'RS256'] },
        });
      }
    },
  );

  test('of a long algorithm the first characters are told', () => {
    expect(() => headerOf(envelope({ alg: `${'x'.repeat(20)}y` }))).toThrow(`"${'x'.repeat(20)}"`);
  });

  test('a binding is signed with a MAC, and with nothing else', () => {
    expect(headerOf(envelope({ alg: 'HS256' }), bindingAlgorithms).alg).toBe('HS256');
    expect(typeOf(() => headerOf(envelope(), bindingAlgorithms))).toBe('badSignatureAlgorithm');
  });
});

describe('the key of an account', () => {
  const rsa = (bits: number) => {
    const bytes = Buffer.alloc(Math.ceil(bits / 8), 0xff);
    if (bits % 8) bytes[0] = (1 << (bits % 8)) - 1;
    return { kty: 'RSA', n: bytes.toString('base64url'), e: 'AQAB' };
  };

  test('only its public parts are kept', () => {
    expect(accountKeyOf({ ...jwk, use: 'sig', kid: 'x' }, 'ES256')).toEqual(jwk);
    expect(accountKeyOf({ kty: 'OKP', crv: 'Ed25519', x: 'eA', y: 'eQ' }, 'EdDSA')).toEqual({
      ...{ kty: 'OKP', crv: 'Ed25519', x: 'eA' },
    });
  });

  test.each([
    [2047, 'badPublicKey'],
    [2048, 'taken'],
    [8192, 'taken'],
    [8193, 'badPublicKey'],
  ])('RSA with %i bits: %s', (bits, outcome) => {
    expect(typeOf(() => accountKeyOf(rsa(bits), 'RS256'))).toBe(outcome);
  });

  test('leading zeros do not make a key longer', () => {
    for (const bytes of [[Buffer.alloc(128), Buffer.alloc(192, 0xff)], [Buffer.alloc(256)]]) {
      const n = Buffer.concat(bytes).toString('base64url');
      expect(typeOf(() => accountKeyOf({ kty: 'RSA', n, e: 'AQAB' }, 'RS256'))).toBe('badPublicKey');
    }
  });

  test.each([
    ['a private key', { ...jwk, d: 'ZA' }, 'ES256'],
    ['a secret', { ...jwk, k: 'aw' }, 'ES256'],
    ['another curve', { ...jwk, crv: 'P-384' }, 'ES256'],
    ['another kind', { ...rsa(2048) }, 'ES256'],
    ['another kind on the same curve', { ...jwk, kty: 'OKP' }, 'ES256'],
    ['EC for RSA', jwk, 'RS256'],
    ['another kind with the parts of RSA', { ...rsa(2048), kty: 'EC' }, 'RS256'],
    ['half a point', { kty: 'EC', crv: 'P-256', x: 'eA' }, 'ES256'],
    ['an empty coordinate', { ...jwk, x: '' }, 'ES256'],
    ['a coordinate that is no text', { ...jwk, x: 1 }, 'ES256'],
    ['no exponent', { kty: 'RSA', n: rsa(2048).n }, 'RS256'],
    // Anybody signs for such a key, or can find out what signs for it.
    ['the exponent 1', { ...rsa(2048), e: 'AQ' }, 'RS256'],
    ['a small exponent', { ...rsa(2048), e: 'Aw' }, 'RS256'],
    ['the exponent before 65537', { ...rsa(2048), e: 'AP__' }, 'RS256'],
    ['an even exponent', { ...rsa(2048), e: 'AQAC' }, 'RS256'],
    ['an exponent beyond 256 bits', { ...rsa(2048), e: Buffer.alloc(33, 1).toString('base64url') }, 'RS256'],
  ])('%s is refused', (_what, key, alg) => {
    expect(typeOf(() => accountKeyOf(key, alg))).toBe('badPublicKey');
  });
});

test('reading takes an empty payload, and acting an object', () => {
  expect(typeOf(() => requireAsGet(''))).toBe('taken');
  expect(typeOf(() => requireAsGet('e30'))).toBe('malformed');
  expect(objectIn(part({ a: 1 }))).toEqual({ a: 1 });
  // The last one is no UTF-8.
  for (const payload of ['', part([1]), part(null), 'AAAA', part('text'), '_w']) {
    expect(typeOf(() => objectIn(payload))).toBe('malformed');
  }
  expect([textOf(Buffer.from('é')), textOf(Buffer.from([0xff]))]).toEqual(['é', null]);
});

test('nesting that only exhausts the stack is not parsed', () => {
  const nested = (levels: number, open: string, close: string) =>
    jsonOf(`${open.repeat(levels)}0${close.repeat(levels)}`);
  expect([nested(20, '[', ']'), nested(20, '{"a":', '}')]).not.toContain(undefined);
  expect([nested(21, '[', ']'), nested(21, '{"a":', '}')]).toEqual([undefined, undefined]);
  expect(jsonOf(`[${Array(21).fill('[],{}').join()}]`)).toHaveLength(42);
});
