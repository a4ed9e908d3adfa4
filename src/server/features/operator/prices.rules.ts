import { AppError } from '#contracts/errors.ts';
import type { PriceRow } from '#contracts/operations/operator.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { sellingCents } from '#contracts/values/selling-price.ts';

/** A clock that is a little ahead is no wish for the past. */
const pastToleranceMs = 60_000;

/** When new prices come into force. */
export function validFromOf(wanted: string | undefined, now: Date): Date {
  if (!wanted) return now;
  const validFrom = new Date(wanted);
  if (validFrom.getTime() >= now.getTime() - pastToleranceMs) return validFrom;
  throw new AppError('validation_failed', {
    details: [{ path: 'validFrom', message: 'Please choose a time that is not in the past' }],
  });
}

interface Entry {
  product: 'domain' | 'certificate';
  name: string;
  kind: string;
}

/** Each price once, and each of a product that there is: any suffix, and the certificates of the catalogue. */
export function requireEntries(entries: readonly Entry[], certificateTypes: ReadonlySet<string>): void {
  const keys = entries.map(({ product, name, kind }) => `${product} ${name} ${kind}`);
  if (new Set(keys).size !== keys.length) {
    throw new AppError('unprocessable', { message: 'One price appears twice.' });
  }
  entries.forEach(({ product, name, kind }, index) => {
    const known =
      product === 'domain' ? /^[a-z0-9.-]+$/.test(name) : certificateTypes.has(name) && kind === 'new';
    if (known) return;
    throw new AppError('validation_failed', {
      details: [{ path: `entries.${index}.name`, message: `There is no such product: ${name}` }],
    });
  });
}

/** A product as the price list finds it, in cents; null is not known. */
export interface ListedProduct {
  product: 'domain' | 'certificate';
  name: string;
  label: string;
  kind: PriceRow['kind'];
  cost_cents: number | null;
  listed_cents: number | null;
  next_cents: number | null;
  next_from: Date | null;
}

export function toPriceRow(row: ListedProduct, marginPercent: number): PriceRow {
  const cost = row.cost_cents;
  const price = cost === null ? row.listed_cents : sellingCents(cost, row.listed_cents, marginPercent);
  return {
    product: row.product,
    name: row.name,
    label: row.label,
    kind: row.kind,
    cost: toUsd(cost),
    listed: toUsd(row.listed_cents),
    price: toUsd(price),
    marginPercent: marginOf(price, cost),
    next: row.next_from ? { price: toUsd(row.next_cents), validFrom: row.next_from.toISOString() } : null,
  };
}

/** In percent of the cost, to a tenth. */
function marginOf(price: number | null, cost: number | null): number | null {
  return price === null || !cost ? null : Math.round(((price - cost) / cost) * 1_000) / 10;
}

const toUsd = (cents: number | null) => (cents === null ? null : centsToUsd(cents));
