import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { parseCsr as parseCsrCall } from '#contracts/operations/certificates.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { ParsedCsr } from '../../ports/registrar.ts';
import type { CertificateReading } from './certificate-reading.ts';
import { type CsrReading, readCsr } from './csr.ts';
import type { CertificatesDeps } from './deps.ts';
import { csrDataOf } from './rows.ts';

/** A plain product, for reading a CSR before a product was chosen. */
const anyProduct = 'rapidssl';

/** What a signing request says, before it is ordered with. */
export function createCsrParsing(
  { pricing, registrar }: Pick<CertificatesDeps, 'pricing' | 'registrar'>,
  { required }: Pick<CertificateReading, 'required'>,
) {
  /** Read here, where every fault has its own words, and by the registrar, which may know more. */
  async function parseCsr(scope: Scope, body: BodyOf<typeof parseCsrCall>) {
    const row = body.opensrsorderid ? await required(scope, body.opensrsorderid) : null;
    const productType = row?.product_type ?? body.productType;
    const product = (await pricing.list()).find((entry) => entry.productType === productType);
    const reading = await readCsr(body.csr, {
      domain: row?.address ?? body.domain,
      wildcard: product?.wildcard,
    });
    const asked = await withFairnessKey(scope.organisationId, () =>
      ask(reading.pem, productType ?? anyProduct),
    );
    return { csr_data: { ...csrDataOf(reading), ...present(asked, reading) } };
  }

  async function ask(csr: string, productType: string): Promise<ParsedCsr | null> {
    try {
      return await registrar.parseCsr(csr, productType);
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

  return parseCsr;
}

/** Where the registrar names a part it counts: it is what will stand in the order. */
function present(csr: ParsedCsr | null, reading: CsrReading) {
  if (!csr) return {};
  return {
    ...(csr.domain ? { domain: csr.domain } : { domain: reading.names[0] ?? '' }),
    ...(csr.organization ? { organization: csr.organization } : {}),
    ...(csr.organizationUnit ? { organization_unit: csr.organizationUnit } : {}),
    ...(csr.state ? { state: csr.state } : {}),
    ...(csr.locality ? { locality: csr.locality } : {}),
    ...(csr.email ? { email: csr.email } : {}),
    ...(csr.country ? { country: csr.country } : {}),
  };
}
