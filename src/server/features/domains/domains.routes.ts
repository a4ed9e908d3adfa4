import { listCustomerDomains, listDomains, lookupDomain } from '#contracts/operations/domains.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { DomainsApi } from './domains.service.ts';

export function domainRoutes(domains: DomainsApi): Binding[] {
  return [
    bind(listDomains, async ({ scope, query }) => {
      const found = await domains.list(scope, query);
      return paged(found.rows, found.total, query);
    }),
    bind(listCustomerDomains, async ({ scope, params, query }) => {
      const found = await domains.listForCustomer(scope, params.customerId, query);
      return paged(found.rows, found.total, query);
    }),
    bind(lookupDomain, ({ scope, params }) => domains.lookup(scope, params.address)),
  ];
}
