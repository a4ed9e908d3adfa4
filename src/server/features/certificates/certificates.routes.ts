import * as op from '#contracts/operations/certificates.ts';
import { type Binding, bind, FileReply, paged } from '#kernel/binding.ts';
import type { CertificatesApi } from './certificates.service.ts';

export function certificateRoutes(certificates: CertificatesApi): Binding[] {
  return [
    bind(op.listCertificatePrices, () => certificates.prices()),
    bind(op.listCertificates, async ({ scope, query }) => {
      const found = await certificates.list(scope, query);
      return paged(found.rows, found.total, query);
    }),
    bind(op.listCustomerCertificates, async ({ scope, params, query }) => {
      const found = await certificates.listForCustomer(scope, params.customerId, query);
      return paged(found.rows, found.total, query);
    }),
    bind(op.parseCsr, ({ scope, body }) => certificates.parseCsr(scope, body)),
    bind(op.getCertificate, ({ scope, params }) => certificates.watch(scope, params.orderId)),
    bind(op.listApprovers, ({ scope, params }) => certificates.approvers(scope, params.orderId)),
    bind(op.setCertificateProof, ({ scope, params, body }) =>
      certificates.setProof(scope, params.orderId, body),
    ),
    bind(op.resendApproval, ({ scope, params }) => certificates.resendApproval(scope, params.orderId)),
    bind(op.reissueCertificate, ({ scope, params, body }) =>
      certificates.reissue(scope, params.orderId, body.csr),
    ),
    bind(op.cancelCertificate, ({ scope, params }) => certificates.cancel(scope, params.orderId)),
    bind(op.revokeCertificate, ({ scope, params, body }) =>
      certificates.revoke(scope, params.orderId, body.confirm),
    ),
    bind(op.setAutoReissue, ({ scope, params, body }) =>
      certificates.setAutoReissue(scope, params.orderId, body.enabled),
    ),
    bind(op.getCertificateFile, async ({ scope, params }) => {
      const { content, type, name } = await certificates.file(scope, params.orderId, params.file);
      return new FileReply(content, type, name);
    }),
  ];
}
