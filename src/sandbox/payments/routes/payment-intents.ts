import { invalidParam, wrongState } from '../errors.ts';
import { refuseIfNotActive } from '../objects/accounts.ts';
import { confirmIntent } from '../objects/confirm.ts';
import {
  cancelIntent,
  createIntent,
  type IntentHeld,
  requireIntent,
  updateIntent,
} from '../objects/payment-intents.ts';
import { createMethod, type MethodHeld, requireMethod } from '../objects/payment-methods.ts';
import { type Call, checkClientSecret, page, pageQuery, pathParam, type Route } from './route.ts';

const CONFIRM_PARAMS = [
  'allowed_payment_method_types',
  'client_secret',
  'error_on_requires_action',
  'expand',
  'mandate_data',
  'off_session',
  'payment_method',
  'payment_method_data',
  'payment_method_options',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'use_stripe_sdk',
] as const;

export const paymentIntentRoutes: Route[] = [
  { method: 'POST', pattern: '/v1/payment_intents', handle: create },
  {
    method: 'GET',
    pattern: '/v1/payment_intents',
    handle: ({ world, account, params }) =>
      page(
        '/v1/payment_intents',
        world.objects.list('payment_intent', account, pageQuery(params, ['customer'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/payment_intents/:id',
    publishable: true,
    handle: (call) => {
      const held = requireIntent(call.world, call.account, pathParam(call, 'id'));
      checkClientSecret(call, held.object.client_secret);
      return held.object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/payment_intents/:id',
    handle: (call) => {
      const held = requireIntent(call.world, call.account, pathParam(call, 'id'));
      updateIntent(call.world, held, call.params);
      return held.object;
    },
  },
  { method: 'POST', pattern: '/v1/payment_intents/:id/confirm', publishable: true, handle: confirm },
  {
    method: 'POST',
    pattern: '/v1/payment_intents/:id/cancel',
    handle: (call) => {
      const held = requireIntent(call.world, call.account, pathParam(call, 'id'));
      cancelIntent(call.world, held, call.params);
      return held.object;
    },
  },
];

function create(call: Call): unknown {
  const { world, account, params } = call;
  if (params.boolean('off_session') && !params.boolean('confirm')) {
    throw invalidParam('off_session', 'off_session can only be passed when confirm is true.');
  }
  if (params.boolean('confirm')) refuseIfNotActive(world, account);
  const held = createIntent(world, account, params);
  if (params.boolean('confirm')) attempt(call, held);
  return held.object;
}

function confirm(call: Call): unknown {
  call.params.only(CONFIRM_PARAMS);
  const held = requireIntent(call.world, call.account, pathParam(call, 'id'));
  checkClientSecret(call, held.object.client_secret);
  refuseIfNotActive(call.world, call.account);
  if (call.params.has('setup_future_usage')) {
    held.object.setup_future_usage = call.params.oneOf('setup_future_usage', ['off_session', 'on_session']);
  }
  attempt(call, held);
  return held.object;
}

function attempt(call: Call, held: IntentHeld): void {
  const { world, params } = call;
  confirmIntent(world, held, methodFor(call, held), {
    offSession: params.boolean('off_session') ?? false,
    inBrowser: call.publishable || (params.boolean('use_stripe_sdk') ?? false),
    returnUrl: params.string('return_url'),
    errorOnAction: params.boolean('error_on_requires_action') ?? false,
  });
}

function methodFor(call: Call, held: IntentHeld): MethodHeld {
  const { world, account, params } = call;
  const data = params.object('payment_method_data');
  if (data) return createMethod(world, account, data, call.publishable);
  const stored = held.object.payment_method;
  const id = params.string('payment_method') ?? (typeof stored === 'string' ? stored : null);
  if (!id) {
    throw wrongState(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      'payment_intent_unexpected_state',
      { payment_intent: held.object },
    );
  }
  return requireMethod(world, account, id, 'payment_method');
}
