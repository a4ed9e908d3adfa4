import { AppError } from '#contracts/errors.ts';
import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import type { Clock } from '#kernel/clock.ts';
import { claimOf } from '#kernel/db/claims.ts';
import { type Db, inReading, inTransaction, isUniqueViolation, type Tx } from '#kernel/db/database.ts';
import { isClosedOrganisation, keepAsItIs, requireOpen } from '#kernel/db/open-organisation.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Fence } from '#kernel/fence.ts';
import { newId } from '#kernel/ids.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { considerTopUp } from '../../ledger/auto-balance.ts';
import { balances, spendableCents } from '../../ledger/ledger.ts';
import { type Payment, PaymentRefused, type Payments } from '../../ports/payments.ts';
import { applyPayment } from './apply-payment.ts';
import {
  autoTopupsSince,
  endPause,
  endRefused,
  openAutoTopup,
  pauseUntil,
  storeSetting,
  wasToppedUpSince,
} from './auto-topup.repo.ts';
import {
  chargeableBy,
  countedSince,
  isBelowMark,
  isDeclined,
  limitPause,
  wantsPerson,
} from './auto-topup.rules.ts';
import { jobOf, noteDecline, notify, settingOf } from './auto-topup-outcome.ts';
import { billingProfile, lockedProfile } from './profile.repo.ts';
import { insertTopup } from './topups.repo.ts';

export interface AutoTopupDeps {
  /** Of the portal, for the links in letters. */
  publicUrl: string;
  db: Db;
  payments: Payments;
  clock: Clock;
  logger: Logger;
  pendingLimitCents: number;
  /** Longest that a charge is at the provider. */
  claimMs: number;
}

export type AutoBalanceSetting = { enabled: true; amount: number; mark: number } | { enabled: false };

interface Intent {
  id: string;
  cents: number;
  customer: string;
  paymentMethod: string;
}

/** Tops up from the stored payment method when the spendable sum falls below the mark. */
export function createAutoTopup(deps: AutoTopupDeps) {
  const { db, clock } = deps;

  async function set(scope: Scope, setting: AutoBalanceSetting): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const { organisationId } = scope;
      const before = await billingProfile(tx, organisationId);
      if (setting.enabled && !before.payment_method_id) {
        throw new AppError('unprocessable', {
          message: 'Please top up once first: auto balance uses the payment method of your last top-up.',
        });
      }
      await storeSetting(tx, organisationId, setting, clock.now());
      const parts = changedParts(settingOf(before), settingOf(await billingProfile(tx, organisationId)));
      if (parts) {
        const object = { objectKind: 'auto balance', object: organisationId, customerId: null };
        await audit(tx, scope, { at: clock.now(), action: 'billing.autoBalance', ...object, ...parts });
      }
      if (setting.enabled) await considerTopUp(tx, organisationId);
    });
  }

  /** A person tries again before the pause after a decline has ended. Says whether a top-up was made. */
  async function retry(organisationId: string): Promise<boolean> {
    const startedAt = clock.now();
    await inTransaction(db, { organisationId }, (tx) => endPause(tx, organisationId, startedAt));
    await consider(organisationId);
    return inReading(db, { organisationId }, (tx) => wasToppedUpSince(tx, organisationId, startedAt));
  }

  /** Looks whether a top-up is due, and makes it. One at a time per organisation, kept by a unique index. */
  async function consider(organisationId: string): Promise<void> {
    const planned = await inTransaction(db, { organisationId }, async (tx) => {
      await requireOpen(tx, { organisationId });
      const intent = await plan(deps, tx, organisationId);
      if (!intent) return null;
      const row = { organisationId, table: 'topups', id: intent.id } as const;
      const claim = claimOf({ db, clock, limitMs: deps.claimMs }, row);
      // From here on, the previous holder, who may be paused, has lost the claim.
      await claim.take(tx);
      return { intent, claim };
    }).catch((error: unknown) => {
      if (isUniqueViolation(error, 'topups_one_auto')) return null;
      if (error instanceof Error && isClosedOrganisation(error)) return null;
      throw error;
    });
    if (!planned) return;
    const { intent, claim } = planned;
    failpoint('auto-topup.planned');
    const payment = await charge(deps.payments, organisationId, intent, claim.fence);
    failpoint('auto-topup.charged');
    await inTransaction(db, { organisationId }, async (tx) => {
      // Before the profile, which the closing locks as well.
      await keepAsItIs(tx, { organisationId });
      await lockedProfile(tx, organisationId);
      const mine = await claim.isMine(tx);
      // The payment's own state counts, whatever its source.
      if (payment) await applyPayment(deps, tx, intent.id, payment);
      // Refused, and nothing says so of the top-up yet: that is for the holder of the claim alone.
      if (!mine || !isDeclined(payment) || !(await endRefused(tx, intent.id, clock.now()))) return;
      await noteDecline(deps, tx, organisationId, { wantsPerson: wantsPerson(payment) });
    });
  }

  return { set, consider, retry };
}

/** The top-up to make now, written down before it is made; null when none is due. */
async function plan(
  deps: Pick<AutoTopupDeps, 'clock' | 'pendingLimitCents' | 'publicUrl'>,
  tx: Tx,
  organisationId: string,
): Promise<Intent | null> {
  const { clock, pendingLimitCents } = deps;
  const profile = await lockedProfile(tx, organisationId);
  const now = clock.now();
  const stored = chargeableBy(profile, now);
  if (!stored) return null;
  if (!isBelowMark(profile, spendableCents(await balances(tx, organisationId), pendingLimitCents)))
    return null;
  // Begun before and not charged yet: it is finished, and counts once.
  const open = await openAutoTopup(tx, organisationId);
  if (open) return { ...open, ...stored };
  const pause = limitPause(await autoTopupsSince(tx, organisationId, countedSince(now)), now);
  if (pause) {
    // They hear of it once, not at each purchase from here on.
    await pauseUntil(tx, organisationId, pause.until);
    await notify(deps, tx, organisationId, 'limit');
    return null;
  }
  const topup = { id: newId(now.getTime()), cents: profile.auto_topup_cents };
  await insertTopup(tx, { ...topup, organisationId, userId: null, kind: 'auto' });
  const { action } = jobActions['billing.consider-auto-topup'];
  const object = { objectKind: 'top-up', object: topup.id, customerId: null };
  const after = { cents: topup.cents, kind: 'auto' };
  await audit(tx, jobOf(organisationId), { at: now, action, ...object, after });
  return { ...topup, ...stored };
}

/** null when the provider will not charge this method at all, e.g. one that was removed. */
async function charge(
  payments: Payments,
  organisationId: string,
  intent: Intent,
  fence: Fence,
): Promise<Payment | null> {
  const { id: topupId, customer, paymentMethod, cents: amountCents } = intent;
  try {
    return await payments.chargeStored(
      { topupId, organisationId, customer, paymentMethod, amountCents, idempotencyKey: `topup:${topupId}` },
      fence,
    );
  } catch (error) {
    if (error instanceof PaymentRefused) return null;
    throw error;
  }
}
