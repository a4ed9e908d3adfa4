import { AppError } from '#contracts/errors.ts';
import { type Db, inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { ParsedCsr, Registrar } from '../../ports/registrar.ts';
import type { CustomersApi } from '../customers/index.ts';
import { type CertificateListQuery, listCertificates } from './certificates.repo.ts';
import type { CertificatePricing } from './pricing.ts';

export interface CertificatesDeps {
  db: Db;
  registrar: Pick<Registrar, 'parseCsr'>;
  pricing: CertificatePricing;
  customers: Pick<CustomersApi, 'requireVisible'>;
}

export type CertificatesApi = ReturnType<typeof createCertificates>;

/** A plain product, for reading a CSR before a product was chosen. */
const anyProduct = 'rapidssl';

export function createCertificates(deps: CertificatesDeps) {
  const { db } = deps;
  return {
    prices: () => deps.pricing.list(),
    list: (scope: Scope, query: CertificateListQuery) =>
      inTransaction(db, scope, (tx) => listCertificates(tx, scope, query)),
    listForCustomer: (scope: Scope, customerId: string, query: CertificateListQuery) =>
      inTransaction(db, scope, async (tx) => {
        await deps.customers.requireVisible(tx, scope, customerId);
        return listCertificates(tx, scope, { ...query, customerId });
      }),
    async parseCsr(scope: Scope, csr: string, orderId: string | undefined) {
      const productType = orderId ? await productOf(scope, orderId) : anyProduct;
      return { csr_data: present(await ask(csr, productType)) };
    },
  };

  async function productOf(scope: Scope, orderId: string): Promise<string> {
    const row = await inTransaction(db, scope, (tx) =>
      tx
        .selectFrom('certificates')
        .select('product_type')
        .where('organisation_id', '=', scope.organisationId)
        .where('registrar_order_id', '=', orderId)
        .executeTakeFirst(),
    );
    if (!row) throw new AppError('not_found');
    return row.product_type;
  }

  async function ask(csr: string, productType: string): Promise<ParsedCsr> {
    try {
      return await deps.registrar.parseCsr(csr, productType);
    } catch (error) {
      if (error instanceof UpstreamRefused) {
        throw new AppError('validation_failed', {
          message: error.message,
          details: [{ path: 'csr', message: error.message }],
          cause: error,
        });
      }
      if (error instanceof UpstreamUnavailable) throw new AppError('upstream_unavailable', { cause: error });
      throw error;
    }
  }
}

/** Only what the CSR says: absent parts stay absent (P2 §3). */
function present(csr: ParsedCsr) {
  return {
    ...(csr.domain ? { domain: csr.domain } : {}),
    ...(csr.organization ? { organization: csr.organization } : {}),
    ...(csr.organizationUnit ? { organization_unit: csr.organizationUnit } : {}),
    ...(csr.state ? { state: csr.state } : {}),
    ...(csr.locality ? { locality: csr.locality } : {}),
    ...(csr.email ? { email: csr.email } : {}),
    ...(csr.country ? { country: csr.country } : {}),
  };
}
