import type { Db, Tx } from '#kernel/db/database.ts';

/** What is on offer, in the order of the catalogue. */
export function activeProducts(at: Db | Tx) {
  return at
    .selectFrom('certificate_products')
    .selectAll()
    .where('active', '=', true)
    .orderBy('sort')
    .execute();
}

/** The operator's prices in force, by product type; the newest version wins. */
export async function listedPrices(at: Db | Tx, now: Date): Promise<Map<string, number | null>> {
  const rows = await at
    .selectFrom('price_entries')
    .select(['name', 'price_cents'])
    .where('product', '=', 'certificate')
    .where('kind', '=', 'new')
    .where('valid_from', '<=', now)
    .orderBy('valid_from')
    .orderBy('version')
    .execute();
  return new Map(rows.map((row) => [row.name, row.price_cents]));
}
