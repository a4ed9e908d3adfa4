import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509';

/** Signing requests where no openssl has to be, and made in no time: for measurements and for the demonstration. */

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function newRequestKeys(): Promise<CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
}

/** In base64url, as a client sends it. */
export async function requestFor(names: readonly string[], keys: CryptoKeyPair): Promise<string> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    ...{ name: `CN=${names[0]}`, keys, signingAlgorithm: algorithm },
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  });
  return Buffer.from(request.rawData).toString('base64url');
}
