/**
 * Private keys, wherever somebody pastes one. The browser sends none and the server takes none, in any field of any
 * call: a key that has left its machine has to be replaced.
 */

/** Beside a field for a signing request. */
export const privateKeyText =
  'This is a private key, not a CSR. It was refused and not stored. Never send it to anyone; paste the file that begins with "BEGIN CERTIFICATE REQUEST".';
/** Beside any other field. */
export const strayKeyText =
  'This contains a private key. It was refused and not stored. Never send a private key to anyone.';

/** PEM of every kind (PKCS #1, PKCS #8, SEC 1, encrypted, OpenSSH, PGP), with its dashes changed or lost too. */
const pemKey = /BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY/i;
const puttyKey = /PuTTY-User-Key-File/i;
/** The private part of a JSON Web Key. */
const webKey = /"d"\s{0,20}:\s{0,20}"[\w-]{20}/;
/** The beginning of a word in base64: `M` is how the first byte of any key is written. */
const base64Start = /(?<![A-Za-z0-9+/])M[A-Za-z0-9+/]{39}/g;

export function holdsPrivateKey(text: string): boolean {
  // As UTF-16 that was read as something else: a zero between every two letters.
  const plain = text.includes('\0') ? text.replaceAll('\0', '') : text;
  if (pemKey.test(plain) || puttyKey.test(plain)) return true;
  if (webKey.test(plain) && plain.includes('"kty"')) return true;
  // Without the lines around it: the first bytes say what it is, and they stand in the first line.
  return [...plain.matchAll(base64Start)].some(([start]) => derKind(atob(start)) === 'private-key');
}

/** What DER begins with, as a string of bytes. */
export function derKind(bytes: string): 'csr' | 'private-key' | 'certificate' | 'other' {
  if (bytes.charCodeAt(0) !== 0x30) return 'other';
  const inner = contentOf(bytes, 0);
  const tag = bytes.charCodeAt(inner);
  // PKCS #1, PKCS #8, SEC 1 and PKCS #12 begin with a version of one byte; a public RSA key with a long number.
  if (tag === 0x02) {
    return bytes.charCodeAt(inner + 1) === 1 && bytes.charCodeAt(inner + 2) <= 3 ? 'private-key' : 'other';
  }
  if (tag !== 0x30) return 'other';
  const first = contentOf(bytes, inner);
  const what = bytes.charCodeAt(first);
  // A request begins with version 0; a certificate with its tagged version, or of old with its serial number.
  if (what === 0x02) {
    return bytes.charCodeAt(first + 1) === 1 && bytes.charCodeAt(first + 2) === 0 ? 'csr' : 'certificate';
  }
  if (what === 0xa0) return 'certificate';
  // An algorithm, and then sealed bytes: an encrypted key (PKCS #8); a public key has a bit string there.
  return what === 0x06 && isEncryption(bytes, first) ? 'private-key' : 'other';
}

/** PKCS #5: 1.2.840.113549.1.5; PKCS #12: 1.2.840.113549.1.12.1. Only keys are encrypted by these. */
function isEncryption(bytes: string, at: number): boolean {
  const pkcs = '\x2a\x86\x48\x86\xf7\x0d\x01';
  return bytes.startsWith(`${pkcs}\x05`, at + 2) || bytes.startsWith(`${pkcs}\x0c\x01`, at + 2);
}

/** Where the content of the element begins that begins at `at`. */
function contentOf(bytes: string, at: number): number {
  const length = bytes.charCodeAt(at + 1);
  return at + 2 + (length & 0x80 ? length & 0x7f : 0);
}

/** The first text of a body that holds a private key, as a dotted path; null when none does. */
export function privateKeyPath(value: unknown, path = ''): string | null {
  if (typeof value === 'string') return holdsPrivateKey(value) ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = privateKeyPath(inner, path === '' ? name : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

export function privateKeyRefusal(path: string): string {
  return /(^|\.)csr$/.test(path) ? privateKeyText : strayKeyText;
}
