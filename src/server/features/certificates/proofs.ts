import { AppError } from '#contracts/errors.ts';
import type { StoredProof } from '#kernel/db/schema.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type { CertificatePlace } from './certificates.repo.ts';
import { isAmong, type ProofState, proofStateAfter } from './refresh.rules.ts';
import type { PlainCertificate } from './rows.ts';

/** What of the DNS feature writes a proof into a zone that the portal manages; composed from outside. */
export type SetProof = (proof: {
  organisationId: string;
  name: string;
  type: 'TXT' | 'CNAME';
  value: string;
  instead: string | null;
  reason: string;
}) => Promise<'set' | 'not-managed' | 'no-domain'>;

/** Proofs of control in DNS: set where the zone is ours, looked for where it is somebody else's. */
export function createProofs(deps: { resolver: Resolver; setProof: SetProof }) {
  /** Writes the proof where the zone is ours; elsewhere looks whether somebody else has. */
  async function prove(
    place: CertificatePlace,
    row: PlainCertificate,
    proof: StoredProof | null,
  ): Promise<ProofState> {
    if (proof?.method !== 'DNS' || !proof.dnsName || !proof.dnsValue) return null;
    const kept = row.proof?.dnsName === proof.dnsName ? row.proof.dnsValue : null;
    let written: Awaited<ReturnType<SetProof>>;
    try {
      written = await deps.setProof({
        organisationId: place.organisationId,
        name: proof.dnsName,
        type: proof.dnsType ?? 'TXT',
        value: proof.dnsValue,
        instead: kept === proof.dnsValue ? null : kept,
        reason: `Proof of control for the certificate of ${row.address}`.slice(0, 200),
      });
    } catch (error) {
      // A busy or silent zone: the next round tries again.
      if (!(error instanceof AppError)) throw error;
      return row.proof_state;
    }
    return proofStateAfter(written, row.state, written === 'set' ? 'present' : await seen(proof));
  }

  async function seen(proof: StoredProof): Promise<'present' | 'missing'> {
    const { dnsName, dnsType, dnsValue } = proof;
    if (!dnsName || !dnsValue) return 'missing';
    const found = dnsType === 'CNAME' ? await deps.resolver.cname(dnsName) : await deps.resolver.txt(dnsName);
    return isAmong(found, dnsValue) ? 'present' : 'missing';
  }

  return { prove, seen };
}

/** What a certificate keeps of a proof; nothing when there is none. */
export function proofSet(proof: StoredProof | null, state: ProofState, now: Date) {
  if (!proof) return {};
  return {
    proof: JSON.stringify(proof),
    validation_method: proof.method,
    proof_state: proof.method === 'DNS' ? state : null,
    proof_checked_at: now,
  };
}
