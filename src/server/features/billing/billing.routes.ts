import {
  accountLink,
  cancelTopUp,
  dashboardLink,
  getAccount,
  getBalance,
  getBillingAddress,
  getTopUp,
  paymentWebhook,
  refreshPaymentAccount,
  setAutoBalance,
  topUp,
} from '#contracts/operations/billing.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { BillingApi } from './billing.service.ts';

export function billingRoutes(billing: BillingApi): Binding[] {
  return [
    bind(getBalance, ({ scope }) => billing.balance(scope)),
    bind(getAccount, ({ scope }) => billing.account(scope)),
    bind(dashboardLink, ({ scope }) => billing.dashboard.link(scope)),
    bind(getBillingAddress, ({ scope }) => billing.dashboard.address(scope)),
    bind(accountLink, ({ scope }) => billing.accounts.setupLink(scope)),
    bind(refreshPaymentAccount, ({ scope }) => billing.accounts.refresh(scope)),
    bind(topUp, ({ scope, body, headers }) =>
      billing.topups.start(scope, body.amount, headers.idempotencyKey),
    ),
    bind(getTopUp, ({ scope, params }) => billing.topups.status(scope, params.id)),
    bind(cancelTopUp, ({ scope, params }) => billing.topups.cancel(scope, params.id)),
    bind(setAutoBalance, async ({ scope, body }) => {
      await billing.autoTopup.set(scope, body);
      return {};
    }),
    bind(paymentWebhook, async ({ rawBody, headers }) => {
      await billing.webhooks.receive(rawBody, headers.get('stripe-signature') ?? '');
      return { received: true };
    }),
  ];
}
