import { AppError } from '#contracts/errors.ts';
import type { ListedNameState, LookupResult, Suggestion } from '#contracts/operations/domains.ts';
import { offeredSuffixes, parseSearch } from '#contracts/values/domain-name.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { pause } from '#kernel/clock.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarNames, Suggestion as Suggested } from '../../ports/registrar.ts';
import type { DomainPricing } from './pricing.ts';
import { ownAmong } from './settings.repo.ts';

/** Suggestions shown under a search, and as the table of the result screen. */
const suggestionCount = 10;
/** A help that comes later than this is none; the registrar's own limit would be three times as long. */
const suggestionsWithinMs = 4_000;
/** Without a price in this time the name is shown without one. */
const priceWithinMs = 5_000;

export interface Lookup {
  lookup(scope: Scope, typed: string, withSuggestions: boolean): Promise<LookupResult>;
  suggestions(scope: Scope, typed: string): Promise<Suggestion[]>;
  /** Of each name what is known; one that fails leaves the others. */
  lookupList(scope: Scope, typed: readonly string[]): Promise<ListedNameState[]>;
}

/** Whether a name is free, its price for a year, and names like it (P1 §7 `domain/lookup`): each within its own limit. */
export function createLookup(deps: {
  db: Db;
  registrar: Pick<RegistrarNames, 'lookup' | 'suggest'>;
  pricing: DomainPricing;
}): Lookup {
  const { db, registrar, pricing } = deps;
  return {
    async lookup(scope, typed, withSuggestions) {
      const domain = nameOf(typed);
      const [name, suggestions] = await Promise.all([
        stateOf(scope, domain),
        withSuggestions ? suggestionsFor(scope, domain) : [],
      ]);
      return { ...name, suggestions };
    },
    suggestions: async (scope, typed) => suggestionsFor(scope, nameOf(typed)),
    lookupList: (scope, typed) => Promise.all(typed.map((name) => listed(scope, name))),
  };

  async function listed(scope: Scope, typed: string): Promise<ListedNameState> {
    try {
      const { reason, ...state } = await stateOf(scope, nameOf(typed));
      return { ...state, problem: state.status === 'available' ? null : reason };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const none = { status: null, price: null, premium: false, own: false };
      return { domain: typed, ...none, problem: error.message };
    }
  }

  async function stateOf(scope: Scope, domain: string): Promise<Omit<LookupResult, 'suggestions'>> {
    const [state, own] = await Promise.all([ask(domain), ownOf(scope, [domain])]);
    const { cents, premium } =
      state.status === 'available'
        ? await within(priceWithinMs, livePrice(domain), noPrice)
        : { cents: await within(priceWithinMs, standardPrice(domain), null), premium: false };
    return {
      domain,
      status: state.status,
      price: cents === null ? null : centsToUsd(cents),
      premium,
      own: own.has(domain),
      reason: state.reason,
    };
  }

  async function suggestionsFor(scope: Scope, domain: string): Promise<Suggestion[]> {
    const found = await within(
      suggestionsWithinMs,
      Promise.all([suggest(domain), standardPrice(domain)]),
      null,
    );
    const [names, standard] = found ?? [[], null];
    const others = names.filter((item) => item.domain !== domain);
    const own = await ownOf(
      scope,
      others.map((item) => item.domain),
    );
    return others.map((item) => {
      const premium = item.premiumCents !== null;
      const cents = item.premiumCents === null ? standard : pricing.premiumPriceCents(item.premiumCents);
      const price = cents === null ? null : centsToUsd(cents);
      return { domain: item.domain, status: item.status, price, premium, own: own.has(item.domain) };
    });
  }

  async function ownOf(scope: Scope, names: readonly string[]): Promise<Set<string>> {
    return names.length === 0 ? new Set() : inReading(db, scope, (tx) => ownAmong(tx, scope, names));
  }

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

  function standardPrice(domain: string): Promise<number | null> {
    return pricing.standardPriceCents(domain.slice(domain.indexOf('.') + 1), 'new');
  }

  /** The very name's price. Without it there is none: whether the name is a premium one is known from nothing else. */
  async function livePrice(domain: string): Promise<{ cents: number | null; premium: boolean }> {
    try {
      const { priceCents, premium } = await pricing.price(domain, 'new', 1);
      return { cents: priceCents, premium };
    } catch (error) {
      if (error instanceof AppError) return noPrice;
      throw error;
    }
  }

  /** Suggestions are a help: without them the look-up still answers. */
  async function suggest(domain: string): Promise<Suggested[]> {
    const label = domain.slice(0, domain.indexOf('.'));
    try {
      return await registrar.suggest(label, { suffixes: [...offeredSuffixes], maximum: suggestionCount });
    } catch (error) {
      if (error instanceof UpstreamRefused || error instanceof UpstreamUnavailable) return [];
      throw error;
    }
  }
}

const noPrice = { cents: null, premium: false };

function nameOf(typed: string): string {
  const parsed = parseSearch(typed);
  if (parsed.ok) return parsed.domain;
  throw new AppError('validation_failed', {
    message: parsed.message,
    details: [{ path: 'address', message: parsed.message }],
  });
}

/** What the work comes to, or `otherwise` when it takes longer. The work itself goes on and serves the next caller. */
async function within<T>(limitMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  const done = new AbortController();
  const late = pause(limitMs, done.signal).then(() => otherwise);
  return Promise.race([work, late]).finally(() => done.abort());
}
