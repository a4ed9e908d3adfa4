import type { Db } from '#kernel/db/database.ts';
import type { Quote, QuoteKind } from '../../ports/registrar.ts';

interface Asked {
  address: string;
  kind: QuoteKind;
  years: number;
}

/** What the registrar last said that this costs us. */
export function findQuote(db: Db, { address, kind, years }: Asked) {
  return db
    .selectFrom('cost_quotes')
    .select(['cost_cents', 'premium', 'quoted_at'])
    .where('address', '=', address)
    .where('kind', '=', kind)
    .where('years', '=', years)
    .executeTakeFirst();
}

export async function saveQuote(db: Db, asked: Asked, quote: Quote, now: Date): Promise<void> {
  const said = { cost_cents: quote.costCents, premium: quote.premium, quoted_at: now };
  await db
    .insertInto('cost_quotes')
    .values({ ...asked, ...said })
    .onConflict((conflict) => conflict.columns(['address', 'kind', 'years']).doUpdateSet(said))
    .execute();
}

/** The operator's entry for one year, in force now; null: cost plus margin (decisions no. 28). */
export async function listedCents(
  db: Db,
  suffix: string,
  kind: QuoteKind,
  now: Date,
): Promise<number | null> {
  const entry = await db
    .selectFrom('price_entries')
    .select('price_cents')
    .where('product', '=', 'domain')
    .where('name', '=', suffix)
    .where('kind', '=', kind)
    .where('valid_from', '<=', now)
    .orderBy('valid_from', 'desc')
    .orderBy('version', 'desc')
    .executeTakeFirst();
  return entry?.price_cents ?? null;
}
