import * as op from '#contracts/operations/customers.ts';
import { type Binding, bind, writtenPage } from '#kernel/binding.ts';
import type { CustomersApi } from './customers.service.ts';

/** The operations of customers. */
export function customerRoutes(customers: CustomersApi): Binding[] {
  return [
    bind(op.listCustomers, async (c) => {
      const { rows, total } = await customers.list(c.scope, c.query);
      return writtenPage(`[${rows.join()}]`, total, c.query);
    }),
    bind(op.listCustomerChoices, (c) => customers.choices(c.scope)),
    bind(op.getCustomer, (c) => customers.get(c.scope, c.params.id)),
    bind(op.createCustomer, (c) => customers.create(c.scope, c.body, c.headers.idempotencyKey)),
    bind(op.updateCustomer, (c) => customers.update(c.scope, c.params.id, c.body)),
    bind(op.deleteCustomer, async (c) => {
      await customers.remove(c.scope, c.params.id);
      return {};
    }),
  ];
}
