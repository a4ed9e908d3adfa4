import { AppError } from '#contracts/errors.ts';
import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { openCertificateStates } from '#contracts/values/certificate-life.ts';
import { inReading } from '#kernel/db/database.ts';
import { isLimited, type Scope } from '#kernel/scope.ts';
import { type CertificatePlace, type FoundCertificate, findByOrder, issuesOf } from './certificates.repo.ts';
import { readCsr } from './csr.ts';
import type { CertificatesDeps } from './deps.ts';
import { openReissue } from './reissues.repo.ts';
import { csrOf, toDetail } from './rows.ts';

/** A person who watches asks every few seconds; the registrar need not be asked as often by several of them. */
const watchMs = 2_000;

export const placeOf = (row: FoundCertificate): CertificatePlace => ({
  organisationId: row.organisation_id,
  certificateId: row.id,
});

export type CertificateReading = ReturnType<typeof createCertificateReading>;

/** One certificate in reach, as a person sees it. */
export function createCertificateReading(
  deps: Pick<CertificatesDeps, 'db' | 'clock' | 'pricing'>,
  refresh: (place: CertificatePlace) => Promise<void>,
) {
  const { db, clock } = deps;

  async function required(scope: Scope, orderId: string): Promise<FoundCertificate> {
    const row = await inReading(db, scope, (tx) => findByOrder(tx, scope, orderId));
    if (!row) throw new AppError('not_found');
    return row;
  }

  /** `known`: as it was read a moment ago, and nothing was done to it since. */
  async function detail(scope: Scope, orderId: string, known?: FoundCertificate): Promise<CertificateDetail> {
    const row = known ?? (await required(scope, orderId));
    return inReading(db, scope, async (tx) => {
      const [reissue = null, issues, products] = await Promise.all([
        openReissue(tx, row.id, clock.now()),
        issuesOf(tx, row.id),
        deps.pricing.list(tx),
      ]);
      const parts = {
        reading: await readCsr(csrOf(row, reissue)).catch(() => null),
        ...{ reissue, issues },
        wildcard: products.find(({ productType }) => productType === row.product_type)?.wildcard ?? false,
      };
      return toDetail(row, row, parts, { limited: isLimited(scope), now: clock.now() });
    });
  }

  /** While the order is in progress the registrar is asked again, but not for every request. */
  async function watch(scope: Scope, orderId: string): Promise<CertificateDetail> {
    const row = await required(scope, orderId);
    const open = openCertificateStates.includes(row.state) || row.reissueState !== null;
    const stale = !row.synced_at || clock.now().getTime() - row.synced_at.getTime() >= watchMs;
    if (!open || !stale) return detail(scope, orderId, row);
    await refresh(placeOf(row));
    return detail(scope, orderId);
  }

  return { required, detail, watch };
}
