import { AppError } from '#contracts/errors.ts';
import type { CertificatePrice } from '#contracts/operations/certificates.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { sellingCents } from '#contracts/values/selling-price.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db, Tx } from '#kernel/db/database.ts';
import { activeProducts, listedPrices } from './pricing.repo.ts';

export interface CertificatePricing {
  /** Integer cents for the whole term. Throws `unprocessable` for a product that is not on offer. */
  price(productType: string, years: number): Promise<TermPrice>;
  /** The same, read with what else a transaction asks for at the moment; null for a product that is not on offer. */
  known(tx: Tx, productType: string, years: number): Promise<TermPrice | null>;
  /** The public price list, in the order of the catalogue; never shows cost. */
  list(tx?: Tx): Promise<CertificatePrice[]>;
}

interface TermPrice {
  priceCents: number;
  costCents: number;
}

export function createCertificatePricing(deps: {
  db: Db;
  clock: Clock;
  marginPercent: number;
}): CertificatePricing {
  const { db, clock, marginPercent } = deps;

  const read = (at: Db | Tx) => Promise.all([activeProducts(at), listedPrices(at, clock.now())]);

  async function known(at: Db | Tx, productType: string, years: number): Promise<TermPrice | null> {
    const [all, prices] = await read(at);
    const product = all.find((entry) => entry.product_type === productType);
    if (!product) return null;
    return {
      costCents: product.cost_cents * years,
      priceCents: sellingCents(product.cost_cents, prices.get(productType) ?? null, marginPercent) * years,
    };
  }

  return {
    known,
    async price(productType, years) {
      const price = await known(db, productType, years);
      if (!price) throw new AppError('unprocessable', { message: 'This certificate is not for sale' });
      return price;
    },
    async list(tx) {
      const [all, prices] = await read(tx ?? db);
      return all.map((product) => {
        const price = centsToUsd(
          sellingCents(product.cost_cents, prices.get(product.product_type) ?? null, marginPercent),
        );
        return {
          productType: product.product_type,
          provider: product.provider,
          certificate: product.name,
          price,
          pricePerYear: price,
          businessValidated: product.business_validated,
          wildcard: product.wildcard,
        };
      });
    },
  };
}
