import { X509Certificate } from 'node:crypto';
import type { Tx } from '#kernel/db/database.ts';
import type { IssuedCertificate } from '../../ports/registrar.ts';
import { type CertificatePlace, updateCertificate } from './certificates.repo.ts';
import { noteNews } from './notices.repo.ts';
import { hostNamesIn, issuedState } from './refresh.rules.ts';
import { insertIssue, markIssueRevoked } from './reissues.repo.ts';
import type { OpenReissue, PlainCertificate } from './rows.ts';
import { termEndSeen } from './term.rules.ts';

/** A certificate as the registrar has it now, by the order that issued it. */
export interface Issue {
  orderId: string;
  issued: IssuedCertificate;
  now: Date;
}

/**
 * Keeps what was issued, if it is new, and makes it the running certificate. Without a reissue it says nothing of a
 * certificate that has taken the place of the one that was read.
 */
export async function recordIssue(
  tx: Tx,
  place: CertificatePlace,
  row: PlainCertificate,
  { orderId, issued, now }: Issue,
  reissue?: OpenReissue,
): Promise<void> {
  const leaf = new X509Certificate(issued.certificatePem);
  const serial = issued.serial ?? leaf.serialNumber.toLowerCase();
  const state = issuedState(issued, now);
  const same = row.serial === serial;
  const changes = {
    state,
    revoked_at: state === 'revoked' ? (same && row.revoked_at) || now : null,
    ...(same
      ? {}
      : {
          serial,
          valid_from: issued.notBefore,
          valid_to: issued.notAfter,
          certificate_pem: issued.certificatePem,
          chain_pem: issued.chainPem.join(''),
          issued_order_id: orderId,
          host_names: hostNamesIn(leaf.subjectAltName),
          downloaded_at: null,
          remark: null,
          term_ends_at: termEndSeen({ orderedAt: row.ordered_at, termEndsAt: row.term_ends_at }, issued),
        }),
  };
  if (reissue) await updateCertificate(tx, place, { ...changes, ...askedBy(reissue) });
  else await updateCertificate(tx, place, changes, row);
  if (!same) await insertIssue(tx, place, { serial, issued, orderId, now });
  if (state === 'revoked') await markIssueRevoked(tx, place.certificateId, serial, now);
  // The machine that asked for it installs it.
  if (same || (reissue ?? row).byMachine) return;
  const kind = row.serial === null ? 'issued' : 'reissued';
  await noteNews(tx, place, { kind, serial }, now);
}

/** What a certificate has of the reissue that made it: not before, because the registrar may refuse it. */
function askedBy({ csr, acme_access_id: accessId }: OpenReissue) {
  if (accessId === null) return { csr };
  // Its machine asks for the next one, with a key that only it has.
  return { csr, acme_access_id: accessId, auto_reissue: false };
}
