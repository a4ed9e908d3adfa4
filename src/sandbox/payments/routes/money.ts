import { noSuch } from '../errors.ts';
import { requireCharge } from '../objects/charges.ts';
import { closeDispute, requireDispute } from '../objects/disputes.ts';
import { createRefund, requireRefund } from '../objects/refunds.ts';
import { page, pageQuery, pathParam, type Route } from './route.ts';

export const moneyRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/v1/charges',
    handle: ({ world, account, params }) =>
      page(
        '/v1/charges',
        world.objects.list('charge', account, pageQuery(params, ['customer', 'payment_intent'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/charges/:id',
    handle: (call) => requireCharge(call.world, call.account, pathParam(call, 'id')),
  },
  {
    method: 'POST',
    pattern: '/v1/refunds',
    handle: ({ world, account, params }) => createRefund(world, account, params),
  },
  {
    method: 'GET',
    pattern: '/v1/refunds',
    handle: ({ world, account, params }) =>
      page(
        '/v1/refunds',
        world.objects.list('refund', account, pageQuery(params, ['charge', 'payment_intent'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/refunds/:id',
    handle: (call) => requireRefund(call.world, call.account, pathParam(call, 'id')),
  },
  {
    method: 'GET',
    pattern: '/v1/disputes',
    handle: ({ world, account, params }) =>
      page(
        '/v1/disputes',
        world.objects.list('dispute', account, pageQuery(params, ['charge', 'payment_intent'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/disputes/:id',
    handle: (call) => requireDispute(call.world, call.account, pathParam(call, 'id')),
  },
  {
    method: 'POST',
    pattern: '/v1/disputes/:id/close',
    handle: (call) => {
      const dispute = requireDispute(call.world, call.account, pathParam(call, 'id'));
      return closeDispute(call.world, call.account, dispute, false);
    },
  },
  {
    method: 'GET',
    pattern: '/v1/balance_transactions',
    handle: ({ world, account, params }) =>
      page(
        '/v1/balance_transactions',
        world.objects.list('balance_transaction', account, pageQuery(params, ['type', 'source'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/balance_transactions/:id',
    handle: (call) => {
      const id = pathParam(call, 'id');
      const held = call.world.objects.find('balance_transaction', call.account, id);
      if (!held) throw noSuch('balance transaction', id);
      return held.object;
    },
  },
  {
    method: 'GET',
    pattern: '/v1/application_fees',
    handle: ({ world, account, params }) =>
      page(
        '/v1/application_fees',
        world.objects.list('application_fee', account, pageQuery(params, ['charge'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/application_fees/:id',
    handle: (call) => {
      const id = pathParam(call, 'id');
      const held = call.world.objects.find('application_fee', call.account, id);
      if (!held) throw noSuch('application fee', id);
      return held.object;
    },
  },
  {
    method: 'GET',
    pattern: '/v1/mandates/:id',
    handle: (call) => {
      const id = pathParam(call, 'id');
      const held = call.world.objects.find('mandate', call.account, id);
      if (!held) throw noSuch('mandate', id);
      return held.object;
    },
  },
];
