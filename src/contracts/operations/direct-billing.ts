import { z } from 'zod';
import { defineOperation, idParams, pageQuery } from '../operation.ts';
import { chargesStopped } from '../values/direct-billing.ts';
import { usd } from '../values/money.ts';
import { oneLine } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';
import { itemKinds } from './orders.ts';

export const directChargeState = z.enum([
  'collecting',
  'sending',
  'processing',
  'succeeded',
  'failed',
  'waived',
]);

/** What an end customer is charged for one purchase (decisions no. 24). `failed` is an open receivable. */
export const directCharge = z.object({
  chargeId: z.uuid(),
  customerId: z.uuid(),
  customer: z.string(),
  orderId: z.uuid(),
  amount: usd,
  /** Refunded or taken back by the customer's bank. */
  refunded: usd,
  /** Of refunds that came back from the customer's bank: the customer does not have it. */
  returned: usd,
  /** Of what went back, what a dispute has now. */
  disputed: usd,
  /** When that dispute began, the latest one where there are several. Null: none has any of it. */
  disputedAt: z.iso.datetime().nullable(),
  /** The dispute stops every further charge of this customer until staff allow them again, or it is won. */
  stopsCharges: z.boolean(),
  /** By which disputes every further charge of this customer is stopped, this one and others. Null: by none. */
  chargesStopped: chargesStopped.nullable(),
  state: directChargeState,
  error: z.string().nullable(),
  attempts: z.int(),
  /** Null as well while charges of the customer are stopped. */
  nextTryAt: z.iso.datetime().nullable(),
  note: z.string().nullable(),
  /** The payment's id at the provider. */
  paymentId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  items: z.array(
    z.object({
      address: z.string(),
      kind: z.enum(itemKinds),
      price: usd,
      markup: usd,
      /** What goes back to the customer for an item that came to nothing. */
      refund: z
        .object({
          state: z.enum(['wanted', 'sending', 'done', 'failed', 'none']),
          amount: usd,
          error: z.string().nullable(),
        })
        .nullable(),
    }),
  ),
});
export type DirectCharge = z.output<typeof directCharge>;

export const listDirectCharges = defineOperation({
  id: 'direct.list',
  method: 'GET',
  path: '/direct-charge',
  reads: 'replica',
  summary:
    'List the charges of directly billed customers. `open=true` lists the receivables, `stopping=true` those whose dispute stops further charges',
  access: 'customers.billing',
  query: pageQuery(['createdAt', 'amount', 'customer']).extend({
    open: z.enum(['true', 'false']).optional(),
    stopping: z.enum(['true', 'false']).optional(),
    customerId: z.uuid().optional(),
    chargeId: z.uuid().optional(),
  }),
  reply: z.array(directCharge),
  paged: true,
});

export const retryDirectCharge = defineOperation({
  id: 'direct.retry',
  method: 'POST',
  path: '/direct-charge/:id/retry',
  summary: 'Retry a failed charge now',
  access: 'customers.billing',
  audit: 'direct.retry',
  params: idParams,
  reply: directCharge,
  errors: ['not_found', 'unprocessable'],
});

export const settleDirectCharge = defineOperation({
  id: 'direct.settle',
  method: 'POST',
  path: '/direct-charge/:id/settle',
  summary: 'Settle a failed charge that was paid another way or written off. It is not retried',
  access: 'customers.billing',
  audit: 'direct.settle',
  params: idParams,
  body: z.object({
    note: oneLine(mostCharacters.chargeNote).min(1, 'This field is required'),
  }),
  reply: directCharge,
  errors: ['not_found', 'unprocessable', 'validation_failed'],
});

export const releaseDirectCharge = defineOperation({
  id: 'direct.release',
  method: 'POST',
  path: '/direct-charge/:id/release',
  summary:
    'Allow automatic charges of a customer again whose dispute of this charge stopped them. Their open charges are tried now',
  access: 'customers.billing',
  audit: 'direct.release',
  params: idParams,
  /** What the person was shown: more that is disputed meanwhile, or another dispute, is not allowed unseen. */
  body: directCharge.pick({ disputed: true, disputedAt: true }),
  reply: directCharge,
  errors: ['not_found', 'unprocessable', 'conflict', 'validation_failed'],
});
export type ReleaseBody = z.output<typeof releaseDirectCharge.body>;
