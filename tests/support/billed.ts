import type { Customer } from '../../src/contracts/operations/customers.ts';
import { type Markups, noMarkups } from '../../src/contracts/values/money.ts';
import { inTransaction, type Tx } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { enqueueJob } from '../../src/server/kernel/jobs.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import type { BillingStand } from './billing-stand.ts';
import { contactsOf } from './people.ts';

const tenPercent: Markups = {
  ...noMarkups,
  domain: { purchase: { type: 'percentage', value: 10 }, renewal: { type: 'fixed', value: 2.5 } },
};

export interface Line {
  kind?: 'domain' | 'renewal' | 'transfer' | 'certificate';
  cents?: number;
  state?: 'succeeded' | 'pending' | 'declined';
}

export type Billed = ReturnType<typeof createBilled>;

/** MSPs with a payment account, customers who are billed directly, and what was bought for them. */
export function createBilled(stand: BillingStand) {
  /** An MSP whose payment account is ready. */
  async function msp(): Promise<{ scope: Scope; account: string }> {
    const scope = await stand.organisation();
    await stand.billing.accounts.setupLink(scope);
    const { id } = await stand.billing.accounts.refresh(scope);
    await stand.sandbox.control('account-finish', { account: id });
    await stand.settle();
    return { scope, account: id ?? '' };
  }

  function customerOf(scope: Scope, markups: Markups = tenPercent): Promise<Customer> {
    const billing = { billDirectly: true, email: 'pay@customer.test', allowChangeBilling: false };
    return stand.customers.create(scope, { contacts: contactsOf(), billing, markups }, null);
  }

  /** The customer stored this method on the provider's page. */
  async function storeMethod(account: string, customer: Customer, token: string): Promise<void> {
    await stand.sandbox.stripe.setupIntents.create(
      {
        customer: customer.billing.stripeId ?? '',
        payment_method: token,
        confirm: true,
        usage: 'off_session',
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      },
      { stripeAccount: account },
    );
    await stand.settle();
  }

  async function active(token = 'pm_card_visa') {
    const { scope, account } = await msp();
    const customer = await customerOf(scope);
    await storeMethod(account, customer, token);
    return { scope, account, customer };
  }

  /** An order as the engine leaves it, with the job of each item that succeeded. */
  async function bought(
    scope: Scope,
    customerId: string,
    lines: Line[],
  ): Promise<{ orderId: string; items: string[] }> {
    const orderId = newId();
    const items = lines.map(() => newId());
    const now = stand.clock.now();
    await inTransaction(stand.database.db, scope, async (tx) => {
      const open = lines.some((line) => line.state === 'pending');
      await tx
        .insertInto('orders')
        .values({
          id: orderId,
          organisation_id: scope.organisationId,
          user_id: scope.userId,
          source: 'cart',
          state: open ? 'running' : 'settled',
          total_cents: 0,
          created_at: now,
          ended_at: open ? null : now,
        })
        .execute();
      for (const [position, line] of lines.entries()) {
        await tx
          .insertInto('order_items')
          .values({
            id: items[position] ?? '',
            organisation_id: scope.organisationId,
            order_id: orderId,
            position,
            kind: line.kind ?? 'domain',
            address: `n${position}-${orderId.slice(-8)}.com`,
            customer_id: customerId,
            years: 1,
            price_cents: line.cents ?? 1200,
            cost_cents: 1000,
            details: '{}',
            state: line.state ?? 'succeeded',
            secrets_sealed: null,
            intent_hash: null,
            sent_at: null,
            unknown_since: null,
            next_check_at: null,
            registrar_order_id: null,
            expiry_year: null,
            public_error: null,
            outcome_note: null,
            updated_at: now,
          })
          .execute();
      }
      for (const [position, line] of lines.entries()) {
        if ((line.state ?? 'succeeded') === 'succeeded') await confirmed(tx, scope, items[position] ?? '');
      }
    });
    return { orderId, items };
  }

  function confirmed(tx: Tx, scope: Scope, itemId: string): Promise<void> {
    return enqueueJob(tx, 'orders.after-success', { organisationId: scope.organisationId, itemId });
  }

  const charges = async (scope: Scope) =>
    (await stand.direct.list(scope, { pageSize: 50, sort: 'createdAt' })).rows;
  async function paymentsAt(account: string) {
    return (await stand.sandbox.stripe.paymentIntents.list({ limit: 100 }, { stripeAccount: account })).data;
  }

  return { msp, customerOf, storeMethod, active, bought, confirmed, charges, paymentsAt };
}
