import { AppError } from '#contracts/errors.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Scope } from '#kernel/scope.ts';
import { type DomainPricing, findDomain } from '../domains/index.ts';
import { lineOf, type OrdersApi, requestOf } from '../orders/index.ts';
import {
  afterRefusal,
  dueSpan,
  isDue,
  nextAttempt,
  orderKeyOf,
  type RenewPeriods,
  stepOf,
  type Unable,
  withoutPrice,
} from './auto-renew.rules.ts';
import { conclude, takeOutcome, unable } from './intent-ends.ts';
import { jobScope } from './job-scope.ts';
import {
  domainsToRenew,
  type Intent,
  insertIntent,
  lockedIntent,
  moveIntent,
  type Place,
  tryNow,
} from './renewals.repo.ts';

export interface AutoRenewDeps extends RenewPeriods {
  db: Db;
  systemDb: Db;
  clock: Clock;
  pricing: Pick<DomainPricing, 'price'>;
  orders: Pick<OrdersApi, 'place' | 'engine'>;
}

/**
 * Renews what has auto renew on (decisions no. 25). The intent, with its price and the expiry that is to be moved, is
 * committed before the order; the order's key is made from it, so that a crash in between orders nothing twice; and
 * the order is refused when the expiry has moved meanwhile, because a person was faster.
 */
export function createAutoRenew(deps: AutoRenewDeps) {
  const { db, systemDb, clock, orders } = deps;

  /** One job for every domain whose time has come, one after another within an organisation. */
  async function enqueueDue(): Promise<number> {
    return systemTransaction(systemDb, async (tx) => {
      const now = clock.now();
      const due = await domainsToRenew(tx, dueSpan(now, deps), now);
      for (const place of due) await enqueueRenewal(tx, place);
      return due.length;
    });
  }

  /** A person wants what could not be renewed tried now. False when nothing waits for another try. */
  async function retry(place: Place): Promise<boolean> {
    return within(place, async (tx) => {
      if (!(await tryNow(tx, place, clock.now()))) return false;
      await enqueueRenewal(tx, place);
      return true;
    });
  }

  async function renew(place: Place): Promise<void> {
    const scope = jobScope(place.organisationId);
    const intent = await takeIntent(scope, place);
    if (!intent) return;
    failpoint('renewal.intended');
    const placed = await order(scope, place, intent);
    if (!placed) return;
    failpoint('renewal.ordered');
    await Promise.all(placed.itemIds.map((id) => orders.engine.advance(place.organisationId, id)));
    await within(place, (tx) =>
      conclude(tx, place, { ...intent, state: 'ordered', order_id: placed.orderId }, { now: clock.now() }),
    );
  }

  /** The intent to act on now, committed; null when there is nothing to do. */
  async function takeIntent(scope: Scope, place: Place): Promise<Intent | null> {
    const domain = await inReading(db, scope, (tx) => findDomain(tx, scope, place.address));
    if (!domain?.expires_at) return null;
    const expiresAt = domain.expires_at;
    if (!isDue(domain, clock.now(), deps)) {
      await within(place, (tx) => takeOutcome(tx, place, expiresAt, clock.now()));
      return null;
    }
    // Reading a price has no effect: it may be read before the intent, which keeps it.
    const { priceCents, missing } = await priceOf(deps, place, expiresAt);
    return within(place, async (tx) => {
      const now = clock.now();
      const isNew = await insertIntent(tx, place, { expiresAt, priceCents, now });
      const intent = await lockedIntent(tx, place, expiresAt.getUTCFullYear());
      if (!intent) return null;
      const step = stepOf(intent, now);
      if (step === 'conclude') await conclude(tx, place, intent, { now });
      if (missing && (isNew || step === 'try again')) {
        await unable(tx, intent, missing, now, ['intended', 'unable', 'dropped']);
        return null;
      }
      // What was intended before has its price, and may be ordered already: its key says so.
      if (step === 'order') return intent;
      if (step !== 'try again') return null;
      const next = nextAttempt(intent, { priceCents, expiresAt, now });
      const moved = await moveIntent(tx, intent, ['unable', 'dropped'], next);
      return moved ? { ...intent, ...next } : null;
    });
  }

  async function order(scope: Scope, place: Place, intent: Intent) {
    const key = orderKeyOf(place.address, intent);
    const line = lineOf({ kind: 'renewal', address: place.address, seenExpiry: intent.expires_at });
    try {
      const placed = await orders.place(scope, requestOf([line], intent.price_cents), key, {
        source: 'auto_renew',
      });
      await within(place, (tx) =>
        moveIntent(tx, intent, ['intended'], {
          state: 'ordered',
          order_id: placed.orderId,
          updated_at: clock.now(),
        }),
      );
      return placed;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return given(place, intent, error);
    }
  }

  /** The order was not taken. */
  async function given(place: Place, intent: Intent, error: AppError): Promise<null> {
    const what = afterRefusal(error.code);
    const missing = what === 'leave' ? withoutPrice(error, intent.expires_at, clock.now()) : null;
    if (what === 'leave' && !missing) throw error;
    await within(place, async (tx) => {
      if (missing) return unable(tx, intent, missing, clock.now());
      if (what === 'short of funds') {
        const reason = 'The balance did not cover the renewal.';
        return unable(tx, intent, { kind: 'funds', reason }, clock.now());
      }
      if (what === 'operator short of funds') {
        const why = { kind: 'refused', reason: error.message, waitsFor: 'funds' } as const;
        return unable(tx, intent, why, clock.now());
      }
      await moveIntent(tx, intent, ['intended'], { state: 'dropped', updated_at: clock.now() });
    });
    if (what === 'drop and come again') throw error;
    return null;
  }

  function within<T>(place: Place, run: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(db, { organisationId: place.organisationId }, run);
  }

  return { enqueueDue, renew, retry };
}

/** What the renewal costs, or why nobody can say that; throws what may pass by itself. */
async function priceOf(
  { pricing, clock }: Pick<AutoRenewDeps, 'pricing' | 'clock'>,
  place: Place,
  expiresAt: Date,
): Promise<{ priceCents: number; missing: Unable | null }> {
  try {
    const read = () => pricing.price(place.address, 'renewal', 1);
    const { priceCents } = await withFairnessKey(place.organisationId, read);
    return { priceCents, missing: null };
  } catch (error) {
    const missing = error instanceof AppError ? withoutPrice(error, expiresAt, clock.now()) : null;
    if (!missing) throw error;
    return { priceCents: 0, missing };
  }
}

/**
 * One after another within an organisation: they share its balance. The key needs no organisation: a name is alive in one at a time
 * (index `domains_living`), and a job of the one that had it before has nothing to renew. The order's own key counts within its
 * organisation.
 */
function enqueueRenewal(tx: Tx, place: Place): Promise<void> {
  return enqueueJob(
    tx,
    'renewals.renew',
    { ...place },
    {
      key: `auto-renew:${place.address}`,
      queue: `auto-renew:${place.organisationId}`,
      maxAttempts: 5,
    },
  );
}
