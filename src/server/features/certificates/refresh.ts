import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { StoredProof } from '#kernel/db/schema.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { CertificateOrder, RegistrarCertificates } from '../../ports/registrar.ts';
import type { Resolver } from '../../ports/resolver.ts';
import { type CertificatePlace, enqueueSync, updateCertificate } from './certificates.repo.ts';
import { type Issue, recordIssue } from './issues.ts';
import { noteNews } from './notices.repo.ts';
import { createProofs, proofSet, type SetProof } from './proofs.ts';
import {
  endOfOrder,
  isProofUnknown,
  lookOf,
  pauseMs,
  remarkOf,
  runningProofState,
  wakesItself,
} from './refresh.rules.ts';
import { createReissueReading } from './reissue-reading.ts';
import { findPlain, openReissue, paceOf } from './reissues.repo.ts';
import type { PlainCertificate } from './rows.ts';

export interface RefreshDeps {
  /** Work of no user: the organisation is named by the place. */
  db: Db;
  registrar: Pick<RegistrarCertificates, 'certificateOrder' | 'seekCertificateOrder' | 'certificate'>;
  resolver: Resolver;
  setProof: SetProof;
  clock: Clock;
}

/**
 * Brings one certificate up to what the registrar and DNS say: state, proof, the certificate itself, and its open
 * reissue. May run twice or at once with itself: it only writes down what it has read.
 */
export function createRefresh(deps: RefreshDeps) {
  const { db, registrar, clock } = deps;
  const { prove, seen } = createProofs(deps);
  const { bringReissue } = createReissueReading({ db, registrar, clock, prove, bringIssued });

  /** `known`: as it was read a moment ago. */
  async function refresh(place: CertificatePlace, known?: PlainCertificate): Promise<void> {
    const row = known ?? (await inReading(db, place, (tx) => findPlain(tx, place, clock.now())));
    if (!row?.registrar_order_id) return;
    try {
      await withFairnessKey(place.organisationId, () => bring(place, row));
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable || error instanceof UpstreamRefused)) throw error;
      // Nothing is known; it is asked again, less and less often.
      await inTransaction(db, place, (tx) => later(tx, place, row, row.sync_failures + 1));
    }
  }

  async function bring(place: CertificatePlace, row: PlainCertificate): Promise<void> {
    const look = lookOf(row.state);
    const isPaced = look === 'order' && (await bringOrder(place, row));
    if (look === 'running') await bringRunning(place, row);
    // Also of a certificate that has expired or was revoked since: the next one is under way.
    if (row.reissueState !== null) await bringOpenReissue(place, row);
    if (!isPaced) await inTransaction(db, place, (tx) => pace(tx, place));
  }

  /** When it is looked at next. */
  async function pace(tx: Tx, place: CertificatePlace): Promise<void> {
    const after = await paceOf(tx, place);
    if (after) await later(tx, place, after, 0);
  }

  /** Whether it was paced with what was written. */
  async function bringOrder(place: CertificatePlace, row: PlainCertificate): Promise<boolean> {
    const order = await registrar.certificateOrder(row.registrar_order_id ?? '');
    if (!order) return false;
    if (order.state === 'completed') {
      return bringIssued(place, order.orderId, async (tx, issue) => {
        await recordIssue(tx, place, row, issue);
        await pace(tx, place);
      });
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
    return false;
  }

  /** A certificate in use: replaced by the registrar, revoked, its proof gone? */
  async function bringRunning(place: CertificatePlace, row: PlainCertificate): Promise<void> {
    await bringIssued(place, row.issued_order_id ?? row.registrar_order_id ?? '', (tx, issue) =>
      recordIssue(tx, place, row, issue),
    );
    if (row.reissueState !== null || row.proof?.method !== 'DNS') return;
    const state = await stateOfProof(place, row, row.proof);
    await inTransaction(db, place, (tx) =>
      updateCertificate(tx, place, { proof_state: state, proof_checked_at: clock.now() }),
    );
  }

  /** A proof that nobody knows of is written once more: the next certificate needs it too. */
  async function stateOfProof(place: CertificatePlace, row: PlainCertificate, proof: StoredProof) {
    const written = isProofUnknown(row) ? await prove(place, row, proof) : null;
    return written ?? runningProofState(row.proof_state, await seen(proof));
  }

  async function bringOpenReissue(place: CertificatePlace, row: PlainCertificate): Promise<void> {
    const reissue = await inReading(db, place, (tx) => openReissue(tx, place.certificateId, clock.now()));
    if (reissue) await bringReissue(place, row, reissue);
  }

  /** Has what the order issued written. Whether there is anything. */
  async function bringIssued(
    place: CertificatePlace,
    orderId: string,
    write: (tx: Tx, issue: Issue) => Promise<void>,
  ): Promise<boolean> {
    const issued = await registrar.certificate(orderId);
    if (!issued) return false;
    failpoint('certificate.read');
    await inTransaction(db, place, (tx) => write(tx, { orderId, issued, now: clock.now() }));
    return true;
  }

  async function later(
    tx: Tx,
    place: CertificatePlace,
    row: Parameters<typeof pauseMs>[0],
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

/** What was paid for nothing goes back to the wallet. */
function payBack(tx: Tx, place: CertificatePlace, row: PlainCertificate, order: CertificateOrder) {
  if (!row.order_item_id) return;
  const reason = `the order was ${order.state}`;
  return enqueueJob(
    tx,
    'orders.refund-certificate',
    { organisationId: place.organisationId, itemId: row.order_item_id, reason },
    { key: `refund:${row.order_item_id}` },
  );
}
