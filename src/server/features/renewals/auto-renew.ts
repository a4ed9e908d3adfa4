import { AppError } from '#contracts/errors.ts';
import { jobActions } from '#contracts/values/audit-actions.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import { type DomainPricing, findDomain } from '../domains/index.ts';
import type { OrdersApi } from '../orders/index.ts';
import {
  domainsToRenew,
  type Intent,
  insertIntent,
  itemOfOrder,
  lockedIntent,
  moveIntent,
  type Place,
} from './renewals.repo.ts';

export interface AutoRenewDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  pricing: Pick<DomainPricing, 'price'>;
  orders: Pick<OrdersApi, 'place' | 'engine'>;
  /** Days before expiry (decisions no. 25). */
  renewDays: number;
  /** Days after expiry in which a renewal costs what it always does. */
  graceDays: number;
}

export const renewTask = 'renewals.renew';
export const tellTask = 'renewals.tell-unable';
const hourMs = 3_600_000;
/** Money may come at any hour; a registrar that refused does so again for a while. */
const againAfterMs = { funds: hourMs, refused: 24 * hourMs } as const;
const openItemStates = ['queued', 'sending', 'pending', 'unknown', 'review'];
/** A letter tells of all that could not be renewed in one go. */
const gatherMs = 60_000;

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
      const due = await domainsToRenew(tx, {
        now: clock.now(),
        renewDays: deps.renewDays,
        graceDays: deps.graceDays,
      });
      for (const place of due) {
        await enqueueJob(
          tx,
          renewTask,
          { ...place },
          {
            key: `auto-renew:${place.address}`,
            queue: `auto-renew:${place.organisationId}`,
            maxAttempts: 5,
          },
        );
      }
      return due.length;
    });
  }

  /** A person wants what could not be renewed tried now. False when nothing waits for another try. */
  async function retry(place: Place): Promise<boolean> {
    return within(place, async (tx) => {
      const waiting = await tx
        .updateTable('auto_renewals')
        .set({ next_try_at: clock.now() })
        .where('organisation_id', '=', place.organisationId)
        .where('address', '=', place.address)
        .where('state', '=', 'unable')
        .executeTakeFirst();
      if (waiting.numUpdatedRows === 0n) return false;
      const queue = `auto-renew:${place.organisationId}`;
      await enqueueJob(
        tx,
        renewTask,
        { ...place },
        { key: `auto-renew:${place.address}`, queue, maxAttempts: 5 },
      );
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
      conclude(tx, place, { ...intent, state: 'ordered', order_id: placed.orderId }),
    );
  }

  /** The intent to act on now, committed; null when there is nothing to do. */
  async function takeIntent(scope: Scope, place: Place): Promise<Intent | null> {
    const domain = await within(place, (tx) => findDomain(tx, scope, place.address));
    if (!domain?.expires_at || !isDue(domain)) return null;
    const expiresAt = domain.expires_at;
    // Reading a price has no effect: it may be read before the intent, which keeps it.
    const price = await withFairnessKey(place.organisationId, () =>
      deps.pricing.price(place.address, 'renewal', 1),
    );
    return within(place, async (tx) => {
      const now = clock.now();
      await insertIntent(tx, place, { expiresAt, priceCents: price.priceCents, now });
      const intent = await lockedIntent(tx, place, expiresAt.getUTCFullYear());
      if (!intent) return null;
      if (intent.state === 'ordered') await conclude(tx, place, intent);
      if (intent.state === 'ordered' || intent.state === 'done') return null;
      if (intent.state === 'intended') return intent;
      if (intent.next_try_at && intent.next_try_at > now) return null;
      const next = {
        state: 'intended' as const,
        attempt: intent.attempt + 1,
        price_cents: price.priceCents,
        expires_at: expiresAt,
        order_id: null,
        next_try_at: null,
        updated_at: now,
      };
      const moved = await moveIntent(tx, intent, ['unable', 'dropped'], next);
      return moved ? { ...intent, ...next } : null;
    });
  }

  function isDue(domain: { auto_renew: boolean; status: string; expires_at: Date | null }): boolean {
    if (!domain.auto_renew || !domain.expires_at) return false;
    if (domain.status !== 'active' && domain.status !== 'expired') return false;
    const leftDays = (domain.expires_at.getTime() - clock.now().getTime()) / (24 * hourMs);
    return leftDays <= deps.renewDays && leftDays > -deps.graceDays;
  }

  async function order(scope: Scope, place: Place, intent: Intent) {
    const key = `auto-renew:${place.address}:${intent.expiry_year}:${intent.attempt}`;
    const body = {
      domains: [],
      domainRenewals: [{ address: place.address, period: 1, expireDate: intent.expires_at.toISOString() }],
      domainTransfers: [],
      certificates: [],
      price: centsToUsd(intent.price_cents),
    };
    try {
      const placed = await orders.place(scope, body, key, 'auto_renew');
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

  /** Why the order was not taken. Whatever may pass by itself is thrown: the job comes again. */
  async function given(place: Place, intent: Intent, error: AppError): Promise<null> {
    switch (error.code) {
      case 'insufficient_funds':
        await within(place, (tx) => unable(tx, intent, 'funds', 'The balance did not cover the renewal.'));
        return null;
      case 'price_changed':
        // Nothing was ordered under this attempt; the next one has the new price.
        await within(place, (tx) =>
          moveIntent(tx, intent, ['intended'], { state: 'dropped', updated_at: clock.now() }),
        );
        throw error;
      case 'unprocessable':
      case 'not_found':
        // Renewed by somebody else, or not ours any more.
        await within(place, (tx) =>
          moveIntent(tx, intent, ['intended'], { state: 'dropped', updated_at: clock.now() }),
        );
        return null;
      default:
        throw error;
    }
  }

  /** Takes over what the order engine made of the item. */
  async function conclude(tx: Tx, place: Place, intent: Intent): Promise<void> {
    const item = intent.order_id ? await itemOfOrder(tx, place, intent.order_id) : undefined;
    if (!item || openItemStates.includes(item.state)) return;
    if (item.state === 'succeeded') {
      const change = { state: 'done' as const, reason: null, reason_kind: null, updated_at: clock.now() };
      await moveIntent(tx, intent, ['ordered'], change);
      return;
    }
    await unable(tx, intent, 'refused', item.public_error ?? 'The registrar refused the renewal.');
  }

  async function unable(tx: Tx, intent: Intent, kind: 'funds' | 'refused', reason: string): Promise<void> {
    const now = clock.now();
    const { organisation_id: organisationId } = intent;
    const moved = await moveIntent(tx, intent, ['intended', 'ordered'], {
      state: 'unable',
      reason_kind: kind,
      reason,
      next_try_at: new Date(now.getTime() + againAfterMs[kind]),
      // Told once, and again when the reason is another.
      ...(intent.reason_kind === kind ? {} : { told_at: null }),
      updated_at: now,
    });
    if (!moved) return;
    const runAt = new Date(now.getTime() + gatherMs);
    await enqueueJob(tx, tellTask, { organisationId }, { key: `tell-unable:${organisationId}`, runAt });
    if (kind !== 'funds') return;
    const key = `auto-topup:${organisationId}`;
    await enqueueJob(tx, 'billing.consider-auto-topup', { organisationId }, { key });
  }

  function within<T>(place: Place, run: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(db, { organisationId: place.organisationId }, run);
  }

  return { enqueueDue, renew, retry };
}

/** The job acts for the organisation, as nobody in particular. */
export function jobScope(organisationId: string): Scope {
  return {
    organisationId,
    userId: '00000000-0000-0000-0000-000000000000',
    email: jobActions['renewals.renew'].actor,
    role: 'MSP_ADMIN',
    reach: wholeOrganisation,
    rights: rightsOfRole,
    ip: null,
    requestId: 'auto-renew',
  };
}
