import { X509Certificate } from 'node:crypto';
import { AppError } from '#contracts/errors.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { StoredProof } from '#kernel/db/schema.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { CertificateOrder, IssuedCertificate, RegistrarCertificates } from '../../ports/registrar.ts';
import type { Resolver } from '../../ports/resolver.ts';
import {
  type CertificatePlace,
  enqueueSync,
  type FoundCertificate,
  findById,
  updateCertificate,
} from './certificates.repo.ts';
import { noteNews } from './notices.repo.ts';
import {
  endOfOrder,
  hostNamesIn,
  isAmong,
  issuedState,
  lookOf,
  type ProofState,
  pauseMs,
  proofStateAfter,
  reissueAbsentAfterMs,
  reissueStateOf,
  runningProofState,
  wakesItself,
} from './refresh.rules.ts';
import { insertIssue, moveReissue, openReissue, type ReissueChange } from './reissues.repo.ts';
import type { ReissueRecord } from './rows.ts';

/** What of the DNS feature writes a proof into a zone that the portal manages; composed from outside. */
export type SetProof = (proof: {
  organisationId: string;
  name: string;
  type: 'TXT' | 'CNAME';
  value: string;
  instead: string | null;
  reason: string;
}) => Promise<'set' | 'not-managed' | 'no-domain'>;

export interface RefreshDeps {
  /** Work of no user: the organisation is named by the place. */
  db: Db;
  registrar: Pick<RegistrarCertificates, 'certificateOrder' | 'seekCertificateOrder' | 'certificate'>;
  resolver: Resolver;
  setProof: SetProof;
  clock: Clock;
}

/** The registrar's clock and ours, and its days without an hour, may differ by so much. */
const clockSlackMs = 86_400_000;

/**
 * Brings one certificate up to what the registrar and DNS say: state, proof, the certificate itself, and its open
 * reissue. May run twice or at once with itself: it only writes down what it has read.
 */
export function createRefresh(deps: RefreshDeps) {
  const { db, registrar, clock } = deps;

  async function refresh(place: CertificatePlace): Promise<void> {
    const row = await inTransaction(db, place, (tx) => findById(tx, place));
    if (!row?.registrar_order_id) return;
    try {
      await withFairnessKey(place.organisationId, () => bring(place, row));
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable || error instanceof UpstreamRefused)) throw error;
      // Nothing is known; it is asked again, less and less often.
      await inTransaction(db, place, (tx) => later(tx, place, row, row.sync_failures + 1));
    }
  }

  async function bring(place: CertificatePlace, row: FoundCertificate): Promise<void> {
    const look = lookOf(row.state);
    if (look === 'order') await bringOrder(place, row);
    if (look === 'running') await bringRunning(place, row);
    await inTransaction(db, place, async (tx) => {
      const after = await findById(tx, place);
      if (after) await later(tx, place, after, 0);
    });
  }

  async function bringOrder(place: CertificatePlace, row: FoundCertificate): Promise<void> {
    const order = await registrar.certificateOrder(row.registrar_order_id ?? '');
    if (!order) return;
    if (order.state === 'completed') {
      await bringIssued(place, row, order.orderId);
      return;
    }
    const proof = order.validation ?? row.proof;
    const proofState = order.state === 'awaiting-approval' ? await prove(place, row, proof) : row.proof_state;
    await inTransaction(db, place, async (tx) => {
      await updateCertificate(tx, place, {
        state: order.state,
        remark: remarkOf(order),
        ...proofSet(proof, proofState, clock.now()),
        ...(order.approverEmail ? { approver_email: order.approverEmail } : {}),
      });
      const end = endOfOrder(order.state);
      if (end.tell) {
        const serial = row.registrar_order_id ?? order.orderId;
        await noteNews(tx, place, { kind: 'declined', serial }, clock.now());
      }
      if (end.payBack) await payBack(tx, place, row, order);
    });
  }

  /** A certificate in use: replaced by the registrar, revoked, reissued, its proof gone? */
  async function bringRunning(place: CertificatePlace, row: FoundCertificate): Promise<void> {
    await bringIssued(place, row, row.issued_order_id ?? row.registrar_order_id ?? '');
    const reissue = await inTransaction(db, place, (tx) => openReissue(tx, place.certificateId));
    if (reissue) await bringReissue(place, row, reissue);
    else if (row.proof?.method === 'DNS') {
      const state = await seen(row.proof);
      await inTransaction(db, place, (tx) =>
        updateCertificate(tx, place, {
          proof_state: runningProofState(row.proof_state, state),
          proof_checked_at: clock.now(),
        }),
      );
    }
  }

  async function bringReissue(place: CertificatePlace, row: FoundCertificate, reissue: ReissueRecord) {
    const order = reissue.registrar_order_id
      ? await registrar.certificateOrder(reissue.registrar_order_id)
      : await findByTag(row, reissue);
    if (order === 'absent') await endIfAbsent(place, reissue);
    // Without an answer it stays as it is, and is asked about again.
    if (!order || order === 'absent') return;
    const state = reissueStateOf(order.state);
    const change = { registrar_order_id: order.orderId, remark: remarkOf(order), state };
    await setReissue(place, reissue, state === 'running' ? change : { ...change, ended_at: clock.now() });
    if (state === 'completed') await bringIssued(place, row, order.orderId);
    if (state !== 'running') return;
    if (order.costCents) await alertPrice(place, order);
    await proveAgain(place, row, order);
  }

  async function proveAgain(place: CertificatePlace, row: FoundCertificate, order: CertificateOrder) {
    const proof = order.validation;
    if (!proof || order.state !== 'awaiting-approval') return;
    const proofState = await prove(place, row, proof);
    await inTransaction(db, place, (tx) =>
      updateCertificate(tx, place, {
        ...proofSet(proof, proofState, clock.now()),
        ...(order.approverEmail ? { approver_email: order.approverEmail } : {}),
      }),
    );
  }

  async function findByTag(
    row: FoundCertificate,
    reissue: ReissueRecord,
  ): Promise<CertificateOrder | 'absent' | null> {
    const sought = await registrar.seekCertificateOrder({
      ...{ domain: row.address, tag: reissue.id },
      since: new Date(reissue.created_at.getTime() - clockSlackMs),
    });
    if (sought.kind === 'absent') return 'absent';
    return sought.kind === 'found' ? (sought.orders[0] ?? null) : null;
  }

  async function endIfAbsent(place: CertificatePlace, reissue: ReissueRecord): Promise<void> {
    const remark = 'The registrar never received the request.';
    const change = { state: 'declined' as const, remark, ended_at: clock.now() };
    await setReissue(place, reissue, change, reissueAbsentAfterMs);
  }

  /** `olderThanMs`: only what was intended before so long ago. */
  function setReissue(
    place: CertificatePlace,
    { id }: ReissueRecord,
    change: ReissueChange,
    olderThanMs = 0,
  ): Promise<void> {
    return inTransaction(db, place, (tx) => moveReissue(tx, clock, id, { change, olderThanMs }));
  }

  /** No command for a free reissue is documented: one that was charged after all is the operator's matter. */
  function alertPrice(place: CertificatePlace, order: CertificateOrder): Promise<void> {
    const text = `The reissue ${order.orderId} for ${order.domain} is priced at ${order.costCents} cents; it should be free.`;
    return inTransaction(db, place, (tx) =>
      enqueueJob(
        tx,
        'operator.alert',
        { kind: 'reissue charged', text },
        { key: `reissue:${order.orderId}` },
      ),
    );
  }

  async function bringIssued(place: CertificatePlace, row: FoundCertificate, orderId: string): Promise<void> {
    const issued = await registrar.certificate(orderId);
    if (!issued) return;
    await inTransaction(db, place, (tx) =>
      recordIssue(tx, place, row, { orderId, issued, now: clock.now() }),
    );
  }

  /** Writes the proof where the zone is ours; elsewhere looks whether somebody else has. */
  async function prove(
    place: CertificatePlace,
    row: FoundCertificate,
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

  async function later(
    tx: Tx,
    place: CertificatePlace,
    row: FoundCertificate,
    failures: number,
  ): Promise<void> {
    const now = clock.now();
    const waitMs = pauseMs(row, now, failures);
    const at = waitMs === null ? null : new Date(now.getTime() + waitMs);
    await updateCertificate(tx, place, {
      next_sync_at: at,
      sync_failures: failures,
      ...(failures === 0 ? { synced_at: now } : {}),
    });
    if (at && wakesItself(waitMs)) await enqueueSync(tx, place, at);
  }

  return { refresh };
}

function proofSet(proof: StoredProof | null, state: ProofState, now: Date) {
  if (!proof) return {};
  return {
    proof: JSON.stringify(proof),
    validation_method: proof.method,
    proof_state: proof.method === 'DNS' ? state : null,
    proof_checked_at: now,
  };
}

function remarkOf(order: CertificateOrder): string | null {
  return order.notes.at(-1)?.text.slice(0, 500) ?? null;
}

/** Keeps what was issued, if it is new, and makes it the running certificate. */
async function recordIssue(
  tx: Tx,
  place: CertificatePlace,
  row: FoundCertificate,
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
        }),
  });
  if (same) return;
  await insertIssue(tx, place, { serial, issued, now });
  const kind = row.serial === null ? 'issued' : 'reissued';
  await noteNews(tx, place, { kind, serial }, now);
}

/** What was paid for nothing goes back to the wallet. */
function payBack(tx: Tx, place: CertificatePlace, row: FoundCertificate, order: CertificateOrder) {
  if (!row.order_item_id) return;
  const reason = `the order was ${order.state}`;
  return enqueueJob(
    tx,
    'orders.refund-certificate',
    { organisationId: place.organisationId, itemId: row.order_item_id, reason },
    { key: `refund:${row.order_item_id}` },
  );
}
