import type { VerificationState } from '#contracts/values/registrant-verification.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from './outcome.ts';
import type { Sought, WantedOrder } from './sought.ts';

/**
 * The registrar as the product sees it: names in lower-case ASCII, cents, dates, closed outcomes.
 * Reads throw `UpstreamUnavailable` or `UpstreamRefused`; acts return an `Outcome` and never throw for
 * anything the registrar or the network does. `tag` is our item id: it travels with an order and is what
 * reconciliation finds the order by (design: registrar orders carry our id). Every act takes a fence: the claim under
 * which it is made, asked for right before the wire (design: fences).
 */
export interface Registrar {
  /** Asks the registry when `fresh`, else the registrar's cache may answer. */
  lookup(domain: string, options?: { fresh?: boolean }): Promise<Lookup>;
  /** Names like `searchText`, in the given suffixes (without dot), available and taken ones. */
  suggest(searchText: string, options: { suffixes: string[]; maximum: number }): Promise<Suggestion[]>;
  /** Our cost for the whole period in integer cents. */
  quote(domain: string, kind: QuoteKind, years: number): Promise<Quote>;
  /** Our account at the registrar. */
  balance(): Promise<{ balanceCents: number; heldCents: number }>;

  register(input: RegisterInput, fence: Fence): Promise<Outcome<RegisterResult>>;
  renew(input: RenewInput, fence: Fence): Promise<Outcome<RenewResult>>;
  /** Has a name back that the registry has deleted. Refused where it is not deleted, or cannot be had back. */
  redeem(input: { domain: string; tag: string }, fence: Fence): Promise<Outcome<{ orderId: string | null }>>;
  transferIn(input: TransferInput, fence: Fence): Promise<Outcome<{ orderId: string }>>;

  /** null: the name is not in our account. */
  domain(domain: string): Promise<RegistrarDomain | null>;
  /**
   * The registrar's newest orders for this name, with the tags they were placed under. Throws `UpstreamUnavailable` when
   * one of them cannot be read.
   */
  ordersFor(domain: string): Promise<RegistrarOrder[]>;
  /** The order of this kind that was placed under the tag. */
  seekOrder(wanted: WantedOrder & { kind: 'new' | 'renewal' | 'transfer' }): Promise<Sought<RegistrarOrder>>;
  /** null: no such order. */
  order(orderId: string): Promise<RegistrarOrder | null>;
  /** Names that expire in the span (inclusive days), page by page. */
  expiring(from: Date, to: Date): AsyncIterable<{ domain: string; expiresAt: Date; autoRenew: boolean }>;

  checkTransfer(domain: string): Promise<TransferCheck>;
  transferStatus(domain: string): Promise<TransferStatus>;
  cancelTransfer(orderId: string, fence: Fence): Promise<Outcome<void>>;

  setLock(domain: string, locked: boolean, fence: Fence): Promise<Outcome<void>>;
  setAutoRenew(domain: string, on: boolean, fence: Fence): Promise<Outcome<void>>;
  setPrivacy(domain: string, on: boolean, fence: Fence): Promise<Outcome<void>>;
  setContacts(domain: string, contacts: Partial<ContactSet>, fence: Fence): Promise<Outcome<void>>;
  authCode(domain: string): Promise<string | null>;

  setNameservers(domain: string, names: string[], fence: Fence): Promise<Outcome<void>>;
  glue(domain: string): Promise<GlueRecord[]>;
  createGlue(domain: string, host: GlueInput, fence: Fence): Promise<Outcome<void>>;
  /** Addresses left out are removed at the registry: callers pass every address that is to stay. */
  updateGlue(domain: string, host: GlueInput & { newName?: string }, fence: Fence): Promise<Outcome<void>>;
  deleteGlue(domain: string, host: GlueInput, fence: Fence): Promise<Outcome<void>>;

  /** null: the registrar serves no zone for this name. */
  zone(domain: string): Promise<RegistrarZone | null>;
  createZone(domain: string, fence: Fence): Promise<Outcome<RegistrarZone>>;
  /** Replaces the zone's whole record set. */
  replaceZone(domain: string, records: ZoneRecords, fence: Fence): Promise<Outcome<RegistrarZone>>;
  deleteZone(domain: string, fence: Fence): Promise<Outcome<void>>;
  /** Points the delegation at the registrar's own DNS hosts. */
  useRegistrarNameservers(domain: string, fence: Fence): Promise<Outcome<void>>;

  /** What the registry publishes so that others can check the zone's signatures (DNSSEC); empty: it is not signed. */
  dsRecords(domain: string): Promise<DsRecord[]>;
  /** Takes all of them away: from then on nobody checks signatures. */
  removeDsRecords(domain: string, fence: Fence): Promise<Outcome<void>>;

  verification(domain: string): Promise<RegistrantVerification>;
  resendVerification(domain: string, fence: Fence): Promise<Outcome<void>>;

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

  /** Events since the last acknowledgement. */
  events(limit: number): Promise<RegistrarEvent[]>;
  acknowledgeEvent(id: string, fence: Fence): Promise<void>;
}

export interface Lookup {
  status: 'available' | 'taken';
  /** The registrar's remark, e.g. "Reserved Name". */
  reason: string | null;
}

export interface Suggestion {
  domain: string;
  status: 'available' | 'taken';
  /** Set for premium names only, in cents a year. */
  premiumCents: number | null;
}

export type QuoteKind = 'new' | 'renewal' | 'transfer';

export interface Quote {
  costCents: number;
  premium: boolean;
}

export interface Contact {
  firstName: string;
  lastName: string;
  organization: string;
  address1: string;
  address2?: string | undefined;
  address3?: string | undefined;
  city: string;
  state: string;
  postalCode: string;
  /** ISO 3166 alpha-2. */
  country: string;
  email: string;
  /** `+1.4165550123`, optional `x123`. */
  phone: string;
}

export interface ContactSet {
  owner: Contact;
  admin: Contact;
  billing: Contact;
  tech: Contact;
}

export interface RegisterInput {
  domain: string;
  years: number;
  privacy: boolean;
  autoRenew: boolean;
  contacts: Omit<ContactSet, 'tech'>;
  /** Our cost as quoted, for a premium name: the registrar refuses the order when it no longer holds. */
  premiumCostCents?: number | undefined;
  /** Registrant profile at the registrar: stored encrypted with the domain, made once per item. */
  credentials: { username: string; password: string };
  tag: string;
}

export interface RegisterResult {
  orderId: string;
  /** Remarks such as "privacy could not be enabled", fit to show. */
  notes: string[];
}

export interface RenewInput {
  domain: string;
  years: number;
  /** Year of the registry expiry when the price was quoted; never re-read before a retry. */
  currentExpiryYear: number;
  autoRenew: boolean;
  tag: string;
}

export interface RenewResult {
  orderId: string;
  expiresAt: Date;
}

export interface TransferInput {
  domain: string;
  authCode: string;
  contacts: Omit<ContactSet, 'tech'>;
  credentials: { username: string; password: string };
  tag: string;
}

export interface RegistrarDomain {
  domain: string;
  registeredAt: Date | null;
  /** Expiry at the registry, which counts. */
  expiresAt: Date | null;
  updatedAt: Date | null;
  transferredAt: Date | null;
  autoRenew: boolean;
  letExpire: boolean;
  locked: boolean;
  privacy: boolean | null;
  nameservers: string[];
  contacts: Partial<ContactSet>;
  tag: string | null;
}

export interface RegistrarOrder {
  orderId: string;
  domain: string;
  kind: 'new' | 'renewal' | 'transfer' | 'redemption' | 'other';
  state: 'completed' | 'pending' | 'cancelled' | 'declined' | 'unknown';
  tag: string | null;
  /** null when the registrar does not say. */
  costCents: number | null;
  years: number | null;
  orderedAt: Date | null;
}

export interface TransferCheck {
  transferable: boolean;
  /** The registrar could not ask the registry. */
  unavailable: boolean;
  reason: string | null;
  reasonCode: string | null;
  status: TransferStatus | null;
}

export type TransferStatus =
  | 'pending_owner'
  | 'pending_admin'
  | 'pending_registry'
  | 'completed'
  | 'cancelled'
  | 'undefined';

export interface GlueRecord {
  name: string;
  ipv4: string | null;
  ipv6: string | null;
  canDelete: boolean;
}

export interface GlueInput {
  /** Full host name under the domain. */
  name: string;
  ipv4: string | null;
  ipv6: string | null;
}

/** Records of a zone by type; names are relative, '' is the apex. Order inside a type is kept. */
export interface ZoneRecords {
  A: { subdomain: string; ip_address: string }[];
  AAAA: { subdomain: string; ipv6_address: string }[];
  CNAME: { subdomain: string; hostname: string }[];
  MX: { subdomain: string; hostname: string; priority: number }[];
  TXT: { subdomain: string; text: string }[];
  SRV: { subdomain: string; hostname: string; priority: number; weight: number; port: number }[];
}

export interface RegistrarZone {
  records: ZoneRecords;
  /** The name is delegated to the registrar's DNS hosts. */
  delegated: boolean;
}

export interface DsRecord {
  keyTag: string;
  algorithm: string;
  digestType: string;
  digest: string;
}

export interface RegistrantVerification {
  /** null: the registrar does not say, or has no such thing for this suffix. */
  state: VerificationState | null;
  deadline: Date | null;
  daysToSuspend: number | null;
  emailBounced: boolean;
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
  orderedAt: Date | null;
  /** What the order costs us in cents, where the registrar says so. */
  costCents?: number | null;
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

export interface RegistrarEvent {
  id: string;
  object: string;
  event: string;
  at: Date | null;
  domain: string | null;
  data: Record<string, string>;
}
