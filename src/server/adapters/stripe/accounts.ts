import type Stripe from 'stripe';
import type { PaymentAccount, Payments } from '../../ports/payments.ts';
import { act, askOfAccount } from './client.ts';

type Accounts = Pick<Payments, 'createAccount' | 'accountStatus' | 'accountSetupLink' | 'dashboardLink'>;

/** An organisation's own payment account: made, set up, and looked at. */
export function paymentAccounts(stripe: Stripe): Accounts {
  return {
    createAccount: (input, fence) =>
      act('create account', fence, async () => {
        const account = await stripe.v2.core.accounts.create(
          {
            contact_email: input.email,
            display_name: input.name,
            dashboard: 'express',
            configuration: { merchant: { capabilities: { card_payments: { requested: true } } } },
            defaults: {
              currency: 'usd',
              responsibilities: { fees_collector: 'application', losses_collector: 'application' },
            },
            identity: { country: 'us' },
            metadata: { organisation: input.organisationId },
          },
          { idempotencyKey: input.idempotencyKey },
        );
        return account.id;
      }),

    accountStatus: (accountId) =>
      askOfAccount('read account', async () => {
        const account = await stripe.v2.core.accounts.retrieve(accountId, {
          include: ['configuration.merchant', 'requirements', 'identity'],
        });
        return toAccount(account);
      }),

    accountSetupLink: (input) =>
      askOfAccount('account link', async () => {
        const link = await stripe.v2.core.accountLinks.create({
          account: input.accountId,
          use_case: {
            type: 'account_onboarding',
            account_onboarding: {
              refresh_url: input.refreshUrl,
              return_url: input.returnUrl,
            },
          },
        });
        return link.url;
      }),

    dashboardLink: (accountId) =>
      // There is none before the account is set up, and the provider's text says so.
      askOfAccount('dashboard link', async () => (await stripe.accounts.createLoginLink(accountId)).url, {
        tooEarly: true,
      }),
  };
}

/** The provider's account in the words of the port. */
export function toAccount(account: Stripe.V2.Core.Account): PaymentAccount {
  const merchant = account.configuration?.merchant;
  const entries = account.requirements?.entries ?? [];
  const urgent = entries.filter((entry) => {
    const status = entry.minimum_deadline?.status;
    return status === 'currently_due' || status === 'past_due';
  });
  const address = account.identity?.business_details?.address ?? account.identity?.individual?.address;
  return {
    id: account.id,
    finished: merchant?.capabilities?.card_payments?.status === 'active' && urgent.length === 0,
    requirements: urgent.map((entry) => entry.description ?? ''),
    billingAddress: {
      name: account.identity?.business_details?.registered_name ?? account.display_name ?? null,
      line1: address?.line1 ?? null,
      line2: address?.line2 ?? null,
      city: address?.city ?? null,
      state: address?.state ?? null,
      postalCode: address?.postal_code ?? null,
      country: address?.country ?? null,
    },
  };
}
