import { X509Certificate } from 'node:crypto';
import { sha256 } from '#kernel/ids.ts';

/** Certificates as RFC 9773 names them, and their keys. */

/** SHA-256 of a certificate's public key. */
export function keyDigestOf(certificate: X509Certificate): Buffer {
  return sha256(certificate.publicKey.export({ type: 'spki', format: 'der' }));
}

/**
 * The unique identifier of RFC 9773 4.1: the authority key's identifier and the serial number, each in base64url; null for a
 * certificate that does not name its authority's key.
 */
export async function issuedIdOf({ raw }: X509Certificate): Promise<string | null> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const certificate = new x509.X509Certificate(new Uint8Array(raw));
  const authority = certificate.getExtension(x509.AuthorityKeyIdentifierExtension);
  if (!authority?.keyId) return null;
  return issuedIdFrom(authority.keyId, certificate.serialNumber);
}

/** `keyId` and `serial` in hex. The serial is a DER integer: a leading bit that is set takes a zero byte before it. */
export function issuedIdFrom(keyId: string, serial: string): string {
  const even = serial.length % 2 === 0 ? serial : `0${serial}`;
  const bytes = Buffer.from(even, 'hex');
  const signed = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return `${Buffer.from(keyId, 'hex').toString('base64url')}.${signed.toString('base64url')}`;
}

/** A certificate in DER; null when it is none. */
export function certificateFrom(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der);
  } catch {
    return null;
  }
}
