import type { PaymentAccountState } from '#contracts/operations/billing.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { isConnectionLoss } from '#kernel/db/connection-loss.ts';
import { type Db, inReading, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { unfenced } from '#kernel/fence.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import type { PaymentAccount, Payments } from '../../ports/payments.ts';
import { organisationName } from '../users/index.ts';
import {
  allAccounts,
  billingProfile,
  ownerOfAccount,
  profileSoFar,
  storeAccount,
  storeAccountReady,
} from './profile.repo.ts';
import { publicError } from './public-error.ts';

export interface PaymentAccountDeps {
  db: Db;
  systemDb: Db;
  payments: Payments;
  clock: Clock;
  publicUrl: string;
  logger: Logger;
}

/** The MSP's own account at the payment provider: onboarding's second step, and what customers pay into. */
export function createPaymentAccounts(deps: PaymentAccountDeps) {
  const { db, systemDb, payments, clock } = deps;

  /**
   * The hosted set-up's address, made on click: it opens once and lives minutes. Makes the account when there is none
   * yet, under a key of the organisation's, so that a repeat after a lost answer makes no second one.
   */
  async function setupLink(scope: Scope): Promise<{ link: string }> {
    const { account, name } = await inTransaction(db, scope, async (tx) => {
      const [profile, name] = await Promise.all([
        billingProfile(tx, scope.organisationId),
        organisationName(tx, scope.organisationId),
      ]);
      return { account: profile.payment_account_id, name };
    });
    try {
      const accountId = account ?? (await create(scope, name));
      const back = `${deps.publicUrl}/onboarding/2`;
      const link = await payments.accountSetupLink({
        accountId,
        returnUrl: `${back}?from=provider`,
        refreshUrl: `${back}?from=expired`,
      });
      await inTransaction(db, scope, (tx) =>
        audit(tx, scope, {
          at: clock.now(),
          action: 'billing.accountLink',
          objectKind: 'payment-account',
          object: accountId,
          customerId: null,
        }),
      );
      return { link };
    } catch (error) {
      throw publicError(error);
    }
  }

  async function create(scope: Scope, name: string): Promise<string> {
    const created = await payments.createAccount(
      {
        organisationId: scope.organisationId,
        email: scope.email,
        name,
        // Two people who click at once ask with different addresses: their keys differ, the first account stays.
        idempotencyKey: `account:${scope.organisationId}:${scope.userId}`,
      },
      unfenced('its-key-makes-it-once'),
    );
    failpoint('payment-account.created');
    return inTransaction(db, scope, (tx) => storeAccount(tx, scope.organisationId, created, clock.now()));
  }

  /** Reads the account again: coming back from the provider proves nothing. */
  async function refresh(scope: Scope): Promise<PaymentAccountState> {
    const profile = await inReading(db, scope, (tx) => profileSoFar(tx, scope.organisationId));
    const id = profile?.payment_account_id;
    if (!id) return { id: null, finishedRequirement: false, requirements: [] };
    try {
      const account = await payments.accountStatus(id);
      await record(scope.organisationId, account);
      return { id, finishedRequirement: account.finished, requirements: account.requirements };
    } catch (error) {
      throw publicError(error);
    }
  }

  /** The provider told something about an account: whatever it was, the account is read again. */
  async function onEvent(accountId: string, event: { type: string }): Promise<void> {
    const owner = await systemTransaction(systemDb, (tx) => ownerOfAccount(tx, accountId));
    if (!owner) return;
    if (event.type === 'account.application.deauthorized') {
      // From here on the provider no longer lets us read it.
      await setReady(owner, accountId, false);
      return;
    }
    await record(owner, await payments.accountStatus(accountId));
  }

  async function record(organisationId: string, account: PaymentAccount): Promise<void> {
    await setReady(organisationId, account.id, account.finished);
  }

  async function setReady(organisationId: string, accountId: string, ready: boolean): Promise<void> {
    await inTransaction(db, { organisationId }, async (tx) => {
      const changed = await storeAccountReady(tx, { organisationId, accountId, ready }, clock.now());
      if (!changed || !ready) return;
      // Customers that were saved with direct billing before there was an account to bill into.
      await enqueueJob(
        tx,
        'direct-billing.connect-all',
        { organisationId },
        { key: `connect-all:${organisationId}` },
      );
    });
  }

  /** Every account: what it is now, whatever was told of it, and then what `more` finds. One that fails stops no other. */
  async function sweep(more: (accountId: string) => Promise<unknown>): Promise<void> {
    for (const { organisationId, accountId: id } of await systemTransaction(systemDb, allAccounts)) {
      try {
        await record(organisationId, await payments.accountStatus(id));
        await more(id);
      } catch (error) {
        if (isConnectionLoss(error)) throw error;
        deps.logger.warn({ err: error, accountId: id }, 'payment account not read; the next sweep will');
      }
    }
  }

  return { setupLink, refresh, onEvent, sweep };
}
