import { isSafeExponent } from '#contracts/values/rsa-exponent.ts';
import { AcmeProblem } from './problems.rules.ts';

/** Which signed requests are taken (RFC 8555 6.2): pure, from the text of the request. */

/** By our preference; RFC 8555 6.2 asks for ES256, RFC 8037 adds EdDSA. */
export const accountAlgorithms = ['ES256', 'ES384', 'EdDSA', 'RS256'] as const;
/** RFC 8555 7.3.4: a MAC. */
export const bindingAlgorithms = ['HS256', 'HS384', 'HS512'] as const;

const leastRsaBits = 2048;
const mostRsaBits = 8192;

export interface Envelope {
  protected: string;
  payload: string;
  signature: string;
}

export type Jwk = Readonly<Record<string, unknown>>;

export interface ProtectedHeader {
  alg: string;
  url: string;
  nonce: string | null;
  /** Who signed: a key that comes along, or one that is known by its name. Exactly one of the two. */
  jwk: Jwk | null;
  kid: string | null;
}

const malformed = (message: string): never => {
  throw new AcmeProblem('malformed', message);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const base64url = /^[\w-]*$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** JSON of at most so many levels: what is deeper is only sent to exhaust somebody's stack. */
const mostDepth = 20;

/** Text as JSON; undefined when it is none, or none that anybody needs. */
export function jsonOf(text: string): unknown {
  let depth = 0;
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > mostDepth) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Bytes as text; null when they are no UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** The body of a request: one signature in the flattened form, and nothing outside of what is signed. */
export function envelopeOf(value: unknown): Envelope {
  if (!isObject(value)) return malformed('The request body is not a JSON Web Signature.');
  if ('signatures' in value)
    return malformed('The request has several signatures. Send one, in the flattened form.');
  if ('header' in value) return malformed('The request has a header that is not signed. Sign all of it.');
  const { protected: head, payload, signature } = value;
  if (!isPart(head) || !isPart(payload) || !isPart(signature)) {
    return malformed('The request must have the fields "protected", "payload" and "signature" in base64url.');
  }
  return { protected: head, payload, signature };
}

function isPart(value: unknown): value is string {
  return typeof value === 'string' && base64url.test(value);
}

/** The part of a signed request in base64url as JSON; undefined when it is none. */
export function decodedJson(part: string): unknown {
  const text = textOf(Buffer.from(part, 'base64url'));
  return text === null ? undefined : jsonOf(text);
}

/** The protected header, with what every signed request has. */
export function headerOf(
  envelope: Envelope,
  algorithms: readonly string[] = accountAlgorithms,
): ProtectedHeader {
  const header = decodedJson(envelope.protected);
  if (!isObject(header)) return malformed('The protected header is not a JSON object.');
  const { alg, url, nonce = null, jwk = null, kid = null } = header;
  // No extension is known, and RFC 8555 6.2 rules out unencoded payloads.
  if ('crit' in header || 'b64' in header)
    return malformed('The protected header has an extension that is not known.');
  if (typeof alg !== 'string') return malformed('The protected header does not name an algorithm.');
  if (!algorithms.includes(alg)) {
    throw new AcmeProblem(
      'badSignatureAlgorithm',
      `The signature algorithm "${alg.slice(0, 20)}" is not supported. Use one of ${algorithms.join(', ')}.`,
      { members: { algorithms: [...algorithms] } },
    );
  }
  if (typeof url !== 'string')
    return malformed('The protected header does not contain the address of the request.');
  if (nonce !== null && typeof nonce !== 'string') return malformed('The nonce is not a text.');
  if ((jwk === null) === (kid === null)) {
    return malformed('The protected header must contain either "jwk" or "kid", and not both.');
  }
  if (jwk !== null && !isObject(jwk))
    return malformed('The key in the protected header is not a JSON object.');
  if (kid !== null && typeof kid !== 'string')
    return malformed('The key id in the protected header is not a text.');
  return { alg, url, nonce, jwk: jwk as Jwk | null, kid: kid as string | null };
}

const badKey = (message: string): never => {
  throw new AcmeProblem('badPublicKey', message);
};

const curves: Readonly<Record<string, { kty: string; crv: string }>> = {
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
};

/** The public parts of an account's key, when it is one that we take, of the kind that its algorithm needs. */
export function accountKeyOf(jwk: Jwk, alg: string): Jwk {
  if ('d' in jwk || 'k' in jwk)
    return badKey('The request contains a private key. Make a new account key and keep it secret.');
  if (alg === 'RS256') return rsaKeyOf(jwk);
  const curve = curves[alg];
  const { kty, crv, x, y } = jwk;
  if (!curve || kty !== curve.kty || crv !== curve.crv) {
    return badKey(`The account key does not fit the algorithm ${alg}.`);
  }
  const isEdwards = curve.kty === 'OKP';
  if (!isText(x) || (!isEdwards && !isText(y))) return badKey('The account key is incomplete.');
  return isEdwards ? { kty, crv, x } : { kty, crv, x, y };
}

function rsaKeyOf({ kty, n, e }: Jwk): Jwk {
  if (kty !== 'RSA') return badKey('The account key does not fit the algorithm RS256.');
  if (!isText(n) || !isText(e)) return badKey('The account key is incomplete.');
  const bits = bitsOf(Buffer.from(n, 'base64url'));
  if (bits < leastRsaBits || bits > mostRsaBits) {
    return badKey(
      `The account key has ${bits} bits. Use RSA with ${leastRsaBits} to ${mostRsaBits} bits, or P-256.`,
    );
  }
  if (!isSafeExponent(Buffer.from(e, 'base64url'))) {
    return badKey(
      'The public exponent of the account key is not safe. Make a new key, with the exponent 65537.',
    );
  }
  return { kty, n, e };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && base64url.test(value);
}

function bitsOf(bytes: Buffer): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24;
}

/** A payload that must be a JSON object. POST-as-GET has none (RFC 8555 6.3). */
export function objectIn(payload: string): Record<string, unknown> {
  const value = decodedJson(payload);
  if (!isObject(value)) return malformed('The payload of this request must be a JSON object.');
  return value;
}

/** RFC 8555 6.3: reading is a POST with an empty payload. */
export function requireAsGet(payload: string): void {
  if (payload !== '') malformed('This address is read with an empty payload (POST-as-GET).');
}
