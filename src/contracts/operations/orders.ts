import { z } from 'zod';
import { defineOperation, idParams, pageQuery } from '../operation.ts';
import { hostName, registrableName } from '../values/domain-name.ts';
import { usd } from '../values/money.ts';
import { oneLine } from '../values/one-line.ts';
import { mostItems, mostYears, registrationYears } from '../values/order-limits.ts';

/** `redemption`: a domain that the registry has deleted is had back. */
export const itemKinds = ['domain', 'renewal', 'transfer', 'certificate', 'redemption'] as const;

export const priceRequest = z.object({
  address: hostName,
  period: z.int().min(1).max(mostYears),
  whois: z.boolean().optional(),
  /** What is priced; a registration when absent. */
  kind: z.enum(itemKinds).default('domain'),
  productType: oneLine(64).optional(),
});

export const cartPrices = defineOperation({
  id: 'orders.prices',
  method: 'POST',
  path: '/cart/prices',
  summary: 'Get the current prices of cart items, in US dollars for the whole period',
  access: 'catalogue.read',
  audit: { none: 'It reads the price list and changes nothing.' },
  changesNothing: true,
  body: z.array(priceRequest).max(mostItems),
  reply: z.array(
    z.object({
      address: z.string(),
      price: usd,
      kind: z.enum(itemKinds),
      premium: z.boolean(),
      /** What the owner's own customer pays on top (direct billing), when a customer is known. */
      error: z.string().optional(),
    }),
  ),
  errors: ['validation_failed', 'upstream_unavailable'],
  rate: 'lookup',
});

/** What the person saw for this item; with it a refusal can name old and new price of each. */
const seenPrice = usd.optional();

export const purchaseBody = z.object({
  domains: z
    .array(
      z.object({
        address: registrableName,
        customerId: z.uuid(),
        period: z.union(registrationYears.map((years) => z.literal(years))),
        whois: z.boolean().default(false),
        autoRenew: z.boolean().default(false),
        price: seenPrice,
      }),
    )
    .max(mostItems)
    .default([]),
  domainRenewals: z
    .array(
      z.object({
        address: hostName,
        period: z
          .int()
          .min(1)
          .max(mostYears - 1),
        autoRenew: z.boolean().optional(),
        price: seenPrice,
        /** The expiry that the person saw: a domain that was renewed since is not renewed once more. */
        expireDate: z.iso.datetime().optional(),
      }),
    )
    .max(mostItems)
    .default([]),
  domainTransfers: z
    .array(
      z.object({
        address: registrableName,
        customerId: z.uuid(),
        period: z.literal(1).default(1),
        EPPCode: oneLine(64).min(1, 'Please enter the AuthInfo / EPP code'),
        autoRenew: z.boolean().optional(),
        price: seenPrice,
      }),
    )
    .max(mostItems)
    .default([]),
  certificates: z
    .array(
      z.object({
        domain: hostName,
        provider: oneLine(64),
        productType: oneLine(64),
        handle: z.literal('process').default('process'),
        regType: z.enum(['new', 'renew']).default('new'),
        dvAuthMethod: z.enum(['DNS', 'File', 'Email']).default('Email'),
        approverEmail: z.email().optional(),
        customerId: z.uuid(),
        period: z.literal(1).default(1),
        csr: z.string().min(1, 'Please upload a CSR to continue').max(16_384),
        price: seenPrice,
      }),
    )
    .max(50)
    .default([]),
  /** Deleted domains that are had back; each costs the registry's fee and a year. */
  domainRestores: z
    .array(z.object({ address: hostName, price: seenPrice }))
    .max(20)
    .optional(),
  /** What the person saw as the total, in US dollars (decisions no. 6). */
  price: usd,
});
export type PurchaseBody = z.output<typeof purchaseBody>;

export const purchaseSuccess = z.object({
  domain: z.string(),
  price: usd,
  note: z.string().optional(),
  /** The earlier order that this item belongs to: it was being bought already, and that order pays for it. */
  earlierOrderId: z.uuid().optional(),
});
export const purchaseFailure = z.object({ domain: z.string(), price: usd, error: z.string() });
export const purchaseLists = z.object({
  success: z.array(purchaseSuccess),
  fail: z.array(purchaseFailure),
});
export const purchaseResult = z.object({
  orderId: z.uuid(),
  domains: purchaseLists,
  renewals: purchaseLists,
  transfers: purchaseLists,
  certificates: purchaseLists,
  /** Items whose outcome is not known yet (decisions no. 8); each is under `fail` too. */
  pending: z.array(z.object({ domain: z.string(), kind: z.string(), itemId: z.uuid() })),
});
export type PurchaseResult = z.output<typeof purchaseResult>;

/** What is wrong with one item of an order that was refused; `data.items` of the error has one for each. */
export interface LineProblem {
  kind: 'domain' | 'renewal' | 'transfer' | 'certificate' | 'redemption';
  address: string;
  message: string;
  /** A renewal that was done in the meantime: there is nothing left to buy. */
  renewed: boolean;
}

export const purchase = defineOperation({
  id: 'orders.purchase',
  method: 'POST',
  path: '/cart/purchase',
  summary: 'Buy the items of a cart. Only items that succeed are charged',
  access: 'orders.purchase',
  audit: ['orders.purchase', 'orders.renew', 'orders.transfer', 'orders.restore'],
  body: purchaseBody,
  reply: purchaseResult,
  errors: [
    'validation_failed',
    'insufficient_funds',
    'price_changed',
    'idempotency_key_reused',
    'in_progress',
    'daily_limit',
    'not_found',
    'unprocessable',
    'registrar_unfunded',
    'upstream_unavailable',
  ],
  rate: 'purchase',
  idempotent: true,
});

export const restoreDomain = defineOperation({
  id: 'orders.restore',
  method: 'POST',
  path: '/domain/restore',
  summary: 'Restore a domain that the registry has deleted, for the price that was shown',
  access: 'orders.purchase',
  audit: 'orders.restore',
  body: z.object({ domain: hostName, price: usd }),
  /** Under `renewals`: it comes back with a year more. */
  reply: purchaseResult,
  errors: purchase.errors,
  rate: 'purchase',
  idempotent: true,
});

/**
 * What became of a purchase whose answer was lost. `absent`: no order has been placed under the key so far; it may still
 * arrive, so only the same key may order again.
 */
export const purchaseOutcome = defineOperation({
  id: 'orders.outcome',
  method: 'GET',
  path: '/cart/purchase/:key',
  summary: 'Get the result of the purchase with this Idempotency-Key',
  access: 'orders.purchase',
  params: z.object({ key: z.string().regex(/^[\w.:-]{1,200}$/) }),
  reply: z.object({
    state: z.enum(['absent', 'running', 'done']),
    /** When it is done. */
    result: purchaseResult.nullable(),
    /** While it runs: how many of its items are through, and of how many. */
    progress: z.object({ done: z.int(), of: z.int() }).nullable(),
  }),
});

export const orderItemState = z.enum([
  'queued',
  'sending',
  'pending',
  'unknown',
  'review',
  'succeeded',
  'declined',
]);
export const orderItem = z.object({
  itemId: z.uuid(),
  kind: z.enum(itemKinds),
  address: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  period: z.int(),
  price: usd,
  /** What was paid back after it had been charged: a certificate that came to nothing later. */
  refunded: usd,
  state: orderItemState,
  error: z.string().nullable(),
  registrarOrderId: z.string().nullable(),
  /** The order that buys it: another one where this order wanted what was being bought already. */
  orderId: z.uuid(),
  updatedAt: z.iso.datetime(),
  /** When the registrar is asked again; null when nothing is planned. */
  nextCheckAt: z.iso.datetime().nullable(),
});
export const order = z.object({
  orderId: z.uuid(),
  state: z.enum(['held', 'running', 'settled', 'partial', 'failed']),
  total: usd,
  /** For the order's own items, less what was paid back. */
  charged: usd,
  createdAt: z.iso.datetime(),
  by: z.string(),
  items: z.array(orderItem),
});
export type Order = z.output<typeof order>;
export type OrderItem = z.output<typeof orderItem>;

export const getOrder = defineOperation({
  id: 'orders.get',
  method: 'GET',
  path: '/order/:id',
  summary: 'Get one order with the live state of its items',
  access: 'orders.read',
  params: idParams,
  reply: order,
  errors: ['not_found'],
});

export const listOrders = defineOperation({
  id: 'orders.list',
  method: 'GET',
  path: '/order',
  reads: 'replica',
  summary: 'List the orders of the organization, newest first',
  access: 'orders.read',
  query: pageQuery(['createdAt', 'total']).extend({ open: z.enum(['true', 'false']).optional() }),
  reply: z.array(order),
  paged: true,
});
