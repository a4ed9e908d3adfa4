import { AppError } from '#contracts/errors.ts';
import {
  listDirectCharges,
  releaseDirectCharge,
  retryDirectCharge,
  settleDirectCharge,
} from '#contracts/operations/direct-billing.ts';
import { getPaymentSetup, openPaymentSetup, resendPaymentLink } from '#contracts/operations/payment-link.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { DirectBillingApi } from './direct-billing.service.ts';

export function directBillingRoutes(direct: DirectBillingApi): Binding[] {
  return [
    bind(resendPaymentLink, async ({ scope, params, headers }) => {
      // A GET that acts (P1 §7): no other site may make a browser send it (design, security).
      if (headers.get('sec-fetch-site') === 'cross-site') throw new AppError('forbidden');
      await direct.links.resend(scope, params.stripeId);
      return {};
    }),
    bind(getPaymentSetup, ({ params }) => direct.links.state(params.token)),
    bind(openPaymentSetup, ({ params }) => direct.links.open(params.token)),
    bind(listDirectCharges, async ({ scope, query }) => {
      const page = { ...query, page: query.page ?? 1 };
      const [open, stopping] = [flagOf(query.open), flagOf(query.stopping)];
      const found = await direct.list(scope, { ...page, open, stopping });
      return paged(found.rows, found.total, page);
    }),
    bind(retryDirectCharge, ({ scope, params }) => direct.retry(scope, params.id)),
    bind(releaseDirectCharge, ({ scope, params, body }) => direct.release(scope, params.id, body)),
    bind(settleDirectCharge, ({ scope, params, body }) => direct.settle(scope, params.id, body.note)),
  ];
}

const flagOf = (text: string | undefined) => (text === undefined ? undefined : text === 'true');
