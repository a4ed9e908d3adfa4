import { X509Certificate } from 'node:crypto';
import type { Tx } from '#kernel/db/database.ts';
import type { IssuedCertificate } from '../../ports/registrar.ts';
import { type CertificatePlace, updateCertificate } from './certificates.repo.ts';
import { noteNews } from './notices.repo.ts';
import { hostNamesIn, issuedState } from './refresh.rules.ts';
import { insertIssue } from './reissues.repo.ts';
import type { PlainCertificate } from './rows.ts';
import { termEndSeen } from './term.rules.ts';

/** Keeps what was issued, if it is new, and makes it the running certificate. */
export async function recordIssue(
  tx: Tx,
  place: CertificatePlace,
  row: PlainCertificate,
  given: { orderId: string; issued: IssuedCertificate; now: Date },
): Promise<void> {
  const { issued, now } = given;
  const leaf = new X509Certificate(issued.certificatePem);
  const serial = issued.serial ?? leaf.serialNumber.toLowerCase();
  const state = issuedState(issued, now);
  const same = row.serial === serial;
  await updateCertificate(tx, place, {
    state,
    ...(state === 'revoked' ? { revoked_at: row.revoked_at ?? now } : {}),
    ...(same
      ? {}
      : {
          serial,
          valid_from: issued.notBefore,
          valid_to: issued.notAfter,
          certificate_pem: issued.certificatePem,
          chain_pem: issued.chainPem.join(''),
          issued_order_id: given.orderId,
          host_names: hostNamesIn(leaf.subjectAltName),
          downloaded_at: null,
          remark: null,
          term_ends_at: termEndSeen({ orderedAt: row.ordered_at, termEndsAt: row.term_ends_at }, issued),
        }),
  });
  if (same) return;
  await insertIssue(tx, place, { serial, issued, orderId: given.orderId, now });
  // The machine that asked for it installs it.
  if (row.acme_access_id !== null) return;
  const kind = row.serial === null ? 'issued' : 'reissued';
  await noteNews(tx, place, { kind, serial }, now);
}
