import { X509Certificate } from 'node:crypto';
import { pemBodies } from '#contracts/values/pem.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { IssuedCertificate } from '../../ports/registrar.ts';
import { isMap, map, text, type XcpMap, type XcpValue } from './xcp.ts';

/** The issued certificate and its chain out of `cert_data`; null while there is none. */
export function issuedCertificate(attributes: XcpMap): IssuedCertificate | null {
  const data = map(attributes, 'cert_data');
  const own = text(data, 'certificate');
  if (!data || !own) return null;
  const [leafPem] = blocksOf(own);
  if (!leafPem) return null;
  const leaf = read(leafPem);
  // How the authority's own certificates are keyed is not documented: all others in the reply are they.
  const others = [...new Set(blocksOf(data))]
    .filter((pem) => pem !== leafPem)
    .map((pem) => ({ pem, cert: read(pem) }));
  return {
    certificatePem: leafPem,
    chainPem: inOrder(leaf, others),
    serial: leaf.serialNumber.toLowerCase(),
    notBefore: leaf.validFromDate,
    notAfter: leaf.validToDate,
    state: (text(attributes, 'state') ?? 'active').toLowerCase(),
  };
}

interface Parsed {
  pem: string;
  cert: X509Certificate;
}

/** Issuer after issuer, the root last; what belongs to no chain follows. */
function inOrder(leaf: X509Certificate, others: Parsed[]): string[] {
  const left = [...others];
  const chain: string[] = [];
  let current = leaf;
  for (;;) {
    const index = left.findIndex(({ cert }) => cert.subject === current.issuer);
    const [next] = index < 0 ? [] : left.splice(index, 1);
    if (!next) return [...chain, ...left.map(({ pem }) => pem)];
    chain.push(next.pem);
    current = next.cert;
  }
}

function blocksOf(value: XcpValue): string[] {
  if (typeof value !== 'string') return (isMap(value) ? Object.values(value) : value).flatMap(blocksOf);
  return pemBodies(value, 'CERTIFICATE').map(normal);
}

function normal(body: string): string {
  const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function read(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new UpstreamUnavailable('registrar: a certificate that cannot be read', { cause: error });
  }
}
