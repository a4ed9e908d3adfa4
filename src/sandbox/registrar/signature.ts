import { createHash, timingSafeEqual } from 'node:crypto';

/** OpenSRS XCP: md5hex(md5hex(body + key) + key) over the exact bytes of the body, lower-case (checked 2026-11-21). */
export function signatureOf(body: Uint8Array, key: string): string {
  const inner = createHash('md5').update(body).update(key, 'utf8').digest('hex');
  return createHash('md5').update(inner).update(key, 'utf8').digest('hex');
}

/** Compares in constant time; hashing first makes the lengths equal. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(left), digest(right));
}
