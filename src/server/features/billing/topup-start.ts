import { AppError } from '#contracts/errors.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { topupLimits } from '#contracts/values/topup-limits.ts';
import { audit } from '#kernel/audit.ts';
import { inTransaction, type Tx } from '#kernel/db/database.ts';
import { requireOpen } from '#kernel/db/open-organisation.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { unfenced } from '#kernel/fence.ts';
import { once } from '#kernel/idempotency.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Payment } from '../../ports/payments.ts';
import { organisationName } from '../users/index.ts';
import { applyPayment } from './apply-payment.ts';
import type { TopupDeps } from './deps.ts';
import { billingProfile, storeCustomer } from './profile.repo.ts';
import { publicError } from './public-error.ts';
import { findTopup, insertTopup } from './topups.repo.ts';
import { amountProblem } from './topups.rules.ts';

export interface StartedTopup {
  intentSecret: string;
  topupId: string;
  /** Cents. */
  amount: number;
}

/** A top-up that is written down and not yet known to the provider. */
interface Planned {
  topup: { id: string; cents: number };
  /** The organisation at the provider; null before its first payment. */
  customer: string | null;
  organisation: string;
}

/** Starts a payment that the person completes in the browser: written down first, then made at the provider. */
export function createTopupStart(deps: Pick<TopupDeps, 'db' | 'payments' | 'clock' | 'publicUrl'>) {
  const { db, payments, clock } = deps;

  /** `amountUsd` is in dollars. */
  return async (scope: Scope, amountUsd: number, idempotencyKey: string | null): Promise<StartedTopup> => {
    const planned = await inTransaction(db, scope, (tx) => plan(tx, scope, amountUsd, idempotencyKey));
    const { topup } = planned;
    try {
      const payment = await make(scope, planned);
      failpoint('topup.created');
      const stored = await inTransaction(db, scope, async (tx) => {
        await applyPayment(deps, tx, topup.id, payment);
        return findTopup(tx, scope.organisationId, topup.id);
      });
      if (stored?.payment_intent !== payment.id) await refuseSecond(payment);
      return { intentSecret: payment.clientSecret, topupId: topup.id, amount: topup.cents };
    } catch (error) {
      throw publicError(error);
    }
  };

  /** The provider forgets a key after a day, long before we do, and makes another payment under it. Nobody is to pay that one. */
  async function refuseSecond({ id }: Payment): Promise<never> {
    await payments.cancelPayment(id, unfenced('ends-what-is-not-done'));
    throw new AppError('unprocessable', {
      message: 'This top-up was started earlier. Please start a new one.',
    });
  }

  async function plan(tx: Tx, scope: Scope, amountUsd: number, key: string | null): Promise<Planned> {
    const [profile, organisation] = await Promise.all([
      billingProfile(tx, scope.organisationId),
      organisationName(tx, scope.organisationId),
    ]);
    const kind = profile.initial_fee_paid ? ('manual' as const) : ('initial' as const);
    const cents = kind === 'initial' ? topupLimits.initialCents : requireAmount(amountUsd);
    const request = { operation: 'billing.topUp', key, request: { amountUsd } };
    const topup = await once(tx, scope, request, async () => {
      await requireOpen(tx, scope);
      const at = clock.now();
      const id = newId(at.getTime());
      const { organisationId, userId } = scope;
      await insertTopup(tx, { id, organisationId, userId, kind, cents });
      await audit(tx, scope, {
        ...{ at, action: 'billing.topUp', objectKind: 'top-up', object: id },
        ...{ customerId: null, after: { cents, kind } },
      });
      return { id, cents };
    });
    return { topup, customer: profile.payment_customer_id, organisation };
  }

  async function make(
    scope: Scope,
    { topup, customer, organisation }: Planned,
  ): Promise<Payment & { clientSecret: string }> {
    return payments.createTopUp(
      {
        topupId: topup.id,
        organisationId: scope.organisationId,
        customer: customer ?? (await createCustomer(scope, organisation)),
        amountCents: topup.cents,
        idempotencyKey: `topup:${topup.id}`,
      },
      unfenced('a-person-completes-it'),
    );
  }

  async function createCustomer(scope: Scope, name: string): Promise<string> {
    const { organisationId, email } = scope;
    const customer = await payments.createCustomer(
      { organisationId, email, name, idempotencyKey: `customer:${organisationId}` },
      unfenced('its-key-makes-it-once'),
    );
    await inTransaction(db, scope, (tx) => storeCustomer(tx, organisationId, customer));
    return customer;
  }
}

function requireAmount(amountUsd: number): number {
  const cents = usdToCents(amountUsd);
  const message = amountProblem(cents);
  if (message) throw new AppError('validation_failed', { message, details: [{ path: 'amount', message }] });
  return cents;
}
