import { AppError } from '#contracts/errors.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import type { OrderItemKind } from '#kernel/db/schema.ts';
import { type Pricing, quoteKinds } from './quote.ts';

/** One line of `cart/prices`. */
export interface PriceRequest {
  address: string;
  period: number;
  kind: OrderItemKind;
  productType?: string | undefined;
}

/** What each thing costs now; one without a price does not hide the prices of the others. */
export function pricesOf(pricing: Pricing, requests: readonly PriceRequest[]) {
  return Promise.all(
    requests.map(async (request) => {
      const { address, kind } = request;
      try {
        const { priceCents, premium } = await priceOf(pricing, request);
        return { address, kind, price: centsToUsd(priceCents), premium };
      } catch (error) {
        if (error instanceof AppError && requests.length > 1) {
          return { address, kind, price: 0, premium: false, error: error.message };
        }
        throw error;
      }
    }),
  );
}

async function priceOf(
  { domains, certificates }: Pricing,
  { address, kind, period, productType = '' }: PriceRequest,
): Promise<{ priceCents: number; premium: boolean }> {
  if (kind !== 'certificate') return domains.price(address, quoteKinds[kind], period);
  return { ...(await certificates.price(productType, period)), premium: false };
}
