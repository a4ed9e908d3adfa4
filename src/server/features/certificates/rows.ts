import type { CertificateDetail, CertificateRow } from '#contracts/operations/certificates.ts';
import { type CertificateLife, flagsOf, nextReissueAt } from '#contracts/values/certificate-life.ts';
import type { Selectable } from '#kernel/db/database.ts';
import type { CertificateReissuesTable, CertificatesTable, StoredProof } from '#kernel/db/schema.ts';
import { byAcmeOf, type Installer, isByMachine, type Reader } from './by-machine.ts';
import type { CsrReading } from './csr.ts';

export type CertificateRecord = Selectable<CertificatesTable>;
export type ReissueRecord = Selectable<CertificateReissuesTable>;

/** What a list needs beside the row itself. */
export interface Surroundings {
  customer: string;
  /** State of the open reissue. */
  reissueState: string | null;
  /** A newer certificate is issued and stands for each of its hosts. */
  renewed: boolean;
  /** When the newest renewal of it was ordered that is still open. */
  renewalOrderedAt: Date | null;
  /** Whose machine installs it. */
  installer?: Installer | null;
}

/** `byMachine`: the access by which it was asked for works, so that its machine installs what is issued. */
interface Asked {
  byMachine: boolean;
}

/** Without what only people are shown. */
export type PlainCertificate = CertificateRecord & Pick<Surroundings, 'reissueState'> & Asked;
export type OpenReissue = ReissueRecord & Asked;

/** The state as it is now: what has run out in the meantime is expired, whether or not the job has seen it. */
export function stateOf(row: Pick<CertificateRecord, 'state' | 'valid_to'>, now: Date): string {
  return row.state === 'completed' && row.valid_to && row.valid_to <= now ? 'expired' : row.state;
}

export function lifeOf(row: CertificateRecord, around: Surroundings, now: Date): CertificateLife {
  return {
    state: stateOf(row, now),
    orderedAt: row.ordered_at,
    validFrom: row.valid_from,
    validTo: row.valid_to,
    termEndsAt: row.term_ends_at,
    method: row.validation_method,
    proofState: row.proof_state,
    autoReissue: row.auto_reissue,
    reissueState: around.reissueState,
    renewed: around.renewed,
    renewalOrderedAt: around.renewalOrderedAt,
    byMachine: around.installer ? isByMachine(around.installer, now) : false,
  };
}

export function toRow(row: CertificateRecord, around: Surroundings, reader: Reader): CertificateRow {
  const { now } = reader;
  const life = lifeOf(row, around, now);
  return {
    certificateId: row.id,
    address: row.address,
    state: life.state,
    productType: row.product_type,
    provider: row.provider,
    customerId: row.customer_id,
    customer: around.customer,
    orderId: row.registrar_order_id,
    orderedAt: row.ordered_at.toISOString(),
    termEndsAt: row.term_ends_at?.toISOString() ?? null,
    validFrom: row.valid_from?.toISOString() ?? null,
    validTo: row.valid_to?.toISOString() ?? null,
    serial: row.serial,
    hostNames: row.host_names,
    nextReissueAt: nextReissueAt(life)?.toISOString() ?? null,
    reissuing: around.reissueState !== null,
    byAcme: byAcmeOf(around.installer, { ...row, state: life.state }, reader),
    flags: flagsOf(life, now),
  };
}

export interface DetailParts {
  reading: CsrReading | null;
  reissue: ReissueRecord | null;
  issues: { serial: string; valid_from: Date; valid_to: Date }[];
  wildcard: boolean;
}

export function toDetail(
  row: CertificateRecord,
  around: Surroundings,
  parts: DetailParts,
  reader: Reader,
): CertificateDetail {
  const { reading, reissue } = parts;
  return {
    ...toRow(row, around, reader),
    csr: csrOf(row, reissue),
    csrData: reading ? csrDataOf(reading) : {},
    proof: row.proof ?? emptyProof(row.validation_method),
    proofState: row.proof_state,
    proofCheckedAt: row.proof_checked_at?.toISOString() ?? null,
    approverEmail: row.approver_email,
    remark: row.remark,
    autoReissue: row.auto_reissue,
    wildcard: parts.wildcard,
    reissue: reissue && {
      orderId: reissue.registrar_order_id,
      state: reissue.state,
      automatic: reissue.automatic,
      startedAt: reissue.created_at.toISOString(),
    },
    issues: parts.issues.map((issue) => ({
      serial: issue.serial,
      validFrom: issue.valid_from.toISOString(),
      validTo: issue.valid_to.toISOString(),
    })),
  };
}

/** The request that is under way, else that of the certificate. */
export function csrOf(
  row: Pick<CertificateRecord, 'csr'>,
  reissue: Pick<ReissueRecord, 'csr'> | null,
): string {
  return (reissue ?? row).csr;
}

function emptyProof(method: string): StoredProof {
  const known = method === 'DNS' || method === 'File' ? method : 'Email';
  return {
    ...{ method: known, dnsName: null, dnsType: null, dnsValue: null },
    ...{ filePath: null, fileContent: null },
  };
}

/** Only what the CSR says: absent parts stay absent (P2 §3). */
export function csrDataOf(csr: CsrReading) {
  const parts = {
    domain: csr.names[0] ?? '',
    organization: csr.organization,
    organization_unit: csr.organizationUnit,
    state: csr.state,
    locality: csr.locality,
    email: csr.email,
    country: csr.country,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== '')) as Partial<
    typeof parts
  >;
}
