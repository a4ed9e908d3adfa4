import { AppError } from '#contracts/errors.ts';
import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit, changedParts } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { claimOf } from '#kernel/db/claims.ts';
import { type Db, inTransaction, isUniqueViolation, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Fence } from '#kernel/fence.ts';
import { newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { balances, spendableCents } from '../../ledger/ledger.ts';
import { type Payment, PaymentRefused, type Payments } from '../../ports/payments.ts';
import { applyPayment } from './apply-payment.ts';
import { billingProfile } from './profile.repo.ts';
import { insertTopup } from './topups.repo.ts';

/** More than this in 24 hours is a leak, not a business. */
const maxADay = 3;
/** After a decline the next try waits a day; a second decline turns auto balance off. */
const pauseMs = 86_400_000;

export interface AutoTopupDeps {
  db: Db;
  payments: Payments;
  clock: Clock;
  logger: Logger;
  pendingLimitCents: number;
  /** Longest that a charge is at the provider. */
  claimMs: number;
}

export type AutoBalanceSetting = { enabled: true; amount: number; mark: number } | { enabled: false };

/** Tops up from the stored payment method when the spendable sum falls below the mark. */
export function createAutoTopup(deps: AutoTopupDeps) {
  const { db, payments, clock } = deps;

  async function set(scope: Scope, setting: AutoBalanceSetting): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const profile = await billingProfile(tx, scope.organisationId);
      if (setting.enabled && !profile.payment_method_id) {
        throw new AppError('unprocessable', {
          message: 'Please top up once first: auto balance uses the payment method of your last top-up.',
        });
      }
      await tx
        .updateTable('billing_profiles')
        .set({
          auto_topup: setting.enabled,
          auto_topup_declines: 0,
          auto_topup_paused_until: null,
          ...(setting.enabled
            ? { auto_topup_cents: setting.amount, auto_topup_mark_cents: setting.mark }
            : {}),
          updated_at: clock.now(),
        })
        .where('organisation_id', '=', scope.organisationId)
        .execute();
      const parts = changedParts(
        settingOf(profile),
        settingOf(await billingProfile(tx, scope.organisationId)),
      );
      if (parts) {
        const object = { objectKind: 'auto balance', object: scope.organisationId };
        await audit(tx, scope, { at: clock.now(), action: 'billing.autoBalance', ...object, ...parts });
      }
      if (setting.enabled) {
        await enqueueJob(
          tx,
          'billing.consider-auto-topup',
          { organisationId: scope.organisationId },
          {
            key: `auto-topup:${scope.organisationId}`,
          },
        );
      }
    });
  }

  /** A person tries again before the pause after a decline has ended. Says whether a top-up was made. */
  async function retry(organisationId: string): Promise<boolean> {
    const startedAt = clock.now();
    await inTransaction(db, { organisationId }, (tx) =>
      tx
        .updateTable('billing_profiles')
        .set({ auto_topup_paused_until: null, updated_at: startedAt })
        .where('organisation_id', '=', organisationId)
        .where('auto_topup', '=', true)
        .execute(),
    );
    await consider(organisationId);
    const made = await inTransaction(db, { organisationId }, (tx) =>
      tx
        .selectFrom('topups')
        .select('id')
        .where('organisation_id', '=', organisationId)
        .where('kind', '=', 'auto')
        .where('updated_at', '>=', startedAt)
        .executeTakeFirst(),
    );
    return made !== undefined;
  }

  /** Looks whether a top-up is due, and makes it. One at a time per organisation, kept by a unique index. */
  async function consider(organisationId: string): Promise<void> {
    const planned = await inTransaction(db, { organisationId }, async (tx) => {
      const intent = await plan(tx, organisationId);
      if (!intent) return null;
      const claim = claimOf(
        { db, clock, limitMs: deps.claimMs },
        { organisationId, table: 'topups', id: intent.id },
      );
      // Whoever was at it before, and may be paused, has lost it from here on.
      await claim.take(tx);
      return { intent, claim };
    }).catch((error: unknown) => {
      if (isUniqueViolation(error, 'topups_one_auto')) return null;
      throw error;
    });
    if (!planned) return;
    const { intent, claim } = planned;
    failpoint('auto-topup.planned');
    const payment = await charge(organisationId, intent, claim.fence);
    failpoint('auto-topup.charged');
    await inTransaction(db, { organisationId }, async (tx) => {
      const mine = await claim.isMine(tx);
      // What the payment is counts, whoever tells; what follows from an answer, its claim's holder does.
      if (payment) await applyPayment(tx, intent.id, payment, clock.now());
      if (!mine) return;
      if (!payment) return afterDecline(tx, organisationId, intent.id, null);
      const declined = payment.state === 'requires_payment_method' || payment.state === 'requires_action';
      if (declined) await afterDecline(tx, organisationId, intent.id, payment.failureCode);
      else
        await tx
          .updateTable('billing_profiles')
          .set({ auto_topup_declines: 0 })
          .where('organisation_id', '=', organisationId)
          .execute();
    });
  }

  /** null when the provider will not charge this method at all, e.g. one that was removed. */
  async function charge(
    organisationId: string,
    intent: { id: string; cents: number; customer: string; paymentMethod: string },
    fence: Fence,
  ): Promise<Payment | null> {
    try {
      return await payments.chargeStored(
        {
          topupId: intent.id,
          organisationId,
          customer: intent.customer,
          paymentMethod: intent.paymentMethod,
          amountCents: intent.cents,
          idempotencyKey: `topup:${intent.id}`,
        },
        fence,
      );
    } catch (error) {
      if (error instanceof PaymentRefused) return null;
      throw error;
    }
  }

  async function plan(tx: Tx, organisationId: string) {
    await billingProfile(tx, organisationId);
    // A top-up that arrives writes this row too: the sum below is read wholly before it or wholly after it.
    const profile = await tx
      .selectFrom('billing_profiles')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const now = clock.now();
    if (!profile.auto_topup || !profile.payment_customer_id || !profile.payment_method_id) return null;
    if (profile.auto_topup_paused_until && profile.auto_topup_paused_until > now) return null;
    const figures = await balances(tx, organisationId);
    if (spendableCents(figures, deps.pendingLimitCents) >= profile.auto_topup_mark_cents) return null;
    const today = await tx
      .selectFrom('topups')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('organisation_id', '=', organisationId)
      .where('kind', '=', 'auto')
      .where('created_at', '>', new Date(now.getTime() - 86_400_000))
      .executeTakeFirstOrThrow();
    if (today.count >= maxADay) {
      // Told once, not at each purchase from here on.
      await tx
        .updateTable('billing_profiles')
        .set({ auto_topup_paused_until: new Date(now.getTime() + pauseMs) })
        .where('organisation_id', '=', organisationId)
        .execute();
      await notify(
        tx,
        organisationId,
        'auto-topup-limit',
        'Auto balance topped up three times within 24 hours and pauses now.',
      );
      return null;
    }
    // A crash between this row and the charge leaves it open: it is taken up again under the same key.
    const open = await tx
      .selectFrom('topups')
      .select(['id', 'cents'])
      .where('organisation_id', '=', organisationId)
      .where('kind', '=', 'auto')
      .where('state', '=', 'requested')
      .where('payment_intent', 'is', null)
      .executeTakeFirst();
    const topup = open ?? { id: newId(now.getTime()), cents: profile.auto_topup_cents };
    if (!open) {
      await insertTopup(tx, { ...topup, organisationId, userId: null, kind: 'auto' });
      const { action, actor } = jobActions['billing.consider-auto-topup'];
      const job = { organisationId, userId: null, email: actor, ip: null };
      const object = { objectKind: 'top-up', object: topup.id };
      await audit(tx, job, { at: now, action, ...object, after: { cents: topup.cents, kind: 'auto' } });
    }
    return { ...topup, customer: profile.payment_customer_id, paymentMethod: profile.payment_method_id };
  }

  async function afterDecline(
    tx: Tx,
    organisationId: string,
    topupId: string,
    code: string | null,
  ): Promise<void> {
    const profile = await billingProfile(tx, organisationId);
    const declines = profile.auto_topup_declines + 1;
    const off = declines >= 2 || code === 'authentication_required';
    await tx
      .updateTable('billing_profiles')
      .set({
        auto_topup_declines: declines,
        auto_topup: !off,
        auto_topup_paused_until: new Date(clock.now().getTime() + pauseMs),
      })
      .where('organisation_id', '=', organisationId)
      .execute();
    await tx
      .updateTable('topups')
      .set((eb) => ({ state: 'failed', rank: 3, version: eb('version', '+', 1) }))
      .where('id', '=', topupId)
      .where('state', 'in', ['requested', 'requires_action'])
      .execute();
    await notify(
      tx,
      organisationId,
      off ? 'auto-topup-off' : 'auto-topup-declined',
      off
        ? 'Your payment method was declined or wants your confirmation. Auto balance is off; please top up by hand.'
        : 'Your payment method was declined. Auto balance tries again in 24 hours.',
    );
  }

  function notify(tx: Tx, organisationId: string, notice: string, text: string): Promise<void> {
    return enqueueJob(tx, 'billing.notify', { organisationId, notice, text });
  }

  return { set, consider, retry };
}

/** What the log says of the setting. */
function settingOf(profile: {
  auto_topup: boolean;
  auto_topup_cents: number;
  auto_topup_mark_cents: number;
}) {
  return {
    enabled: profile.auto_topup,
    amountCents: profile.auto_topup_cents,
    markCents: profile.auto_topup_mark_cents,
  };
}
