import { noSuch } from '../errors.ts';
import { createCustomer, requireCustomer, updateCustomer } from '../objects/customers.ts';
import {
  attachMethod,
  createMethod,
  detachMethod,
  readBilling,
  requireMethod,
} from '../objects/payment-methods.ts';
import { page, pageQuery, pathParam, type Route } from './route.ts';

export const customerRoutes: Route[] = [
  {
    method: 'POST',
    pattern: '/v1/customers',
    handle: ({ world, account, params }) => createCustomer(world, account, params),
  },
  {
    method: 'GET',
    pattern: '/v1/customers',
    handle: ({ world, account, params }) =>
      page('/v1/customers', world.objects.list('customer', account, pageQuery(params, ['email']))),
  },
  {
    method: 'GET',
    pattern: '/v1/customers/:id',
    handle: (call) => requireCustomer(call.world, call.account, pathParam(call, 'id')),
  },
  {
    method: 'POST',
    pattern: '/v1/customers/:id',
    handle: (call) => {
      const customer = requireCustomer(call.world, call.account, pathParam(call, 'id'));
      return updateCustomer(call.world, call.account, customer, call.params);
    },
  },
  {
    method: 'GET',
    pattern: '/v1/customers/:id/payment_methods',
    handle: (call) => {
      const customer = requireCustomer(call.world, call.account, pathParam(call, 'id'));
      const query = pageQuery(call.params, ['type']);
      query.where = { ...query.where, customer: customer.id };
      return page(
        `/v1/customers/${customer.id}/payment_methods`,
        call.world.objects.list('payment_method', call.account, query),
      );
    },
  },
  {
    method: 'GET',
    pattern: '/v1/customers/:id/payment_methods/:method',
    handle: (call) => {
      const held = call.world.objects.find('payment_method', call.account, pathParam(call, 'method'));
      if (held?.object.customer !== pathParam(call, 'id'))
        throw noSuch('payment_method', pathParam(call, 'method'));
      return held.object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/payment_methods',
    publishable: true,
    handle: ({ world, account, params, publishable }) =>
      createMethod(world, account, params, publishable).object,
  },
  {
    method: 'GET',
    pattern: '/v1/payment_methods',
    handle: ({ world, account, params }) =>
      page(
        '/v1/payment_methods',
        world.objects.list('payment_method', account, pageQuery(params, ['customer', 'type'])),
      ),
  },
  {
    method: 'GET',
    pattern: '/v1/payment_methods/:id',
    handle: (call) => {
      const id = pathParam(call, 'id');
      const held = call.world.objects.find('payment_method', call.account, id);
      if (!held) throw noSuch('payment_method', id);
      return held.object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/payment_methods/:id',
    handle: (call) => {
      const { object } = requireMethod(call.world, call.account, pathParam(call, 'id'));
      call.params.only(['billing_details', 'metadata', 'allow_redisplay', 'expand']);
      object.metadata = call.params.metadata(object.metadata ?? {});
      const billing = call.params.object('billing_details');
      if (billing) object.billing_details = readBilling(billing);
      call.world.objects.save('payment_method', object);
      call.world.emit('payment_method.updated', object, call.account);
      return object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/payment_methods/:id/attach',
    handle: (call) => {
      call.params.only(['customer', 'expand']);
      const held = requireMethod(call.world, call.account, pathParam(call, 'id'));
      attachMethod(call.world, held, call.params.required('customer'));
      return held.object;
    },
  },
  {
    method: 'POST',
    pattern: '/v1/payment_methods/:id/detach',
    handle: (call) =>
      detachMethod(call.world, requireMethod(call.world, call.account, pathParam(call, 'id'))),
  },
];
