import { z } from 'zod';
import { defineOperation, noData, pageQuery } from '../operation.ts';
import { hostName } from '../values/domain-name.ts';
import { usd } from '../values/money.ts';
import { oneLine } from '../values/one-line.ts';

const moment = z.iso.datetime();

export const certificateFlag = z.object({
  kind: z.enum(['term', 'shrinks', 'proof', 'email', 'reissue', 'waiting', 'expired']),
  level: z.enum(['warning', 'danger']),
  /** What is the matter, and what to do. */
  text: z.string(),
});

export const certificateRow = z.object({
  certificateId: z.uuid(),
  address: z.string(),
  state: z.string(),
  productType: z.string(),
  provider: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  orderId: z.string().nullable(),
  orderedAt: z.iso.datetime(),
  /** End of the order term (decisions no. 26). */
  termEndsAt: z.iso.datetime().nullable(),
  /** End of validity of the certificate now issued. */
  validTo: z.iso.datetime().nullable(),
  serial: z.string().nullable(),
  validFrom: moment.nullable(),
  hostNames: z.array(z.string()),
  /** When the next certificate of this order is made; null: the term ends with this one. */
  nextReissueAt: moment.nullable(),
  reissuing: z.boolean(),
  /** A machine has it by ACME and installs it by itself; null: a person does. */
  byAcme: z
    .object({
      accessId: z.uuid(),
      /** Of the access. */
      name: z.string(),
      lastSeenAt: moment.nullable(),
      /** The window in which the machine is asked to renew. */
      renewsAt: z.object({ from: moment, to: moment }).nullable(),
      /** What the machine was refused last, or what failed; null: its last request succeeded. */
      problem: z.string().nullable(),
    })
    .nullable(),
  flags: z.array(certificateFlag),
});
export type CertificateRow = z.output<typeof certificateRow>;

/** Where a certificate stands: it calls for a person, is in order, is on its way, or has ended. Each is in one band. */
export const certificateBands = ['attention', 'valid', 'open', 'ended'] as const;
export type CertificateBand = (typeof certificateBands)[number];

export const listCertificates = defineOperation({
  id: 'certificates.list',
  method: 'GET',
  path: '/ssl',
  reads: 'replica',
  summary: 'List the certificates of the organization',
  access: 'domains.read',
  query: pageQuery(['address', 'state', 'validTo', 'termEndsAt', 'orderedAt']).extend({
    /** `true` is the band `attention`. */
    flagged: z.enum(['true', 'false']).optional(),
    band: z.enum(certificateBands).optional(),
  }),
  reply: z.array(certificateRow),
  paged: true,
});

export const listCustomerCertificates = defineOperation({
  id: 'certificates.listForCustomer',
  method: 'GET',
  path: '/ssl/:customerId',
  reads: 'replica',
  summary: 'List the certificates of one customer',
  access: 'domains.read',
  params: z.object({ customerId: z.uuid() }),
  query: pageQuery(['address', 'state', 'validTo', 'orderedAt']).extend({
    band: z.enum(certificateBands).optional(),
  }),
  reply: z.array(certificateRow),
  paged: true,
  errors: ['not_found'],
});

export const certificatePrice = z.object({
  productType: z.string(),
  provider: z.string(),
  /** The product's name. */
  certificate: z.string(),
  price: usd,
  pricePerYear: usd,
  businessValidated: z.boolean(),
  wildcard: z.boolean(),
});
export type CertificatePrice = z.output<typeof certificatePrice>;

export const listCertificatePrices = defineOperation({
  id: 'certificates.prices',
  method: 'GET',
  path: '/ssl/prices',
  summary: 'Get the public price list of certificates',
  access: 'public',
  reply: z.array(certificatePrice),
});

export const csrData = z.object({
  domain: z.string().optional(),
  organization: z.string().optional(),
  organization_unit: z.string().optional(),
  state: z.string().optional(),
  locality: z.string().optional(),
  email: z.string().optional(),
  country: z.string().optional(),
});

export const parseCsr = defineOperation({
  id: 'certificates.parseCsr',
  method: 'POST',
  path: '/ssl/parsecsr',
  summary: 'Parse a certificate signing request, in the portal and at the registrar',
  access: 'orders.purchase',
  audit: { none: 'It reads the signing request and stores nothing.' },
  changesNothing: true,
  body: z.object({
    csr: z.string().min(1).max(16_384),
    opensrsorderid: oneLine(64).optional(),
    /** What it will be for, before there is an order. */
    domain: hostName.optional(),
    productType: oneLine(64).optional(),
  }),
  reply: z.object({ csr_data: csrData }),
  errors: ['validation_failed', 'not_found', 'upstream_unavailable', 'unprocessable'],
});

const orderParams = z.object({ orderId: z.string().regex(/^[\w-]{1,64}$/) });

export const proofMethods = ['DNS', 'Email', 'File'] as const;

/** What the authority wants to see before it issues. */
export const certificateProof = z.object({
  method: z.enum(proofMethods),
  dnsName: z.string().nullable(),
  dnsType: z.enum(['TXT', 'CNAME']).nullable(),
  dnsValue: z.string().nullable(),
  filePath: z.string().nullable(),
  fileContent: z.string().nullable(),
});

export const certificateDetail = certificateRow.extend({
  csr: z.string(),
  csrData,
  proof: certificateProof,
  /** set: the portal wrote the record; present, missing: seen or not in DNS; waiting: the domain is not there yet. */
  proofState: z.enum(['set', 'present', 'missing', 'waiting']).nullable(),
  proofCheckedAt: moment.nullable(),
  approverEmail: z.string().nullable(),
  /** The authority's last words. */
  remark: z.string().nullable(),
  autoReissue: z.boolean(),
  reissue: z
    .object({ orderId: z.string().nullable(), state: z.string(), automatic: z.boolean(), startedAt: moment })
    .nullable(),
  issues: z.array(z.object({ serial: z.string(), validFrom: moment, validTo: moment })),
  wildcard: z.boolean(),
});
export type CertificateDetail = z.output<typeof certificateDetail>;

export const getCertificate = defineOperation({
  id: 'certificates.get',
  method: 'GET',
  path: '/ssl/order/:orderId',
  summary:
    'Get one certificate by its registrar order. While the order is in progress, the portal asks the registrar again',
  access: 'domains.read',
  params: orderParams,
  reply: certificateDetail,
  errors: ['not_found'],
});

export const listApprovers = defineOperation({
  id: 'certificates.approvers',
  method: 'GET',
  path: '/ssl/order/:orderId/approvers',
  summary: 'List the mailboxes that can approve the certificate',
  access: 'orders.purchase',
  params: orderParams,
  reply: z.array(z.string()),
  errors: ['not_found', 'upstream_unavailable', 'registrar_refused'],
});

export const setCertificateProof = defineOperation({
  id: 'certificates.setProof',
  method: 'POST',
  path: '/ssl/order/:orderId/validation',
  summary: 'Choose how control of the name is proven',
  access: 'orders.purchase',
  audit: 'certificates.setProof',
  params: orderParams,
  body: z.object({ method: z.enum(proofMethods), approverEmail: z.email().optional() }),
  reply: certificateDetail,
  errors: ['not_found', 'validation_failed', 'unprocessable', 'registrar_refused', 'upstream_unavailable'],
});

export const resendApproval = defineOperation({
  id: 'certificates.resendApproval',
  method: 'POST',
  path: '/ssl/order/:orderId/resend',
  summary: 'Resend the approval email',
  access: 'orders.purchase',
  audit: 'certificates.resendApproval',
  params: orderParams,
  reply: noData,
  errors: ['not_found', 'unprocessable', 'registrar_refused', 'upstream_unavailable', 'outcome_unknown'],
});

export const reissueCertificate = defineOperation({
  id: 'certificates.reissue',
  method: 'POST',
  path: '/ssl/order/:orderId/reissue',
  summary:
    'Reissue the certificate now. This is free within the order term. Without a CSR, the same CSR is used again',
  access: 'orders.purchase',
  audit: 'certificates.reissue',
  params: orderParams,
  body: z.object({ csr: z.string().min(1).max(16_384).optional() }),
  reply: certificateDetail,
  errors: ['not_found', 'validation_failed', 'unprocessable', 'in_progress', 'registrar_refused'],
});

export const cancelCertificate = defineOperation({
  id: 'certificates.cancel',
  method: 'POST',
  path: '/ssl/order/:orderId/cancel',
  summary: 'Cancel an order that is not complete',
  access: 'orders.purchase',
  audit: 'certificates.cancel',
  params: orderParams,
  reply: certificateDetail,
  errors: ['not_found', 'unprocessable', 'registrar_refused', 'upstream_unavailable', 'outcome_unknown'],
});

export const revokeCertificate = defineOperation({
  id: 'certificates.revoke',
  method: 'POST',
  path: '/ssl/order/:orderId/revoke',
  summary: 'Revoke the certificate for good',
  access: 'orders.purchase',
  audit: 'certificates.revoke',
  params: orderParams,
  /** The host name, typed by the person. */
  body: z.object({ confirm: oneLine(300) }),
  reply: certificateDetail,
  errors: ['not_found', 'validation_failed', 'unprocessable', 'registrar_refused', 'outcome_unknown'],
});

export const setAutoReissue = defineOperation({
  id: 'certificates.setAutoReissue',
  method: 'POST',
  path: '/ssl/order/:orderId/auto-reissue',
  summary: 'Set whether the portal reissues automatically where it can prove control',
  access: 'orders.purchase',
  audit: 'certificates.setAutoReissue',
  params: orderParams,
  body: z.object({ enabled: z.boolean() }),
  reply: certificateDetail,
  errors: ['not_found'],
});

export const certificateFiles = ['certificate.pem', 'chain.pem', 'fullchain.pem', 'bundle.p7b'] as const;

export const getCertificateFile = defineOperation({
  id: 'certificates.file',
  method: 'GET',
  path: '/ssl/order/:orderId/files/:file',
  reads: { primary: 'the download is noted' },
  summary: 'Download the certificate for a server: alone, its chain, both, or PKCS #7',
  access: 'domains.read',
  params: orderParams.extend({ file: z.enum(certificateFiles) }),
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['application/x-pem-file', 'application/x-pkcs7-certificates'],
  errors: ['not_found'],
});
