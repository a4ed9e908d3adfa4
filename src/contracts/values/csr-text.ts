/** What a person pastes or uploads as a signing request, before anything reads it. Used on both sides of the wire. */

import { pemBodies, requestLabels } from './pem.ts';

export const privateKeyText =
  'This is a private key, not a CSR. It was refused and not stored. Never send it to anyone; paste the file that begins with "BEGIN CERTIFICATE REQUEST".';
export const certificateText =
  'This is a certificate, not a CSR. Paste the file that begins with "BEGIN CERTIFICATE REQUEST".';
export const notACsrText =
  'This is not a CSR that can be read. It begins with "BEGIN CERTIFICATE REQUEST" and ends with "END CERTIFICATE REQUEST".';

export type CsrText = { kind: 'csr'; pem: string } | { kind: 'private-key' | 'certificate' | 'other' };

/** A private key anywhere in the text wins: it must go no further. */
export function csrText(text: string): CsrText {
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) return { kind: 'private-key' };
  const [body] = requestLabels.flatMap((label) => pemBodies(text, label));
  if (body !== undefined) return fromBase64(body);
  if (/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(text)) return { kind: 'certificate' };
  const bare = text.replace(/\s+/g, '');
  return bare.length > 100 && /^M[A-Za-z0-9+/]+=*$/.test(bare) ? fromBase64(bare) : { kind: 'other' };
}

/** A file: PEM text, or DER. */
export function csrFile(bytes: Uint8Array): CsrText {
  if (bytes[0] !== 0x30) return csrText(new TextDecoder().decode(bytes));
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return fromBase64(btoa(binary));
}

function fromBase64(given: string): CsrText {
  const base64 = given.replace(/[^A-Za-z0-9+/=]/g, '');
  let bytes: string;
  try {
    bytes = atob(base64);
  } catch {
    return { kind: 'other' };
  }
  // Keys (PKCS#8, PKCS#1, SEC1) begin with a version number, a request with another sequence.
  if (innerTag(bytes) === 0x02) return { kind: 'private-key' };
  const lines = base64.match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''];
  return { kind: 'csr', pem: pem.join('\n') };
}

/** What the outer sequence holds first. */
function innerTag(bytes: string): number {
  const length = bytes.charCodeAt(1);
  return bytes.charCodeAt(length < 0x80 ? 2 : 2 + (length & 0x7f));
}
