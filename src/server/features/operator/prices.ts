import type { BodyOf } from '#contracts/operation.ts';
import type { Prices, setPrices } from '#contracts/operations/operator.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { type DomainPricing, probeName } from '../domains/index.ts';
import { certificateRows, certificateTypes, domainRows, insertVersion, readVersions } from './prices.repo.ts';
import { requireEntries, toPriceRow, validFromOf } from './prices.rules.ts';

export interface PricesDeps {
  systemDb: Db;
  clock: Clock;
  /** Asks the registrar for costs that nobody has asked for yet. */
  pricing: Pick<DomainPricing, 'price'>;
  marginPercent: { domain: number; certificate: number };
}

/** The operator's price list: versions that only add, each in force from a moment on (decisions no. 28). */
export function createPrices({ systemDb, clock, pricing, marginPercent }: PricesDeps) {
  async function read(): Promise<Prices> {
    const known = await systemTransaction(systemDb, (tx) => readAll(tx));
    const unknown = known.rows.filter((row) => row.product === 'domain' && row.cost === null);
    if (unknown.length === 0) return known;
    // What cannot be told at the moment stays unknown.
    const asked = unknown.map(({ name, kind }) => pricing.price(probeName(name), kind, 1));
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
        ...domains.map((row) => toPriceRow(row, marginPercent.domain)),
        ...certificates.map((row) => toPriceRow(row, marginPercent.certificate)),
      ],
      versions,
      defaultMargin: marginPercent,
    };
  }

  async function set(body: BodyOf<typeof setPrices>): Promise<{ version: number }> {
    const now = clock.now();
    const validFrom = validFromOf(body.validFrom, now);
    return systemTransaction(systemDb, async (tx) => {
      requireEntries(body.entries, await certificateTypes(tx));
      return { version: await insertVersion(tx, { ...body, validFrom, now }) };
    });
  }

  return { read, set };
}
