import { createHash } from 'node:crypto';
import type { XcpMap } from '../xcp.ts';
import type { CertificateOrder } from './state.ts';

/** Sectigo's brands ask for a CNAME, the others for a TXT (vendors' pages, checked 2026-11-21). */
const cnameBrands = /^(comodo|positivessl|essentialssl)/;

/** What the authority wants to see for one order. */
export interface Proof {
  dnsName: string;
  dnsType: 'TXT' | 'CNAME';
  dnsValue: string;
  filePath: string;
  fileContent: string;
}

export function proofOf(order: Pick<CertificateOrder, 'domain' | 'productType' | 'token'>): Proof {
  const domain = order.domain.replace(/^\*\./, '');
  const digest = createHash('sha256').update(order.token).digest('hex');
  const alias = cnameBrands.test(order.productType);
  return {
    dnsName: alias ? `_${order.token}.${domain}` : `_dnsauth.${domain}`,
    dnsType: alias ? 'CNAME' : 'TXT',
    dnsValue: alias
      ? `${digest.slice(0, 32)}.${digest.slice(32)}.sandbox-authority.com`
      : digest.slice(0, 40),
    filePath: '/.well-known/pki-validation/fileauth.txt',
    fileContent: digest,
  };
}

/** The shape of `dv_auth_details` is not public; this is the sandbox's (docs/decisions/0021). */
export function proofMap(order: CertificateOrder): XcpMap {
  const proof = proofOf(order);
  if (order.method === 'DNS') {
    return {
      dv_auth_method: 'DNS',
      dns_record_name: proof.dnsName,
      dns_record_type: proof.dnsType,
      dns_record_value: proof.dnsValue,
    };
  }
  if (order.method === 'File') {
    return { dv_auth_method: 'File', file_path: proof.filePath, file_content: proof.fileContent };
  }
  return { dv_auth_method: 'Email', approver_email: order.approver };
}

/** BR 3.2.2.4.4: the five mailboxes of a name and of those above it, down to the one that was registered. */
export function approversOf(domain: string): { domain: string; email: string }[] {
  const labels = domain.replace(/^\*\./, '').split('.');
  const names = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  return names.flatMap((name) =>
    ['admin', 'administrator', 'hostmaster', 'postmaster', 'webmaster'].map((box) => ({
      domain: name,
      email: `${box}@${name}`,
    })),
  );
}
