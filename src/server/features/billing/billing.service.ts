import { type Db, inReading } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { balances, spendableCents } from '../../ledger/ledger.ts';
import type { UsersApi } from '../users/index.ts';
import { createTopupAdoption } from './adopt-topup.ts';
import { type AutoTopupDeps, createAutoTopup } from './auto-topup.ts';
import { createDashboard } from './dashboard.ts';
import type { TopupDeps } from './deps.ts';
import { createPaymentAccounts, type PaymentAccountDeps } from './payment-account.ts';
import { profileSoFar } from './profile.repo.ts';
import { createSweeps } from './sweeps.ts';
import { createTopups } from './topups.service.ts';
import { createWebhooks, type EventListeners } from './webhooks.ts';

export interface BillingDeps extends TopupDeps, AutoTopupDeps, PaymentAccountDeps {
  db: Db;
  users: Pick<UsersApi, 'getProfile'>;
  /** News of connected accounts' payments, customers and methods. */
  onConnected?: EventListeners['connected'];
}

export type BillingApi = ReturnType<typeof createBilling>;

/** The prepaid balance: figures, top-ups, automatic top-ups, the provider's events. */
export function createBilling(deps: BillingDeps) {
  const topups = createTopups(deps);
  const autoTopup = createAutoTopup(deps);
  const accounts = createPaymentAccounts(deps);
  const listeners: EventListeners = { account: accounts.onEvent };
  if (deps.onConnected) listeners.connected = deps.onConnected;
  const webhooks = createWebhooks({ ...deps, topups, listeners });
  return {
    topups,
    adoptTopup: createTopupAdoption(deps.db, topups),
    accounts,
    autoTopup,
    webhooks,
    dashboard: createDashboard(deps),
    ...createSweeps({ ...deps, topups, webhooks, accounts }),
    async balance(scope: Scope) {
      const figures = await inReading(deps.db, scope, (tx) => balances(tx, scope.organisationId));
      return {
        balance: figures.balanceCents,
        pendingBalance: figures.pendingCents,
        held: figures.heldCents,
        spendable: spendableCents(figures, deps.pendingLimitCents),
      };
    },
    async account(scope: Scope) {
      const [profile, [figures, billing]] = await Promise.all([
        deps.users.getProfile(scope),
        inReading(deps.db, scope, (tx) =>
          Promise.all([balances(tx, scope.organisationId), profileSoFar(tx, scope.organisationId)]),
        ),
      ]);
      return {
        ...profile,
        balance: figures.balanceCents,
        pendingBalance: figures.pendingCents,
        hasPaymentMethod: typeof billing?.payment_method_id === 'string',
      };
    },
  };
}
