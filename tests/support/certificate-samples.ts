import type { CertificateDetail } from '../../src/contracts/operations/certificates.ts';

/** Certificates and signing requests for tests of screens. */

/** The shortest bytes that count as a signing request; another one for each number. */
export const requestBytes = (n: number) => Uint8Array.from([0x30, 8, 0x30, 6, 0x02, 1, 0, 0x04, 1, n]);

/** The same as it is sent. */
export const requestPem = (n: number) => pem('CERTIFICATE REQUEST', requestBytes(n));

export const privateKeyPem = pem('PRIVATE KEY', Uint8Array.from([0x30, 6, 0x02, 1, 0, 0x04, 1, 9]));

function pem(label: string, bytes: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${btoa(String.fromCharCode(...bytes))}\n-----END ${label}-----\n`;
}

/** One that is valid for half of this century, proven by a record that the portal wrote. */
export function certificateOf(more: Partial<CertificateDetail> = {}): CertificateDetail {
  return {
    ...{ certificateId: '00000000-0000-4000-8000-000000000901', address: 'shop.acme.example' },
    ...{ state: 'completed', productType: 'rapidssl', provider: 'RapidSSL', customer: 'Acme' },
    ...{ customerId: '00000000-0000-4000-8000-000000000021', orderId: '4711', serial: '0A1B2C' },
    ...{ orderedAt: '2026-01-02T03:00:00Z', validFrom: '2026-01-02T04:00:00Z', reissuing: false },
    ...{ validTo: '2076-01-02T04:00:00Z', termEndsAt: '2077-02-03T04:00:00Z', byAcme: null, flags: [] },
    ...{ nextReissueAt: '2075-12-03T04:00:00Z', hostNames: ['shop.acme.example', 'www.shop.acme.example'] },
    ...{ csr: requestPem(1), csrData: { domain: 'shop.acme.example', country: 'US' }, wildcard: false },
    proof: {
      ...{ method: 'DNS', dnsName: '_dnsauth.shop.acme.example', dnsType: 'TXT', dnsValue: 'token-1' },
      ...{ filePath: null, fileContent: null },
    },
    ...{ proofState: 'set', proofCheckedAt: null, approverEmail: null, remark: null, autoReissue: true },
    ...{ reissue: null, issues: [] },
    ...more,
  };
}
