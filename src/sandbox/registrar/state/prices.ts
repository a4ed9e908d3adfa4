import { hasWord, splitName } from '../names.ts';
import type { World } from '../world.ts';

export type PriceKind = 'new' | 'renewal' | 'transfer';

const PREMIUM_YEAR_CENTS = 250_000;

export function isPremium(domain: string): boolean {
  return hasWord(domain, 'premium');
}

/** What the reseller pays for the whole period; null for what is not sold. Premium names cost more when new. */
export function priceCents(world: World, domain: string, kind: PriceKind, years: number): number | null {
  const parts = splitName(world, domain);
  if (!parts) return null;
  const row = world.sql.get<{ year_cents: number }>(
    'SELECT year_cents FROM registrar_prices WHERE suffix = ? AND kind = ?',
    parts.suffix,
    kind,
  );
  if (!row) return null;
  return (isPremium(domain) ? PREMIUM_YEAR_CENTS : row.year_cents) * years;
}

export const REDEMPTION_FEE_CENTS = 8000;
