import { type Db, sql, type Tx } from '#kernel/db/database.ts';
import type { Quote, QuoteKind } from '../../ports/registrar.ts';

interface Asked {
  address: string;
  kind: QuoteKind;
  years: number;
}

export interface FoundQuote {
  quote: (Quote & { quotedAt: Date }) | null;
  /** The operator's entry for one year, in force now; null: cost plus margin (decisions no. 28). */
  listedCents: number | null;
}

/** What the registrar last said that this costs us, and what the operator asks for a year of it. */
export async function findQuote(
  db: Db | Tx,
  { address, kind, years }: Asked,
  now: Date,
): Promise<FoundQuote> {
  const suffix = address.slice(address.indexOf('.') + 1);
  const { rows } = await sql<{
    cost_cents: number | null;
    premium: boolean | null;
    quoted_at: Date | null;
    listed: number | null;
  }>`
    SELECT q.cost_cents, q.premium, q.quoted_at, (
      SELECT price_cents FROM price_entries WHERE product = 'domain' AND name = ${suffix} AND kind = ${kind}
        AND valid_from <= ${now} ORDER BY valid_from DESC, version DESC LIMIT 1
    ) AS listed
    FROM (SELECT) one LEFT JOIN cost_quotes q
      ON q.address = ${address} AND q.kind = ${kind} AND q.years = ${years}`.execute(db);
  const { cost_cents: costCents, premium, quoted_at: quotedAt, listed } = rows[0] ?? {};
  const isQuoted = typeof costCents === 'number' && typeof premium === 'boolean' && quotedAt instanceof Date;
  return { quote: isQuoted ? { costCents, premium, quotedAt } : null, listedCents: listed ?? null };
}

export async function saveQuote(db: Db, asked: Asked, quote: Quote, now: Date): Promise<void> {
  const said = { cost_cents: quote.costCents, premium: quote.premium, quoted_at: now };
  await db
    .insertInto('cost_quotes')
    .values({ ...asked, ...said })
    .onConflict((conflict) => conflict.columns(['address', 'kind', 'years']).doUpdateSet(said))
    .execute();
}
