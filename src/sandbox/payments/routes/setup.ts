import { wrongState } from '../errors.ts';
import { createSession, expireSession, requireSession } from '../objects/checkout.ts';
import { createMethod, requireMethod } from '../objects/payment-methods.ts';
import {
  cancelSetup,
  confirmSetup,
  createSetup,
  requireSetup,
  type SetupHeld,
} from '../objects/setup-intents.ts';
import { type Call, checkClientSecret, page, pageQuery, pathParam, type Route } from './route.ts';

export const setupRoutes: Route[] = [
  {
    method: 'POST',
    pattern: '/v1/setup_intents',
    handle: (call) => {
      const held = createSetup(call.world, call.account, call.params);
      if (call.params.boolean('confirm')) attempt(call, held);
      return held.object;
    },
  },
  {
    method: 'GET',
    pattern: '/v1/setup_intents',
    handle: ({ world, account, params }) =>
      page(
        '/v1/setup_intents',
        world.objects.list('setup_intent', account, pageQuery(params, ['customer', 'payment_method'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/setup_intents/:id',
    publishable: true,
    handle: (call) => {
      const held = requireSetup(call.world, call.account, pathParam(call, 'id'));
      checkClientSecret(call, held.object.client_secret);
      return held.object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/setup_intents/:id/confirm',
    publishable: true,
    handle: (call) => {
      const held = requireSetup(call.world, call.account, pathParam(call, 'id'));
      checkClientSecret(call, held.object.client_secret);
      attempt(call, held);
      return held.object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/setup_intents/:id/cancel',
    handle: (call) => {
      const held = requireSetup(call.world, call.account, pathParam(call, 'id'));
      cancelSetup(call.world, held);
      return held.object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/checkout/sessions',
    handle: ({ world, account, params }) => createSession(world, account, params),
  },
  {
    method: 'GET',
    pattern: '/v1/checkout/sessions',
    handle: ({ world, account, params }) =>
      page(
        '/v1/checkout/sessions',
        world.objects.list('checkout.session', account, pageQuery(params, ['customer', 'status'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/checkout/sessions/:id',
    handle: (call) => requireSession(call.world, call.account, pathParam(call, 'id')).object,
  },
  {
    method: 'POST',
    pattern: '/v1/checkout/sessions/:id/expire',
    handle: (call) => {
      const held = requireSession(call.world, call.account, pathParam(call, 'id'));
      expireSession(call.world, held);
      return held.object;
    },
  },
];

function attempt(call: Call, held: SetupHeld): void {
  const { world, account, params } = call;
  const data = params.object('payment_method_data');
  const stored = held.object.payment_method;
  const id = params.string('payment_method') ?? (typeof stored === 'string' ? stored : null);
  if (!data && !id) {
    throw wrongState(
      "You cannot confirm this SetupIntent because it's missing a payment method.",
      'setup_intent_unexpected_state',
      { setup_intent: held.object },
    );
  }
  const method = data
    ? createMethod(world, account, data, call.publishable)
    : requireMethod(world, account, id ?? '', 'payment_method');
  confirmSetup(world, held, method, {
    offSession: false,
    inBrowser: call.publishable,
    returnUrl: params.string('return_url'),
    errorOnAction: false,
  });
}
