import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { PriceRow, Prices, setPrices } from '#contracts/operations/operator.ts';
import { centsToUsd, usdToCents } from '#contracts/values/money.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, sql, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { DomainPricing } from '../domains/index.ts';

export interface PricesDeps {
  systemDb: Db;
  clock: Clock;
  /** Asks the registrar for costs that nobody has asked for yet. */
  pricing: Pick<DomainPricing, 'price'>;
  marginPercent: { domain: number; certificate: number };
}

/** A name that nobody registers prices its suffix. */
const probeLabel = 'nameward-standard-price';
/** Suffixes that are on offer (P1 §5: only .com), beside those that the list names. */
const offered = ['com'];
/** A clock that is a little ahead is no wish for the past. */
const pastToleranceMs = 60_000;

/** The operator's price list: versions that only add, each in force from a moment on (decisions no. 28). */
export function createPrices({ systemDb, clock, pricing, marginPercent }: PricesDeps) {
  async function read(): Promise<Prices> {
    const known = await systemTransaction(systemDb, (tx) => readAll(tx));
    const unknown = known.rows.filter((row) => row.product === 'domain' && row.cost === null);
    if (unknown.length === 0) return known;
    // What cannot be told at the moment stays unknown.
    const asked = unknown.map(({ name, kind }) => pricing.price(`${probeLabel}.${name}`, kind, 1));
    await withFairnessKey('operator', () => Promise.allSettled(asked));
    return systemTransaction(systemDb, (tx) => readAll(tx));
  }

  async function readAll(tx: Tx): Promise<Prices> {
    const [domains, certificates, versions] = [
      await domainRows(tx, clock.now()),
      await certificateRows(tx, clock.now()),
      await readVersions(tx),
    ];
    return {
      rows: [
        ...domains.map((row) => toRow(row, marginPercent.domain)),
        ...certificates.map((row) => toRow(row, marginPercent.certificate)),
      ],
      versions,
      defaultMargin: marginPercent,
    };
  }

  async function set(body: BodyOf<typeof setPrices>): Promise<{ version: number }> {
    const now = clock.now();
    const validFrom = body.validFrom ? new Date(body.validFrom) : now;
    if (validFrom.getTime() < now.getTime() - pastToleranceMs) {
      throw new AppError('validation_failed', {
        details: [{ path: 'validFrom', message: 'Please choose a moment that is not in the past' }],
      });
    }
    const keys = body.entries.map(({ product, name, kind }) => `${product} ${name} ${kind}`);
    if (new Set(keys).size !== keys.length) {
      throw new AppError('unprocessable', { message: 'One price is named twice.' });
    }
    return systemTransaction(systemDb, async (tx) => {
      await requireProducts(tx, body.entries);
      // Two operators at once get two versions, one after the other.
      await sql`SELECT pg_advisory_xact_lock(hashtext('price list'))`.execute(tx);
      const last = await tx
        .selectFrom('price_versions')
        .select((eb) => eb.fn.max('version').as('version'))
        .executeTakeFirst();
      const version = (last?.version ?? 0) + 1;
      await tx
        .insertInto('price_versions')
        .values({ version, valid_from: validFrom, note: body.note, created_at: now })
        .execute();
      await tx
        .insertInto('price_entries')
        .values(
          body.entries.map((entry) => ({
            version,
            product: entry.product,
            name: entry.name,
            kind: entry.kind,
            price_cents: entry.price === null ? null : usdToCents(entry.price),
            valid_from: validFrom,
          })),
        )
        .execute();
      return { version };
    });
  }

  return { read, set };
}

async function requireProducts(tx: Tx, entries: readonly { product: string; name: string; kind: string }[]) {
  const known = await tx.selectFrom('certificate_products').select('product_type').execute();
  const types = new Set(known.map((row) => row.product_type));
  entries.forEach((entry, index) => {
    const right =
      entry.product === 'domain'
        ? /^[a-z0-9.-]+$/.test(entry.name)
        : types.has(entry.name) && entry.kind === 'new';
    if (right) return;
    throw new AppError('validation_failed', {
      details: [{ path: `entries.${index}.name`, message: `There is no such product: ${entry.name}` }],
    });
  });
}

interface Found {
  product: 'domain' | 'certificate';
  name: string;
  label: string;
  kind: PriceRow['kind'];
  cost_cents: number | null;
  listed_cents: number | null;
  next_cents: number | null;
  next_from: Date | null;
}

/** In force is what became valid last; of two at one moment the later version. */
const entryAt = (when: ReturnType<typeof sql>, order: ReturnType<typeof sql>) => sql`
  SELECT e.price_cents, e.valid_from FROM price_entries e
  WHERE e.product = p.product AND e.name = p.name AND e.kind = p.kind AND ${when} ORDER BY ${order} LIMIT 1`;

function withEntries(products: ReturnType<typeof sql>, now: Date) {
  const listed = entryAt(sql`e.valid_from <= ${now}`, sql`e.valid_from DESC, e.version DESC`);
  const next = entryAt(sql`e.valid_from > ${now}`, sql`e.valid_from, e.version DESC`);
  return sql<Found>`
    SELECT p.product, p.name, p.label, p.kind, p.cost_cents, l.price_cents AS listed_cents,
      n.price_cents AS next_cents, n.valid_from AS next_from
    FROM (${products}) p LEFT JOIN LATERAL (${listed}) l ON true LEFT JOIN LATERAL (${next}) n ON true
    ORDER BY p.sort, p.name, p.kind`;
}

/** What the registrar last asked for a plain name of the suffix is its cost. */
async function domainRows(tx: Tx, now: Date): Promise<Found[]> {
  const products = sql`
    SELECT 'domain' AS product, s.name, '.' || s.name AS label, k.kind, 0 AS sort,
      (SELECT q.cost_cents FROM cost_quotes q WHERE q.address LIKE '%.' || s.name AND q.kind = k.kind
        AND q.years = 1 AND NOT q.premium ORDER BY q.quoted_at DESC LIMIT 1) AS cost_cents
    FROM (SELECT unnest(${offered}::text[]) AS name
        UNION SELECT name FROM price_entries WHERE product = 'domain') s
      CROSS JOIN (VALUES ('new'), ('renewal'), ('transfer')) AS k (kind)`;
  return (await withEntries(products, now).execute(tx)).rows;
}

async function certificateRows(tx: Tx, now: Date): Promise<Found[]> {
  const products = sql`
    SELECT 'certificate' AS product, c.product_type AS name, CASE WHEN c.name LIKE c.provider || '%' THEN c.name ELSE c.provider || ' ' || c.name END AS label, 'new' AS kind,
      c.sort, c.cost_cents FROM certificate_products c WHERE c.active`;
  return (await withEntries(products, now).execute(tx)).rows;
}

function toRow(row: Found, marginPercent: number): PriceRow {
  const cost = row.cost_cents;
  const usual = cost === null ? null : Math.round((cost * (100 + marginPercent)) / 100);
  // Never below cost, as it is charged: a stale list must not turn sales into losses.
  const price = row.listed_cents === null ? usual : Math.max(row.listed_cents, cost ?? 0);
  const margin = price === null || !cost ? null : Math.round(((price - cost) / cost) * 1_000) / 10;
  return {
    product: row.product,
    name: row.name,
    label: row.label,
    kind: row.kind,
    cost: toUsd(cost),
    listed: toUsd(row.listed_cents),
    price: toUsd(price),
    marginPercent: margin,
    next: row.next_from ? { price: toUsd(row.next_cents), validFrom: row.next_from.toISOString() } : null,
  };
}

const toUsd = (cents: number | null) => (cents === null ? null : centsToUsd(cents));

async function readVersions(tx: Tx): Promise<Prices['versions']> {
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
