import {
  calculateJwkThumbprint,
  errors,
  type FlattenedJWSInput,
  flattenedVerify,
  importJWK,
  type JWK,
} from 'jose';
import { bindingAlgorithms, type Envelope, headerOf, type Jwk, type ProtectedHeader } from './jws.rules.ts';
import { AcmeProblem } from './problems.rules.ts';

/** Signatures, checked by the library. What may be signed, and by which keys, is in `jws.rules.ts`. */

const wrongSignature =
  'The signature of the request does not match its key. Check that the client uses the key of this account.';

/** Throws `malformed` when the signature was not made with this key. */
export async function requireSignature(envelope: Envelope, jwk: Jwk, alg: string): Promise<void> {
  let key: ImportedKey;
  try {
    key = await importedKey(jwk, alg);
  } catch (cause) {
    throw new AcmeProblem('badPublicKey', 'The account key cannot be read.', { cause });
  }
  await verified(envelope, key, alg, wrongSignature);
}

type ImportedKey = Awaited<ReturnType<typeof importJWK>>;

/** A client sends its requests one after the other: importing its key costs more than the check of a signature. */
const recentKeys = new Map<string, ImportedKey>();
const mostKeys = 500;

async function importedKey(jwk: Jwk, alg: string): Promise<ImportedKey> {
  const name = `${alg} ${JSON.stringify(jwk)}`;
  const known = recentKeys.get(name);
  if (known) return known;
  const key = await importJWK(jwk as JWK, alg);
  const [oldest] = recentKeys.keys();
  if (recentKeys.size >= mostKeys && oldest !== undefined) recentKeys.delete(oldest);
  recentKeys.set(name, key);
  return key;
}

async function verified(
  envelope: FlattenedJWSInput,
  key: Parameters<typeof flattenedVerify>[1],
  alg: string,
  otherwise: string,
): Promise<void> {
  try {
    await flattenedVerify(envelope, key as Uint8Array, { algorithms: [alg] });
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError || cause instanceof TypeError)) throw cause;
    throw new AcmeProblem('malformed', otherwise, { cause });
  }
}

/** The header of an external account binding: who binds, and that it is of this request (RFC 8555 7.3.4). */
export function bindingHeaderOf(
  envelope: Envelope,
  outer: ProtectedHeader,
): ProtectedHeader & { kid: string } {
  const header = headerOf(envelope, bindingAlgorithms);
  const { kid } = header;
  if (kid === null || header.nonce !== null || header.url !== outer.url) {
    throw new AcmeProblem(
      'malformed',
      'The external account binding must contain the key id and the same address, and no nonce.',
    );
  }
  return { ...header, kid };
}

/** Whether the binding was signed with the access's key. */
export async function isBoundBy(envelope: Envelope, hmacKey: Uint8Array, alg: string): Promise<boolean> {
  if (hmacKey.length === 0) return false;
  try {
    await flattenedVerify(envelope, hmacKey, { algorithms: [alg] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
}

/** Of what a client sent as a key; empty for what is none. */
export async function thumbprintOfGiven(value: unknown): Promise<string> {
  if (typeof value !== 'object' || value === null) return '';
  return calculateJwkThumbprint(value as JWK).catch(() => '');
}

/** RFC 7638: the same key has the same, however it is written. */
export function thumbprintOf(jwk: Jwk): Promise<string> {
  return calculateJwkThumbprint(jwk as JWK);
}
