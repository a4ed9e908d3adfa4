import { createHash } from 'node:crypto';

const md5Hex = (input: Buffer | string) => createHash('md5').update(input).digest('hex');

/**
 * `X-Signature`: md5hex(md5hex(body + key) + key) over the very bytes that are sent. MD5 is what the vendor's protocol
 * asks for (checked 2026-11-21); secrecy and integrity on the way come from TLS.
 */
export function sign(body: Buffer, key: string): string {
  const inner = md5Hex(Buffer.concat([body, Buffer.from(key, 'utf8')]));
  return md5Hex(inner + key);
}
