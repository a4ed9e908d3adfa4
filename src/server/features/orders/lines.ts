import { AppError, type FieldError } from '#contracts/errors.ts';
import type { PurchaseBody } from '#contracts/operations/orders.ts';
import { usdToCents } from '#contracts/values/money.ts';
import type { OrderItemKind } from '#kernel/db/schema.ts';

/** One thing to buy, as asked for. */
export interface Line {
  kind: OrderItemKind;
  address: string;
  customerId: string | null;
  years: number;
  /** What the person saw, in cents, when the caller said so. */
  seenCents: number | null;
  privacy: boolean;
  autoRenew: boolean | undefined;
  authCode?: string;
  /** The expiry that is to be moved, of a renewal whose caller said so. */
  seenExpiry?: Date;
  certificate?: {
    provider: string;
    productType: string;
    csr: string;
    validation: 'DNS' | 'File' | 'Email';
    approverEmail: string | null;
    regType: 'new' | 'renew';
    /** The earlier order, for a renewal. */
    renewsOrderId?: string | null;
  };
}

/** A line with what it costs. */
export interface PricedLine extends Line {
  priceCents: number;
  costCents: number;
  premium: boolean;
}

/** Bounds one request, so that one order cannot occupy the registrar for an hour. */
const maxLines = 200;

/** The order body as one list of lines. Throws `validation_failed` for an empty or doubled one. */
export function linesOf(body: PurchaseBody): Line[] {
  const seen = (price: number | undefined) => (price === undefined ? null : usdToCents(price));
  const lines: Line[] = [
    ...body.domains.map((item) => ({
      kind: 'domain' as const,
      address: item.address,
      customerId: item.customerId,
      years: item.period,
      seenCents: seen(item.price),
      privacy: item.whois,
      autoRenew: item.autoRenew,
    })),
    ...body.domainRenewals.map((item) => ({
      kind: 'renewal' as const,
      address: item.address,
      customerId: null,
      years: item.period,
      seenCents: seen(item.price),
      privacy: false,
      autoRenew: item.autoRenew,
      ...(item.expireDate ? { seenExpiry: new Date(item.expireDate) } : {}),
    })),
    ...body.domainTransfers.map((item) => ({
      kind: 'transfer' as const,
      address: item.address,
      customerId: item.customerId,
      years: 1,
      seenCents: seen(item.price),
      privacy: false,
      autoRenew: item.autoRenew,
      authCode: item.EPPCode,
    })),
    ...(body.domainRestores ?? []).map((item) => ({
      kind: 'redemption' as const,
      address: item.address,
      customerId: null,
      years: 1,
      seenCents: seen(item.price),
      privacy: false,
      autoRenew: undefined,
    })),
    ...body.certificates.map((item) => ({
      kind: 'certificate' as const,
      address: item.domain,
      customerId: item.customerId,
      years: item.period,
      seenCents: seen(item.price),
      privacy: false,
      autoRenew: undefined,
      certificate: {
        provider: item.provider,
        productType: item.productType,
        csr: item.csr,
        validation: item.dvAuthMethod,
        approverEmail: item.approverEmail ?? null,
        regType: item.regType,
      },
    })),
  ];
  const problems: FieldError[] = [];
  if (lines.length === 0) problems.push({ path: '', message: 'Your cart is empty' });
  if (lines.length > maxLines) problems.push({ path: '', message: `At most ${maxLines} items in one order` });
  const keys = new Set<string>();
  for (const line of lines) {
    const key = `${line.kind} ${line.address}`;
    if (keys.has(key))
      problems.push({ path: line.address, message: `${line.address} is in the order twice` });
    keys.add(key);
  }
  if (problems.length > 0) {
    throw new AppError('validation_failed', { message: problems[0]?.message ?? '', details: problems });
  }
  return lines;
}
