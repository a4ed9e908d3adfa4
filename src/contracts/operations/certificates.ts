import { z } from 'zod';
import { defineOperation, pageQuery } from '../operation.ts';
import { usd } from '../values/money.ts';

export const certificateRow = z.object({
  certificateId: z.uuid(),
  address: z.string(),
  state: z.string(),
  productType: z.string(),
  provider: z.string(),
  customerId: z.uuid().nullable(),
  orderId: z.string().nullable(),
  orderedAt: z.iso.datetime(),
  /** End of the order term (decisions no. 26). */
  termEndsAt: z.iso.datetime().nullable(),
  /** End of validity of the certificate now issued. */
  validTo: z.iso.datetime().nullable(),
  serial: z.string().nullable(),
});
export type CertificateRow = z.output<typeof certificateRow>;

export const listCertificates = defineOperation({
  id: 'certificates.list',
  method: 'GET',
  path: '/ssl',
  summary: 'Certificates of the organisation',
  access: 'domains.read',
  query: pageQuery(['address', 'state', 'validTo', 'orderedAt']),
  reply: z.array(certificateRow),
  paged: true,
});

export const listCustomerCertificates = defineOperation({
  id: 'certificates.listForCustomer',
  method: 'GET',
  path: '/ssl/:customerId',
  summary: 'Certificates of one customer',
  access: 'domains.read',
  params: z.object({ customerId: z.uuid() }),
  query: pageQuery(['address', 'state', 'validTo', 'orderedAt']),
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
  summary: 'The public price list of certificates',
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
  summary: 'Read a certificate signing request, here and at the registrar',
  access: 'orders.purchase',
  body: z.object({ csr: z.string().min(1).max(16_384), opensrsorderid: z.string().max(64).optional() }),
  reply: z.object({ csr_data: csrData }),
  errors: ['validation_failed', 'not_found', 'upstream_unavailable', 'unprocessable'],
});
