import { AppError } from '#contracts/errors.ts';
import type { CertificatePrice } from '#contracts/operations/certificates.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { sellingCents } from '#contracts/values/selling-price.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import { activeProducts, listedPrices } from './pricing.repo.ts';

export interface CertificatePricing {
  /** Integer cents for the whole term. Throws `unprocessable` for a product that is not on offer. */
  price(productType: string, years: number): Promise<{ priceCents: number; costCents: number }>;
  /** The public price list, in the order of the catalogue; never shows cost. */
  list(): Promise<CertificatePrice[]>;
}

export function createCertificatePricing(deps: {
  db: Db;
  clock: Clock;
  marginPercent: number;
}): CertificatePricing {
  const { db, clock, marginPercent } = deps;

  const read = () => Promise.all([activeProducts(db), listedPrices(db, clock.now())]);

  return {
    async price(productType, years) {
      const [all, prices] = await read();
      const product = all.find((entry) => entry.product_type === productType);
      if (!product) throw new AppError('unprocessable', { message: 'This certificate is not for sale' });
      const costCents = product.cost_cents * years;
      return {
        costCents,
        priceCents: sellingCents(product.cost_cents, prices.get(productType) ?? null, marginPercent) * years,
      };
    },
    async list() {
      const [all, prices] = await read();
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
