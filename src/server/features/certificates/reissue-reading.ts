import { dayMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { StoredProof } from '#kernel/db/schema.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { CertificateOrder, RegistrarCertificates } from '../../ports/registrar.ts';
import { type CertificatePlace, updateCertificate } from './certificates.repo.ts';
import { type Issue, recordIssue } from './issues.ts';
import { proofSet } from './proofs.ts';
import {
  type EndWithoutOrder,
  endWithoutOrder,
  type NoOrder,
  type ProofState,
  reissueStateOf,
  remarkOf,
} from './refresh.rules.ts';
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

/** What was found of a reissue: its order, or what stands in its place. */
type Found = { kind: 'order'; order: CertificateOrder } | NoOrder;

/** By its number. What is not there any more under its number may be there under its tag. */
async function findOrder(
  registrar: ReissueReadingDeps['registrar'],
  row: PlainCertificate,
  reissue: ReissueRecord,
): Promise<Found> {
  const orderId = reissue.registrar_order_id;
  if (orderId === null) return findByTag(registrar, row, reissue);
  const order = await registrar.certificateOrder(orderId);
  if (order) return { kind: 'order', order };
  const found = await findByTag(registrar, row, reissue);
  return found.kind === 'absent' ? { kind: 'gone', orderId } : found;
}

async function findByTag(
  registrar: ReissueReadingDeps['registrar'],
  row: PlainCertificate,
  reissue: ReissueRecord,
): Promise<Found> {
  const sought = await registrar.seekCertificateOrder({
    ...{ domain: row.address, tag: reissue.id },
    since: new Date(reissue.created_at.getTime() - clockSlackMs),
  });
  if (sought.kind === 'found') {
    const [order] = sought.orders;
    return order ? { kind: 'order', order } : { kind: 'absent' };
  }
  if (sought.kind !== 'untagged') return { kind: sought.kind };
  return { kind: 'untagged', orderIds: sought.orders.map(({ orderId }) => orderId) };
}

/** Brings an open reissue up to what the registrar says of its order, found by its tag when the answer was lost. */
export function createReissueReading(deps: ReissueReadingDeps) {
  const { db, registrar, clock } = deps;

  async function bringReissue(place: CertificatePlace, row: PlainCertificate, reissue: OpenReissue) {
    // Without an answer it stays as it is, and is asked about again.
    const found = await findOrder(registrar, row, reissue);
    if (found.kind !== 'order') return bringWithoutOrder(place, row, reissue, found);
    const { order } = found;
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

  /** It ends when it has been without an order for long enough: an open one would keep everybody from asking for another. */
  async function bringWithoutOrder(
    place: CertificatePlace,
    row: PlainCertificate,
    reissue: ReissueRecord,
    seen: NoOrder,
  ): Promise<void> {
    const had = reissue.registrar_order_id;
    // An order that had a number was there at the last look that counts.
    const since = Math.max(reissue.created_at.getTime(), had === null ? 0 : (row.synced_at?.getTime() ?? 0));
    const end = endWithoutOrder(seen, clock.now().getTime() - since);
    if (end) await endReissue(place, row, reissue, end);
    // This look does not count: since when the order is missing stays known.
    else if (had !== null) throw new UpstreamUnavailable(`registrar: order ${had} of a reissue is not there`);
  }

  async function endReissue(
    place: CertificatePlace,
    row: PlainCertificate,
    { id }: ReissueRecord,
    { remark, afterMs, alert }: EndWithoutOrder,
  ): Promise<void> {
    await inTransaction(db, place, async (tx) => {
      const change = { state: 'declined' as const, remark, ended_at: clock.now() };
      // By the database's clock, too.
      const moved = await moveReissue(tx, clock, id, { change, olderThanMs: afterMs });
      if (!moved || alert === null) return;
      const text = `The reissue ${id} of the certificate for ${row.address} was given up. ${alert}`;
      await enqueueJob(tx, 'operator.alert', { kind: 'reissue', text }, { key: `given-up:${id}` });
    });
  }

  function setReissue(
    place: CertificatePlace,
    { id }: ReissueRecord,
    change: ReissueChange,
  ): Promise<boolean> {
    return inTransaction(db, place, (tx) => moveReissue(tx, clock, id, { change, olderThanMs: 0 }));
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
