import 'reflect-metadata';
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';

/** What a signing request says, as PARSE_CSR reports it. */
export interface ReadCsr {
  request: Pkcs10CertificateRequest;
  domain: string;
  organization: string;
  organizationUnit: string;
  state: string;
  locality: string;
  email: string;
  country: string;
  /** Common name and alternative names, lower case, each once. */
  names: string[];
  badExtensions: boolean;
}

const ALLOWED_EXTENSIONS = [
  '2.5.29.17',
  '2.5.29.15',
  '2.5.29.37',
  '2.5.29.19',
  '2.5.29.14',
  '1.3.6.1.4.1.311.20.2',
];

/** null: no request that can be read, or a key that no authority signs (RSA below 2048, odd curves). */
export function readCsr(text: string): ReadCsr | null {
  let request: Pkcs10CertificateRequest;
  try {
    request = new Pkcs10CertificateRequest(text.replace(/NEW CERTIFICATE REQUEST/g, 'CERTIFICATE REQUEST'));
  } catch {
    return null;
  }
  if (!goodKey(request.publicKey.algorithm)) return null;
  const field = (name: string) => (request.subjectName.getField(name)[0] ?? '').trim();
  const alternative = request.extensions.find(
    (extension) => extension instanceof SubjectAlternativeNameExtension,
  );
  const listed =
    alternative?.names.items.filter((item) => item.type === 'dns').map((item) => item.value) ?? [];
  const common = field('CN').toLowerCase();
  return {
    request,
    domain: common || (listed[0]?.toLowerCase() ?? ''),
    organization: field('O'),
    organizationUnit: field('OU'),
    state: field('ST'),
    locality: field('L'),
    email: field('E') || field('1.2.840.113549.1.9.1'),
    country: field('C'),
    names: [...new Set([common, ...listed.map((name) => name.toLowerCase())].filter((name) => name !== ''))],
    badExtensions: request.extensions.some((extension) => !ALLOWED_EXTENSIONS.includes(extension.type)),
  };
}

function goodKey(algorithm: Algorithm): boolean {
  if ('modulusLength' in algorithm) return Number(algorithm.modulusLength) >= 2048;
  return 'namedCurve' in algorithm && ['P-256', 'P-384'].includes(String(algorithm.namedCurve));
}
