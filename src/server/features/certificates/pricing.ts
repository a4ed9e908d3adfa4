import { AppError } from '#contracts/errors.ts';
import type { CertificatePrice } from '#contracts/operations/certificates.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';

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

  function products() {
    return db
      .selectFrom('certificate_products')
      .selectAll()
      .where('active', '=', true)
      .orderBy('sort')
      .execute();
  }

  /** The operator's prices in force, by product type; the newest version wins. */
  async function listed(): Promise<Map<string, number | null>> {
    const rows = await db
      .selectFrom('price_entries')
      .select(['name', 'price_cents'])
      .where('product', '=', 'certificate')
      .where('kind', '=', 'new')
      .where('valid_from', '<=', clock.now())
      .orderBy('valid_from')
      .orderBy('version')
      .execute();
    return new Map(rows.map((row) => [row.name, row.price_cents]));
  }

  /** Never below cost: a stale list must not turn sales into losses. */
  function yearlyCents(costCents: number, listedCents: number | null | undefined): number {
    const withMargin = Math.round((costCents * (100 + marginPercent)) / 100);
    return listedCents === undefined || listedCents === null ? withMargin : Math.max(listedCents, costCents);
  }

  return {
    async price(productType, years) {
      const [all, prices] = await Promise.all([products(), listed()]);
      const product = all.find((entry) => entry.product_type === productType);
      if (!product) throw new AppError('unprocessable', { message: 'This certificate is not on offer' });
      const costCents = product.cost_cents * years;
      return { costCents, priceCents: yearlyCents(product.cost_cents, prices.get(productType)) * years };
    },
    async list() {
      const [all, prices] = await Promise.all([products(), listed()]);
      return all.map((product) => {
        const price = centsToUsd(yearlyCents(product.cost_cents, prices.get(product.product_type)));
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
