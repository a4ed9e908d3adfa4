import { AppError } from '#contracts/errors.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { CertificatePricing } from '../certificates/index.ts';
import type { DomainPrice, DomainPricing } from '../domains/index.ts';
import { isAsSeen, totalCents } from './checkout.rules.ts';
import type { Line, PricedLine } from './lines.ts';

/** What each kind of item is priced as; certificates have prices of their own. */
export const quoteKinds = {
  domain: 'new',
  renewal: 'renewal',
  transfer: 'transfer',
  redemption: 'redemption',
} as const;

export interface Pricing {
  domains: DomainPricing;
  certificates: CertificatePricing;
}

type KnownPrices = ReadonlyMap<string, DomainPrice>;
const productOf = ({ certificate }: Line) => certificate?.productType ?? '';
const nameOf = (line: Line) => `${line.kind} ${line.address} ${line.years} ${productOf(line)}`;

/** Prices that can be told without asking the registrar: all in one round trip. */
export async function knownPrices(
  { domains, certificates }: Pricing,
  tx: Tx,
  lines: readonly Line[],
): Promise<KnownPrices> {
  const known = new Map<string, DomainPrice>();
  await Promise.all(
    lines.map(async (line) => {
      if (line.kind === 'redemption') return;
      const price =
        line.kind === 'certificate'
          ? await certificates.known(tx, productOf(line), line.years)
          : await domains.known?.(tx, line.address, quoteKinds[line.kind], line.years);
      if (price) known.set(nameOf(line), { premium: false, ...price });
    }),
  );
  return known;
}

/** Prices every line again, in parallel; the registrar's limits are the adapter's business. */
export function priceLines(
  pricing: Pricing,
  lines: readonly Line[],
  known: KnownPrices = new Map(),
): Promise<PricedLine[]> {
  return Promise.all(
    lines.map(async (line) => {
      const price = known.get(nameOf(line));
      if (price) return { ...line, ...price };
      if (line.kind === 'certificate') {
        return {
          ...line,
          ...(await pricing.certificates.price(productOf(line), line.years)),
          premium: false,
        };
      }
      return { ...line, ...(await pricing.domains.price(line.address, quoteKinds[line.kind], line.years)) };
    }),
  );
}

/** Refuses with `price_changed` when what the person saw is not what it costs now (decisions no. 6). */
export function requireSeenPrice(priced: readonly PricedLine[], seenTotalCents: number): void {
  if (isAsSeen(priced, seenTotalCents)) return;
  throw new AppError('price_changed', {
    data: {
      oldTotal: centsToUsd(seenTotalCents),
      newTotal: centsToUsd(totalCents(priced)),
      items: priced.map((line) => ({
        address: line.address,
        kind: line.kind,
        oldPrice: line.seenCents === null ? null : centsToUsd(line.seenCents),
        newPrice: centsToUsd(line.priceCents),
      })),
    },
  });
}
