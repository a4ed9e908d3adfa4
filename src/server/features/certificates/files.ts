import { X509Certificate as NodeCertificate } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';
import type { certificateFiles } from '#contracts/operations/certificates.ts';
import { pemBodies } from '#contracts/values/pem.ts';
import { loadX509, type X509 } from './x509.ts';

export type CertificateFile = (typeof certificateFiles)[number];

interface Parts {
  certificatePem: string;
  /** Issuer after issuer as the registrar returns them, a root perhaps the last. */
  chainPem: string;
}

/** The certificate as usual servers take it: alone, its chain, both (nginx and most others), PKCS #7 (Windows). */
export async function certificateFile(
  file: CertificateFile,
  parts: Parts,
): Promise<{ content: Buffer; type: string }> {
  const pem = 'application/x-pem-file';
  const chain = withoutRoot(parts.chainPem);
  switch (file) {
    case 'certificate.pem':
      return { content: Buffer.from(parts.certificatePem), type: pem };
    case 'chain.pem':
      return { content: Buffer.from(chain), type: pem };
    case 'fullchain.pem':
      return { content: Buffer.from(`${parts.certificatePem.trim()}\n${chain}`), type: pem };
    case 'bundle.p7b': {
      const x509 = await loadX509();
      const all = new x509.X509Certificates(certificatesIn(x509, `${parts.certificatePem}\n${chain}`));
      const content = Buffer.from(all.export('raw'));
      return { content, type: 'application/x-pkcs7-certificates' };
    }
  }
}

/** Clients have the root; a server that sends it only sends more. */
function withoutRoot(chainPem: string): string {
  const sent = pemsIn(chainPem)
    .map((pem) => new NodeCertificate(pem))
    .filter(({ subject, issuer }) => subject !== issuer);
  return sent.map((certificate) => certificate.toString()).join('');
}

const label = 'CERTIFICATE';

function certificatesIn(x509: X509, pem: string): X509Certificate[] {
  return pemsIn(pem).map((one) => new x509.X509Certificate(one));
}

function pemsIn(pem: string): string[] {
  return pemBodies(pem, label).map(
    (body) => `-----BEGIN ${label}-----\n${body.trim()}\n-----END ${label}-----`,
  );
}
