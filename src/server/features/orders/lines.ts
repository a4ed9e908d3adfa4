import { AppError, type FieldError } from '#contracts/errors.ts';
import type { PurchaseBody } from '#contracts/operations/orders.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { mostItems } from '#contracts/values/order-limits.ts';
import type { OrderItemKind } from '#kernel/db/schema.ts';
import { hashOf } from '#kernel/ids.ts';

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
    /** Names in the signing request, once it has been read. */
    hostNames?: readonly string[];
    /** The earlier order, for a renewal. */
    renewsOrderId?: string | null;
    /** The access whose machine asks for it and installs it. */
    acmeAccessId?: string;
  };
}

/** A line with what it costs. */
export interface PricedLine extends Line {
  priceCents: number;
  costCents: number;
  premium: boolean;
}

/** What is to be bought, in lines and cents. */
export interface OrderRequest {
  lines: Line[];
  seenTotalCents: number;
  /** Of the request as it was made: the same key with another one is refused. */
  hash: string;
}

/**
 * An order of the portal's own making: a renewal by itself, a transfer or restoration from a domain's page. A repeat is the
 * same request even if the present price has changed.
 */
export function requestOf(lines: Line[], seenTotalCents: number): OrderRequest {
  return { lines, seenTotalCents, hash: hashOf(lines) };
}

/** A line of which only the name and what is to be done with it are known. */
export function lineOf(line: Pick<Line, 'kind' | 'address'> & Partial<Line>): Line {
  return { customerId: null, years: 1, seenCents: null, privacy: false, autoRenew: undefined, ...line };
}

/** The body of a purchase, in dollars, as what is to be bought. */
export function requestOfBody(body: PurchaseBody): OrderRequest {
  return { lines: linesOf(body), seenTotalCents: usdToCents(body.price), hash: hashOf(body) };
}

/** The order body as one list of lines. Throws `validation_failed` for an empty or doubled one. */
export function linesOf(body: PurchaseBody): Line[] {
  const lines = [
    ...body.domains.map(({ address, customerId, period, price, whois, autoRenew }) =>
      lineOf({
        kind: 'domain',
        address,
        customerId,
        years: period,
        seenCents: seen(price),
        privacy: whois,
        autoRenew,
      }),
    ),
    ...body.domainRenewals.map(({ address, period, price, autoRenew, expireDate }) =>
      lineOf({
        kind: 'renewal',
        address,
        years: period,
        seenCents: seen(price),
        autoRenew,
        ...(expireDate ? { seenExpiry: new Date(expireDate) } : {}),
      }),
    ),
    ...body.domainTransfers.map(({ address, customerId, price, autoRenew, EPPCode: authCode }) =>
      lineOf({ kind: 'transfer', address, customerId, seenCents: seen(price), autoRenew, authCode }),
    ),
    ...(body.domainRestores ?? []).map(({ address, price }) =>
      lineOf({ kind: 'redemption', address, seenCents: seen(price) }),
    ),
    ...body.certificates.map(certificateLine),
  ];
  refuseOddLines(lines);
  return lines;
}

function certificateLine(item: PurchaseBody['certificates'][number]): Line {
  const { domain: address, customerId, period, price, provider, productType, csr, regType } = item;
  return lineOf({
    kind: 'certificate',
    address,
    customerId,
    years: period,
    seenCents: seen(price),
    certificate: {
      provider,
      productType,
      csr,
      validation: item.dvAuthMethod,
      approverEmail: item.approverEmail ?? null,
      regType,
    },
  });
}

const seen = (price: number | undefined) => (price === undefined ? null : usdToCents(price));

function refuseOddLines(lines: readonly Line[]): void {
  const problems: FieldError[] = [];
  if (lines.length === 0) problems.push({ path: '', message: 'Your cart is empty' });
  if (lines.length > mostItems)
    problems.push({ path: '', message: `At most ${mostItems} items in one order` });
  const keys = new Set<string>();
  for (const { kind, address } of lines) {
    const key = `${kind} ${address}`;
    if (keys.has(key)) problems.push({ path: address, message: `${address} is in the order twice` });
    keys.add(key);
  }
  const [first] = problems;
  if (first) throw new AppError('validation_failed', { message: first.message, details: problems });
}
