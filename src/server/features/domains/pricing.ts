import { AppError } from '#contracts/errors.ts';
import { sellingCents, withMargin } from '#contracts/values/selling-price.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db, Tx } from '#kernel/db/database.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Quote, QuoteKind, RegistrarNames } from '../../ports/registrar.ts';
import { type FoundQuote, findQuote, saveQuote } from './pricing.repo.ts';
import { isFresh, probeName } from './pricing.rules.ts';

/** What a domain costs the organisation and us, in integer cents for the whole period. */
export interface DomainPrice {
  priceCents: number;
  costCents: number;
  premium: boolean;
}

export interface DomainPricing {
  /**
   * Price of a name now. Asks the registrar unless it has said so within the quote's life.
   * Throws `upstream_unavailable` when there is no quote and the registrar does not answer.
   */
  price(address: string, kind: QuoteKind | 'redemption', years: number): Promise<DomainPrice>;
  /** The same from what the registrar has said within the quote's life; null: it has to be asked. */
  known?(db: Db | Tx, address: string, kind: QuoteKind, years: number): Promise<DomainPrice | null>;
  /** Standard price of a suffix for one year; null when it cannot be told at the moment. */
  standardPriceCents(suffix: string, kind: QuoteKind): Promise<number | null>;
  /** Price of a premium name whose yearly cost is already known. */
  premiumPriceCents(costCents: number): number;
}

interface Listed {
  /** The operator's price for a year; null: there is none. */
  listedCents: number | null;
}

export interface KnownPrices {
  /** Standard price of a suffix for one year from what is known already: it asks nobody, and may be a little old. */
  knownPriceCents(suffix: string, kind: QuoteKind): Promise<number | null>;
}

export function createDomainPricing(deps: {
  db: Db;
  registrar: Pick<RegistrarNames, 'quote'>;
  clock: Clock;
  marginPercent: number;
  /** The registry's fee for giving a deleted name back, by suffix, in cents. A suffix without one has no restoration. */
  redemptionCents?: ReadonlyMap<string, number>;
}): DomainPricing & KnownPrices {
  const { db, registrar, clock, marginPercent } = deps;

  async function quote(address: string, kind: QuoteKind, years: number): Promise<Quote & Listed> {
    const asked = { address, kind, years };
    const known = await findQuote(db, asked, clock.now());
    return (known && freshOf(known)) ?? { ...(await freshQuote(asked)), listedCents: known.listedCents };
  }

  function freshOf({ quote, listedCents }: FoundQuote): (Quote & Listed) | null {
    if (!quote || !isFresh(quote.quotedAt, clock.now())) return null;
    return { costCents: quote.costCents, premium: quote.premium, listedCents };
  }

  async function freshQuote(asked: { address: string; kind: QuoteKind; years: number }): Promise<Quote> {
    const fresh = await askRegistrar(asked.address, asked.kind, asked.years);
    await saveQuote(db, asked, fresh, clock.now());
    return fresh;
  }

  function sellingPrice({ costCents, premium, listedCents }: Quote & Listed, years: number): DomainPrice {
    const listedInAll = premium || listedCents === null ? null : listedCents * years;
    return { priceCents: sellingCents(costCents, listedInAll, marginPercent), costCents, premium };
  }

  async function askRegistrar(address: string, kind: QuoteKind, years: number): Promise<Quote> {
    try {
      return await registrar.quote(address, kind, years);
    } catch (error) {
      if (error instanceof UpstreamRefused) {
        throw new AppError('unprocessable', {
          message: `No price for ${address}: ${error.message}`,
          cause: error,
        });
      }
      if (error instanceof UpstreamUnavailable) throw new AppError('upstream_unavailable', { cause: error });
      throw error;
    }
  }

  /** A year of a suffix: what is listed, and the cost that the registrar last named, however long ago. */
  function standardOf(suffix: string, kind: QuoteKind): Promise<FoundQuote> {
    return findQuote(db, { address: probeName(suffix), kind, years: 1 }, clock.now());
  }

  /** As it is charged. A list below cost is not what anybody pays (docs/decisions/0069). */
  function knownStandard({ quote, listedCents }: FoundQuote): number | null {
    return quote ? sellingCents(quote.costCents, listedCents, marginPercent) : listedCents;
  }

  /** The fee and one year's renewal; the registrar quotes no price for it (§7). */
  async function restorationPrice(address: string): Promise<DomainPrice> {
    const suffix = address.slice(address.indexOf('.') + 1);
    const feeCents = deps.redemptionCents?.get(suffix);
    if (feeCents === undefined) {
      throw new AppError('unprocessable', {
        message: `A deleted .${suffix} domain cannot be restored through this portal.`,
      });
    }
    const year = await quote(address, 'renewal', 1);
    const costCents = feeCents + year.costCents;
    return { priceCents: withMargin(costCents, marginPercent), costCents, premium: year.premium };
  }

  return {
    async price(address, kind, years) {
      if (kind === 'redemption') return restorationPrice(address);
      return sellingPrice(await quote(address, kind, years), years);
    },
    async known(db, address, kind, years) {
      const fresh = freshOf(await findQuote(db, { address, kind, years }, clock.now()));
      return fresh && sellingPrice(fresh, years);
    },
    async standardPriceCents(suffix, kind) {
      const known = await standardOf(suffix, kind);
      if (known.listedCents !== null) return knownStandard(known);
      try {
        const cost = await quote(probeName(suffix), kind, 1);
        return withMargin(cost.costCents, marginPercent);
      } catch (error) {
        if (error instanceof AppError) return null;
        throw error;
      }
    },
    knownPriceCents: async (suffix, kind) => knownStandard(await standardOf(suffix, kind)),
    premiumPriceCents: (costCents) => withMargin(costCents, marginPercent),
  };
}
