import { AppError } from '#contracts/errors.ts';
import type { BillingAddress } from '#contracts/operations/billing.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { PaymentRefused, type Payments } from '../../ports/payments.ts';
import { profileSoFar } from './profile.repo.ts';

export interface DashboardDeps {
  db: Db;
  payments: Pick<Payments, 'dashboardLink' | 'accountStatus'>;
  clock: Clock;
}

/** The MSP's own account at the payment provider, as its profile page shows it (P1 §2, "Manage Profile"). */
export function createDashboard({ db, payments, clock }: DashboardDeps) {
  const accountOf = async (scope: Scope) =>
    (await inReading(db, scope, (tx) => profileSoFar(tx, scope.organisationId)))?.payment_account_id ?? null;

  /** The address signs its holder in. It is created on click and never stored, and the log says who asked for it. */
  async function link(scope: Scope): Promise<{ link: string }> {
    const account = await accountOf(scope);
    if (!account) throw new AppError('unprocessable', { message: 'There is no payment account yet.' });
    await inTransaction(db, scope, (tx) =>
      audit(tx, scope, {
        at: clock.now(),
        action: 'billing.dashboardLink',
        objectKind: 'payment account',
        object: account,
        customerId: null,
      }),
    );
    return { link: await asking(() => payments.dashboardLink(account)) };
  }

  async function address(scope: Scope): Promise<{ address: BillingAddress | null }> {
    const account = await accountOf(scope);
    if (!account) return { address: null };
    const { billingAddress } = await asking(() => payments.accountStatus(account));
    return {
      address: {
        name: billingAddress.name ?? '',
        line1: billingAddress.line1 ?? '',
        line2: billingAddress.line2 ?? '',
        city: billingAddress.city ?? '',
        state: billingAddress.state ?? '',
        postalCode: billingAddress.postalCode ?? '',
        country: billingAddress.country ?? '',
      },
    };
  }

  return { link, address };
}

async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PaymentRefused) {
      throw new AppError('unprocessable', { message: error.message, cause: error });
    }
    if (error instanceof UpstreamUnavailable) {
      throw new AppError('upstream_unavailable', {
        message: 'The payment provider does not answer at the moment. Please try again.',
        cause: error,
      });
    }
    throw error;
  }
}
