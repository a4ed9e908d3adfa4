import type { CertificateRow } from '#contracts/operations/certificates.ts';
import { windowOf } from '#contracts/values/renewal-window.ts';
import { sha256 } from '#kernel/ids.ts';

/** The ACME access whose machine installs a certificate, as the database has it. */
export interface Installer {
  accessId: string;
  name: string;
  /** As JSON has it. */
  lastUsedAt: string | null;
  /** By what the authority's answer names what was issued; null before that. */
  issuedId: string | null;
  /** When the access was revoked, and when it ends, as JSON has it. */
  revokedAt: string | null;
  expiresAt: string | null;
  /** The newest entry of the access's log that is about names of the certificate. */
  newest: { outcome: string; detail: string; advice: string } | null;
}

/** Between 0 and 1, the same for the same certificate, and even over all of them. */
export function shareOf(issuedId: string): number {
  return sha256(issuedId).readUInt32BE(0) / 2 ** 32;
}

/** Whether a machine still renews it: an access that has ended renews nothing. */
export function isByMachine(installer: Pick<Installer, 'revokedAt' | 'expiresAt'>, now: Date): boolean {
  const { revokedAt, expiresAt } = installer;
  return revokedAt === null && (expiresAt === null || new Date(expiresAt) > now);
}

/** Who is shown it, and when: `limited` are a customer's own users. */
export interface Reader {
  limited: boolean;
  now: Date;
}

/** When its machine was seen, when it renews next, and what failed last; null: a person installs it. */
export function byAcmeOf(
  installer: Installer | null | undefined,
  row: { state: string; valid_from: Date | null; valid_to: Date | null },
  { limited, now }: Reader,
): CertificateRow['byAcme'] {
  if (!installer || !isByMachine(installer, now)) return null;
  const { accessId, name, lastUsedAt, issuedId, newest } = installer;
  const { valid_from: validFrom, valid_to: validTo } = row;
  const renews = row.state === 'completed' && issuedId !== null && validFrom !== null && validTo !== null;
  const window = renews && windowOf({ share: shareOf(issuedId), validFrom, validTo, revoked: false }, now);
  return {
    ...{ accessId, name, problem: problemOf(newest, limited) },
    lastSeenAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
    renewsAt: window ? { from: window.start.toISOString(), to: window.end.toISOString() } : null,
  };
}

/** Staff read what they can do about it, and a customer's own users the reply that their machine received. */
function problemOf(newest: Installer['newest'], limited: boolean): string | null {
  if (newest?.outcome !== 'refused' && newest?.outcome !== 'failed') return null;
  return (!limited && newest.advice) || newest.detail;
}
