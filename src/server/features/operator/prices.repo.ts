import type { BodyOf } from '#contracts/operation.ts';
import type { Prices, setPrices } from '#contracts/operations/operator.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { ListedProduct } from './prices.rules.ts';

/** Suffixes that are on offer (P1 §5: only .com), beside those that the list names. */
const offered = ['com'];

/** In force is what became valid last; of two at one moment the later version. */
const entryAt = (when: ReturnType<typeof sql>, order: ReturnType<typeof sql>) => sql`
  SELECT e.price_cents, e.valid_from FROM price_entries e
  WHERE e.product = p.product AND e.name = p.name AND e.kind = p.kind AND ${when} ORDER BY ${order} LIMIT 1`;

function withEntries(products: ReturnType<typeof sql>, now: Date) {
  const listed = entryAt(sql`e.valid_from <= ${now}`, sql`e.valid_from DESC, e.version DESC`);
  const next = entryAt(sql`e.valid_from > ${now}`, sql`e.valid_from, e.version DESC`);
  return sql<ListedProduct>`
    SELECT p.product, p.name, p.label, p.kind, p.cost_cents, l.price_cents AS listed_cents,
      n.price_cents AS next_cents, n.valid_from AS next_from
    FROM (${products}) p LEFT JOIN LATERAL (${listed}) l ON true LEFT JOIN LATERAL (${next}) n ON true
    ORDER BY p.sort, p.name, p.kind`;
}

/** What the registrar last asked for a plain name of the suffix is its cost. */
export async function domainRows(tx: Tx, now: Date): Promise<ListedProduct[]> {
  const products = sql`
    SELECT 'domain' AS product, s.name, '.' || s.name AS label, k.kind, 0 AS sort,
      (SELECT q.cost_cents FROM cost_quotes q WHERE q.address = split_part(q.address, '.', 1) || '.' || s.name AND q.kind = k.kind
        AND q.years = 1 AND NOT q.premium ORDER BY q.quoted_at DESC LIMIT 1) AS cost_cents
    FROM (SELECT unnest(${offered}::text[]) AS name
        UNION SELECT name FROM price_entries WHERE product = 'domain') s
      CROSS JOIN (VALUES ('new'), ('renewal'), ('transfer')) AS k (kind)`;
  return (await withEntries(products, now).execute(tx)).rows;
}

export async function certificateRows(tx: Tx, now: Date): Promise<ListedProduct[]> {
  const products = sql`
    SELECT 'certificate' AS product, c.product_type AS name, CASE WHEN c.name LIKE c.provider || '%' THEN c.name ELSE c.provider || ' ' || c.name END AS label, 'new' AS kind,
      c.sort, c.cost_cents FROM certificate_products c WHERE c.active`;
  return (await withEntries(products, now).execute(tx)).rows;
}

export async function readVersions(tx: Tx): Promise<Prices['versions']> {
  const rows = await tx
    .selectFrom('price_versions as v')
    .select((eb) => [
      'v.version',
      'v.valid_from',
      'v.note',
      'v.created_at',
      eb
        .selectFrom('price_entries as e')
        .whereRef('e.version', '=', 'v.version')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .as('entries'),
    ])
    .orderBy('v.version', 'desc')
    .limit(100)
    .execute();
  return rows.map((row) => ({
    version: row.version,
    validFrom: row.valid_from.toISOString(),
    note: row.note,
    createdAt: row.created_at.toISOString(),
    entries: row.entries ?? 0,
  }));
}

export async function certificateTypes(tx: Tx): Promise<Set<string>> {
  const rows = await tx.selectFrom('certificate_products').select('product_type').execute();
  return new Set(rows.map((row) => row.product_type));
}

/** Adds a version of the list. Two operators at once get two versions, one after the other. */
export async function insertVersion(
  tx: Tx,
  list: Pick<BodyOf<typeof setPrices>, 'note' | 'entries'> & { validFrom: Date; now: Date },
): Promise<number> {
  const { validFrom } = list;
  await sql`SELECT pg_advisory_xact_lock(hashtext('price list'))`.execute(tx);
  const last = await tx
    .selectFrom('price_versions')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  const version = (last?.version ?? 0) + 1;
  await tx
    .insertInto('price_versions')
    .values({ version, valid_from: validFrom, note: list.note, created_at: list.now })
    .execute();
  const rows = list.entries.map(({ product, name, kind, price }) => ({
    ...{ version, product, name, kind },
    ...{ price_cents: price === null ? null : usdToCents(price), valid_from: validFrom },
  }));
  await tx.insertInto('price_entries').values(rows).execute();
  return version;
}
