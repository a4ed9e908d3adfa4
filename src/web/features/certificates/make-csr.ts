/** A key pair and a signing request, made here by Web Crypto. The key never leaves the browser but as a download. */

export type KeyKind = 'rsa-2048' | 'ec-p256';

export interface CsrSubject {
  /** The host name; its `www` is asked for too. */
  name: string;
  organization: string;
  country: string;
}

const algorithms = {
  'rsa-2048': {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  'ec-p256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
} as const;

export async function makeCsr(
  subject: CsrSubject,
  kind: KeyKind,
): Promise<{ csrPem: string; keyPem: string }> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = algorithms[kind];
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [
      { CN: [subject.name] },
      ...(subject.organization ? [{ O: [subject.organization] }] : []),
      ...(subject.country ? [{ C: [subject.country] }] : []),
    ],
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        namesOf(subject.name).map((value) => ({ type: 'dns' as const, value })),
      ),
    ],
  });
  const exported = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    csrPem: `${request.toString('pem')}\n`,
    keyPem: `${x509.PemConverter.encode(exported, 'PRIVATE KEY')}\n`,
  };
}

function namesOf(name: string): string[] {
  if (name.startsWith('*.')) return [name, name.slice(2)];
  return name.split('.').length === 2 ? [name, `www.${name}`] : [name];
}
