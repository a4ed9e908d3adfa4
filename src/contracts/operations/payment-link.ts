import { z } from 'zod';
import { defineOperation, noData } from '../operation.ts';

/** P1 §7: changes state through a GET, as specified; 3 an hour per customer (design, security). */
export const resendPaymentLink = defineOperation({
  id: 'customers.resendPaymentLink',
  method: 'GET',
  path: '/customer/resend-payment-link/:stripeId',
  summary: 'Send the customer the payment setup link again',
  access: 'customers.billing',
  params: z.object({ stripeId: z.string().regex(/^\w{1,255}$/) }),
  reply: noData,
  errors: ['not_found', 'unprocessable', 'rate_limited', 'upstream_unavailable'],
  rate: 'link',
});
