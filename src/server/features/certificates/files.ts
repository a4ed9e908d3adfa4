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
  const x509 = await loadX509();
  const pem = 'application/x-pem-file';
  const chain = withoutRoot(x509, parts.chainPem);
  switch (file) {
    case 'certificate.pem':
      return { content: Buffer.from(parts.certificatePem), type: pem };
    case 'chain.pem':
      return { content: Buffer.from(chain), type: pem };
    case 'fullchain.pem':
      return { content: Buffer.from(`${parts.certificatePem.trim()}\n${chain}`), type: pem };
    case 'bundle.p7b': {
      const all = new x509.X509Certificates(certificatesIn(x509, `${parts.certificatePem}\n${chain}`));
      const content = Buffer.from(all.export('raw'));
      return { content, type: 'application/x-pkcs7-certificates' };
    }
  }
}

/** Clients have the root; a server that sends it only sends more. */
function withoutRoot(x509: X509, chainPem: string): string {
  const sent = certificatesIn(x509, chainPem).filter(({ subject, issuer }) => subject !== issuer);
  return sent.map((certificate) => `${certificate.toString('pem')}\n`).join('');
}

const label = 'CERTIFICATE';

function certificatesIn(x509: X509, pem: string): X509Certificate[] {
  return pemBodies(pem, label).map(
    (body) => new x509.X509Certificate(`-----BEGIN ${label}-----${body}-----END ${label}-----`),
  );
}
