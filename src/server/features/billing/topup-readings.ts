import { inReading, inTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Payment } from '../../ports/payments.ts';
import { applyPayment } from './apply-payment.ts';
import type { TopupDeps } from './deps.ts';
import { findTopup, topupNamedBy, topupOfPayment } from './topups.repo.ts';

/** Readings of one payment when others change its top-up at the same time. */
const maxReadings = 5;

/** Reads a payment at the provider and applies it, as long as nobody has applied a newer reading. */
export function createTopupReadings(
  deps: Pick<TopupDeps, 'db' | 'systemDb' | 'payments' | 'clock' | 'publicUrl'>,
) {
  const { db, systemDb, payments } = deps;

  /** Re-fetches a payment and applies it. Returns what it is, or null for one the provider does not know. */
  async function refresh(
    organisationId: string,
    topupId: string,
    paymentId: string,
  ): Promise<Payment | null> {
    for (let reading = 1; ; reading += 1) {
      const topup = await inReading(db, { organisationId }, (tx) =>
        topupNamedBy(tx, organisationId, { id: paymentId, topupId }),
      );
      const payment = await payments.payment(paymentId);
      if (!payment || !topup) return payment;
      failpoint('topup.fetched');
      const applied = await inTransaction(db, { organisationId }, (tx) =>
        applyPayment(deps, tx, topup.id, payment, topup.version),
      );
      // Somebody applied a reading that may be newer than this one.
      if (applied !== 'stale' || reading >= maxReadings) return payment;
    }
  }

  /**
   * An event named a payment. Where its top-up is known, the payment is read once, as for any refresh; where it is not, its
   * metadata says which one it is, and that same reading is applied unless another came in between.
   */
  async function refreshPayment(paymentId: string): Promise<void> {
    const known = await topupOfPayment(systemDb, paymentId);
    if (known) {
      await refresh(known.organisationId, known.topupId, paymentId);
      return;
    }
    const payment = await payments.payment(paymentId);
    if (!payment?.topupId || !payment.organisationId) return;
    const { topupId, organisationId } = payment;
    failpoint('topup.fetched');
    const applied = await inTransaction(db, { organisationId }, async (tx) => {
      const topup = await findTopup(tx, organisationId, topupId);
      if (!topup) return false;
      // Nothing was applied to it before this moment: the reading cannot be older than what is written.
      if (topup.payment_intent !== null) return 'stale';
      return applyPayment(deps, tx, topupId, payment, topup.version);
    });
    if (applied === 'stale') await refresh(organisationId, topupId, paymentId);
  }

  return { refresh, refreshPayment };
}
