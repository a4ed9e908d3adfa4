import { z } from 'zod';
import { defineOperation, noData } from '../operation.ts';

/** P1 §7: changes state through a GET, as specified; 3 an hour per customer, counted with the links (design, security). */
export const resendPaymentLink = defineOperation({
  id: 'customers.resendPaymentLink',
  method: 'GET',
  path: '/customer/resend-payment-link/:stripeId',
  summary: 'Resend the payment setup link to the customer',
  access: 'customers.billing',
  audit: 'customers.resendPaymentLink',
  params: z.object({ stripeId: z.string().regex(/^\w{1,255}$/) }),
  reply: noData,
  errors: ['not_found', 'unprocessable', 'forbidden', 'rate_limited'],
});

const tokenParams = z.object({ token: z.string().regex(/^[\w-]{43}$/) });

export const paymentSetup = z.object({
  /** `expired`: out of time, or the customer is not billed directly any more. */
  state: z.enum(['open', 'done', 'expired']),
  /** The MSP. */
  invitedBy: z.string(),
  organization: z.string(),
});
export type PaymentSetup = z.output<typeof paymentSetup>;

/** For the end customer, who has no user here: the token of the mailed link is the right to it. */
export const getPaymentSetup = defineOperation({
  id: 'direct.setup',
  method: 'GET',
  path: '/payment-setup/:token',
  summary: 'Get the purpose of a payment setup link, and whether a payment method is stored',
  access: 'public',
  params: tokenParams,
  reply: paymentSetup,
  errors: ['not_found', 'payment_failed', 'upstream_unavailable'],
  sensitive: true,
});

export const openPaymentSetup = defineOperation({
  id: 'direct.openSetup',
  method: 'POST',
  path: '/payment-setup/:token',
  summary: 'Create a session on the payment provider’s page that stores a payment method',
  access: 'public',
  audit: { none: 'Nobody is signed in. The customer opens a link that was logged when it was sent.' },
  params: tokenParams,
  reply: z.object({ url: z.url() }),
  errors: ['not_found', 'unprocessable', 'payment_failed', 'upstream_unavailable'],
  sensitive: true,
});
