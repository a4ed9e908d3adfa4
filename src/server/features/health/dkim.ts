import { createPublicKey } from 'node:crypto';
import { strongKeyBits, tagsOf } from './mail.rules.ts';

/** Bits of the RSA key of a DKIM record (RFC 6376, section 3.6.1); 0: it was withdrawn or cannot be read; null: no such record. */
export function dkimBits(records: readonly string[]): number | null {
  const tags = records.map(tagsOf).find((each) => each.has('p'));
  if (tags === undefined) return null;
  const key = tags.get('p')?.replace(/\s+/g, '') ?? '';
  // A key of 256 bits on a curve is as strong as RSA is asked to be (RFC 8463).
  if (tags.get('k')?.toLowerCase() === 'ed25519') return key === '' ? 0 : strongKeyBits;
  try {
    const read = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return read.asymmetricKeyDetails?.modulusLength ?? 0;
  } catch {
    return 0;
  }
}
