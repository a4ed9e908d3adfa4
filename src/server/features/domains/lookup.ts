import { AppError } from '#contracts/errors.ts';
import type { LookupResult } from '#contracts/operations/domains.ts';
import { offeredSuffixes, parseSearch } from '#contracts/values/domain-name.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Registrar, Suggestion } from '../../ports/registrar.ts';
import type { DomainPricing } from './pricing.ts';

/** Suggestions shown under a search, and as the table of the result screen. */
const suggestionCount = 10;

/** Whether a name is free, its price for a year, and names like it (P1 §7 `domain/lookup`). */
export function createLookup(deps: {
  registrar: Pick<Registrar, 'lookup' | 'suggest'>;
  pricing: DomainPricing;
}): (typed: string) => Promise<LookupResult> {
  const { registrar, pricing } = deps;
  return async (typed) => {
    const parsed = parseSearch(typed);
    if (!parsed.ok) {
      throw new AppError('validation_failed', {
        message: parsed.message,
        details: [{ path: 'address', message: parsed.message }],
      });
    }
    const { domain } = parsed;
    const [state, suggestions] = await Promise.all([ask(domain), suggest(domain)]);
    const suffix = domain.slice(domain.indexOf('.') + 1);
    const standard = await pricing.standardPriceCents(suffix, 'new');
    const price =
      state.status === 'available' ? await livePrice(domain, standard) : { cents: standard, premium: false };
    return {
      domain,
      status: state.status,
      price: price.cents === null ? null : centsToUsd(price.cents),
      premium: price.premium,
      reason: state.reason,
      suggestions: suggestions
        .filter((item) => item.domain !== domain)
        .map((item) => {
          const cents = item.premiumCents === null ? standard : pricing.premiumPriceCents(item.premiumCents);
          return {
            domain: item.domain,
            status: item.status,
            price: cents === null ? null : centsToUsd(cents),
          };
        }),
    };
  };

  async function ask(domain: string) {
    try {
      return await registrar.lookup(domain, { fresh: true });
    } catch (error) {
      if (error instanceof UpstreamRefused) {
        throw new AppError('validation_failed', {
          message: error.message,
          details: [{ path: 'address', message: error.message }],
          cause: error,
        });
      }
      if (error instanceof UpstreamUnavailable) throw new AppError('upstream_unavailable', { cause: error });
      throw error;
    }
  }

  /** The very name's price, so that a premium name never shows the standard one. */
  async function livePrice(domain: string, standard: number | null) {
    try {
      const price = await pricing.price(domain, 'new', 1);
      return { cents: price.priceCents as number | null, premium: price.premium };
    } catch (error) {
      if (error instanceof AppError) return { cents: standard, premium: false };
      throw error;
    }
  }

  /** Suggestions are a help: without them the look-up still answers. */
  async function suggest(domain: string): Promise<Suggestion[]> {
    const label = domain.slice(0, domain.indexOf('.'));
    try {
      return await registrar.suggest(label, { suffixes: [...offeredSuffixes], maximum: suggestionCount });
    } catch (error) {
      if (error instanceof UpstreamRefused || error instanceof UpstreamUnavailable) return [];
      throw error;
    }
  }
}
