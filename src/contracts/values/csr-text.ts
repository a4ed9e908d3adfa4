import { pemBodies, requestLabels } from './pem.ts';
import { derKind, holdsPrivateKey } from './private-keys.ts';

/** What a person pastes or uploads as a signing request, before anything reads it. Used on both sides of the wire. */

export { privateKeyText } from './private-keys.ts';
export const certificateText =
  'This is a certificate, not a CSR. Paste the file that begins with "BEGIN CERTIFICATE REQUEST".';
export const notACsrText =
  'We cannot read this CSR. A CSR begins with "BEGIN CERTIFICATE REQUEST" and ends with "END CERTIFICATE REQUEST".';

export type CsrText = { kind: 'csr'; pem: string } | { kind: 'private-key' | 'certificate' | 'other' };

/** A private key anywhere in the text wins: it must go no further. Of a request only its own lines are taken. */
export function csrText(text: string): CsrText {
  if (holdsPrivateKey(text)) return { kind: 'private-key' };
  const [body] = requestLabels.flatMap((label) => pemBodies(text, label));
  if (body !== undefined) return fromBase64(body);
  if (/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(text)) return { kind: 'certificate' };
  const bare = text.replace(/\s+/g, '');
  return bare.length > 100 && /^M[A-Za-z0-9+/]+=*$/.test(bare) ? fromBase64(bare) : { kind: 'other' };
}

/** A file: PEM text in the character set of its writer, or DER. */
export function csrFile(bytes: Uint8Array): CsrText {
  if (bytes[0] !== 0x30) return csrText(textOf(bytes));
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return fromBase64(btoa(binary));
}

/** Tools of Windows write UTF-16, with or without a mark: every other byte of PEM is zero then. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder('utf-16le').decode(bytes);
  if ((first === 0xfe && second === 0xff) || first === 0) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

function fromBase64(given: string): CsrText {
  const base64 = given.replace(/[^A-Za-z0-9+/=]/g, '');
  let kind: CsrText['kind'];
  try {
    kind = derKind(atob(base64));
  } catch {
    return { kind: 'other' };
  }
  if (kind !== 'csr') return { kind };
  const lines = base64.replace(/.{64}(?=.)/g, '$&\n');
  const pem = ['-----BEGIN CERTIFICATE REQUEST-----', lines, '-----END CERTIFICATE REQUEST-----', ''];
  return { kind: 'csr', pem: pem.join('\n') };
}
