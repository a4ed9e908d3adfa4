import {
  listCertificatePrices,
  listCertificates,
  listCustomerCertificates,
  parseCsr,
} from '#contracts/operations/certificates.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { CertificatesApi } from './certificates.service.ts';

export function certificateRoutes(certificates: CertificatesApi): Binding[] {
  return [
    bind(listCertificatePrices, () => certificates.prices()),
    bind(listCertificates, async ({ scope, query }) => {
      const found = await certificates.list(scope, query);
      return paged(found.rows, found.total, query);
    }),
    bind(listCustomerCertificates, async ({ scope, params, query }) => {
      const found = await certificates.listForCustomer(scope, params.customerId, query);
      return paged(found.rows, found.total, query);
    }),
    bind(parseCsr, ({ scope, body }) => certificates.parseCsr(scope, body.csr, body.opensrsorderid)),
  ];
}
