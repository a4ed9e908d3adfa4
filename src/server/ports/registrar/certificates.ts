import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../outcome.ts';
import type { Sought, WantedOrder } from '../sought.ts';
import type { OrderOrigin } from '../tag.ts';
import type { ContactSet } from './names.ts';

/** Certificates, ordered of an authority through the registrar. */
export interface RegistrarCertificates {
  parseCsr(csr: string, productType: string): Promise<ParsedCsr>;
  approverEmails(domain: string, productType: string): Promise<string[]>;
  orderCertificate(
    input: CertificateInput,
    fence: Fence,
  ): Promise<Outcome<{ orderId: string; state: string }>>;
  certificateOrder(orderId: string): Promise<CertificateOrder | null>;
  /** The newest certificate orders for a host name. Throws `UpstreamUnavailable` when one of them cannot be read. */
  certificateOrdersFor(domain: string): Promise<CertificateOrder[]>;
  /** The certificate order that was placed under the tag. */
  seekCertificateOrder(wanted: WantedOrder): Promise<Sought<CertificateOrder>>;
  certificate(orderId: string): Promise<IssuedCertificate | null>;
  setCertificateValidation(
    orderId: string,
    method: ValidationMethod,
    approverEmail: string | undefined,
    fence: Fence,
  ): Promise<Outcome<void>>;
  resendApproval(orderId: string, fence: Fence): Promise<Outcome<void>>;
  cancelCertificateOrder(orderId: string, fence: Fence): Promise<Outcome<void>>;
}

export type ValidationMethod = 'DNS' | 'File' | 'Email';

export interface ParsedCsr {
  domain: string | null;
  organization: string | null;
  organizationUnit: string | null;
  state: string | null;
  locality: string | null;
  email: string | null;
  country: string | null;
  hasBadExtensions: boolean;
}

export interface CertificateInput {
  domain: string;
  productType: string;
  csr: string;
  years: number;
  validation: ValidationMethod;
  approverEmail: string | null;
  contacts: Omit<ContactSet, 'owner'>;
  tag: string;
  origin?: OrderOrigin;
  /** Set for a renewal of an earlier order. */
  renews?: string | undefined;
  /** Set for a reissue: the order inside whose term it is. */
  reissues?: string | undefined;
}

export interface CertificateOrder {
  orderId: string;
  domain: string;
  productType: string;
  /** awaiting-approval, approver-confirmed, in-progress, completed, declined, cancelled, pending */
  state: string;
  productId: string | null;
  approverEmail: string | null;
  /** What the authority wants to see, per method, when it has said so. */
  validation: {
    method: ValidationMethod;
    dnsName: string | null;
    dnsType: 'TXT' | 'CNAME' | null;
    dnsValue: string | null;
    filePath: string | null;
    fileContent: string | null;
  } | null;
  tag: string | null;
  /** What its tag says besides; null or absent: it was placed before tags did. */
  origin?: OrderOrigin | null;
  orderedAt: Date | null;
  /** What the order costs us in cents, where the registrar says so. */
  costCents?: number | null;
  /** What was ordered, where the registrar says it. */
  ordered?: { csr: string | null; years: number | null };
  notes: { at: Date | null; text: string }[];
}

export interface IssuedCertificate {
  certificatePem: string;
  chainPem: string[];
  serial: string | null;
  notBefore: Date;
  notAfter: Date;
  state: string;
}
