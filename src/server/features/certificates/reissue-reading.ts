import { dayMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { StoredProof } from '#kernel/db/schema.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { CertificateOrder, RegistrarCertificates } from '../../ports/registrar.ts';
import { type CertificatePlace, updateCertificate } from './certificates.repo.ts';
import { type Issue, recordIssue } from './issues.ts';
import { proofSet } from './proofs.ts';
import { type ProofState, reissueAbsentAfterMs, reissueStateOf, remarkOf } from './refresh.rules.ts';
import { moveReissue, type ReissueChange } from './reissues.repo.ts';
import type { OpenReissue, PlainCertificate, ReissueRecord } from './rows.ts';

export interface ReissueReadingDeps {
  db: Db;
  registrar: Pick<RegistrarCertificates, 'certificateOrder' | 'seekCertificateOrder'>;
  clock: Clock;
  prove(place: CertificatePlace, row: PlainCertificate, proof: StoredProof | null): Promise<ProofState>;
  /** Has what the order issued written, if there is anything. */
  bringIssued(
    place: CertificatePlace,
    orderId: string,
    write: (tx: Tx, issue: Issue) => Promise<void>,
  ): Promise<boolean>;
}

/** The registrar's clock and ours, and its days without an hour, may differ by so much. */
const clockSlackMs = dayMs;

/** Brings an open reissue up to what the registrar says of its order, found by its tag when the answer was lost. */
export function createReissueReading(deps: ReissueReadingDeps) {
  const { db, registrar, clock } = deps;

  async function bringReissue(place: CertificatePlace, row: PlainCertificate, reissue: OpenReissue) {
    const order = reissue.registrar_order_id
      ? await registrar.certificateOrder(reissue.registrar_order_id)
      : await findByTag(row, reissue);
    if (order === 'absent') await endIfAbsent(place, reissue);
    // Without an answer it stays as it is, and is asked about again.
    if (!order || order === 'absent') return;
    const state = reissueStateOf(order.state);
    const change = { registrar_order_id: order.orderId, remark: remarkOf(order), state };
    const ended = { ...change, ended_at: clock.now() };
    if (state === 'completed') return complete(place, row, reissue, ended);
    await setReissue(place, reissue, state === 'running' ? change : ended);
    if (state !== 'running') return;
    if (order.costCents) await alertPrice(place, order);
    await proveAgain(place, row, order);
  }

  /** With its certificate, and once: of a reissue that has ended nobody asks the registrar again. */
  async function complete(
    place: CertificatePlace,
    row: PlainCertificate,
    reissue: OpenReissue,
    change: ReissueChange & { registrar_order_id: string },
  ): Promise<void> {
    await deps.bringIssued(place, change.registrar_order_id, async (tx, issue) => {
      const moved = await moveReissue(tx, clock, reissue.id, { change, olderThanMs: 0 });
      if (moved) await recordIssue(tx, place, row, issue, reissue);
    });
  }

  async function proveAgain(place: CertificatePlace, row: PlainCertificate, order: CertificateOrder) {
    const proof = order.validation;
    if (!proof || order.state !== 'awaiting-approval') return;
    const proofState = await deps.prove(place, row, proof);
    await inTransaction(db, place, (tx) =>
      updateCertificate(tx, place, {
        ...proofSet(proof, proofState, clock.now()),
        ...(order.approverEmail ? { approver_email: order.approverEmail } : {}),
      }),
    );
  }

  async function findByTag(
    row: PlainCertificate,
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
  ): Promise<boolean> {
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

  return { bringReissue };
}
