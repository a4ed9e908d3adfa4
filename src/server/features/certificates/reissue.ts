import { AppError } from '#contracts/errors.ts';
import { jobActions } from '#contracts/values/audit-actions.ts';
import { reissuesItself } from '#contracts/values/certificate-life.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, isUniqueViolation, sql, type Tx } from '#kernel/db/database.ts';
import { leftMsOf, sharedNow } from '#kernel/db/time.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { createFence } from '#kernel/fence.ts';
import { newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { CertificateInput, Registrar } from '../../ports/registrar.ts';
import { type CertificatePlace, enqueueSync, type FoundCertificate } from './certificates.repo.ts';
import { lifeOf, type ReissueRecord } from './rows.ts';

export interface ReissueDeps {
  db: Db;
  registrar: Pick<Registrar, 'orderCertificate'>;
  clock: Clock;
  /** Longest from the intent to the end of the call. */
  actMs: number;
}

/**
 * The next certificate of an order. Intent first, then the call, never repeated: what was not answered is found by
 * its tag (design: certificates have no natural guard against repeats).
 */
export function createReissue(deps: ReissueDeps) {
  const { db, clock } = deps;

  return async function reissue(
    row: FoundCertificate,
    given: { csr: string; automatic: boolean },
  ): Promise<ReissueRecord['state']> {
    const place = { organisationId: row.organisation_id, certificateId: row.id };
    requireReissuable(row, clock.now());
    const id = newId(clock.now().getTime());
    const fence = createFence({ limitMs: deps.actMs, leftMs: () => intentLeftMs(place, id) });
    await intend(place, id, row, given);
    failpoint('reissue.intent');
    const outcome = await withFairnessKey(place.organisationId, () =>
      deps.registrar.orderCertificate(inputOf(row, id, given.csr), fence),
    );
    switch (outcome.kind) {
      case 'done':
        await conclude(place, id, { state: 'running', registrar_order_id: outcome.value.orderId });
        return 'running';
      case 'pending':
        await conclude(place, id, { state: 'running', registrar_order_id: outcome.orderId });
        return 'running';
      case 'unknown':
        await conclude(place, id, { state: 'unknown', remark: outcome.text });
        return 'unknown';
      case 'busy':
      case 'refused':
        await conclude(place, id, { state: 'declined', remark: outcome.text, ended_at: clock.now() });
        if (given.automatic) return 'declined';
        throw new AppError(outcome.kind === 'busy' ? 'upstream_unavailable' : 'registrar_refused', {
          message: outcome.text,
          error: outcome.code,
        });
    }
  };

  async function intend(
    place: CertificatePlace,
    id: string,
    row: FoundCertificate,
    given: { csr: string; automatic: boolean },
  ): Promise<void> {
    try {
      await inTransaction(db, place, async (tx) => {
        await tx
          .insertInto('certificate_reissues')
          .values({
            id,
            organisation_id: place.organisationId,
            certificate_id: place.certificateId,
            csr: given.csr,
            state: 'sending',
            registrar_order_id: null,
            automatic: given.automatic,
            remark: null,
            created_at: sharedNow(clock),
            ended_at: null,
          })
          .execute();
        // A person's reissue is logged where the person is known.
        if (!given.automatic) return;
        const { action, actor } = jobActions['certificates.sweep'];
        const job = { organisationId: place.organisationId, userId: null, email: actor, ip: null };
        const object = { objectKind: 'certificate', object: row.address, customerId: row.customer_id };
        await audit(tx, job, { at: clock.now(), action, ...object, after: { reissue: id } });
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('in_progress', { message: 'A reissue of this certificate is under way already.' });
    }
  }

  /** Until it counts as never made (`refresh.ts`), and well before. */
  async function intentLeftMs(place: CertificatePlace, id: string): Promise<number> {
    const row = await inReading(db, place, (tx) =>
      tx
        .selectFrom('certificate_reissues')
        .select(leftMsOf(clock, sql.ref('created_at'), deps.actMs).as('left'))
        .where('id', '=', id)
        .where('state', '=', 'sending')
        .executeTakeFirst(),
    );
    return Math.max(0, row?.left ?? 0);
  }

  function conclude(
    place: CertificatePlace,
    id: string,
    set: Partial<Pick<ReissueRecord, 'state' | 'registrar_order_id' | 'remark' | 'ended_at'>>,
  ): Promise<void> {
    return inTransaction(db, place, async (tx) => {
      const moved = await tx
        .updateTable('certificate_reissues')
        .set(set)
        .where('id', '=', id)
        .where('state', 'in', ['sending', 'unknown'])
        .executeTakeFirst();
      const gone = moved.numUpdatedRows === 0n && set.state === 'running' && (await wasGivenUp(tx, id));
      if (gone) {
        const text = `The registrar took the reissue ${id} after it had been given up: order ${set.registrar_order_id}.`;
        await enqueueJob(tx, 'operator.alert', { kind: 'late answer', text }, { key: `late:${id}` });
      }
      await enqueueSync(tx, place, clock.now());
    });
  }
}

/** While this process was paused, another found no trace of it at the registrar for longer than W. */
async function wasGivenUp(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('certificate_reissues')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.state === 'declined';
}

function requireReissuable(row: FoundCertificate, now: Date): void {
  const life = lifeOf(row, row, now);
  const inTerm = row.term_ends_at && row.term_ends_at > now;
  if ((life.state === 'completed' || life.state === 'expired') && inTerm) return;
  const message = inTerm
    ? 'Only a certificate that was issued can be reissued.'
    : 'The order term has ended. Renew the certificate instead.';
  throw new AppError('unprocessable', { message });
}

function inputOf(row: FoundCertificate, tag: string, csr: string): CertificateInput {
  // Written by the order engine from the customer's contacts as they stood then.
  const contacts = row.contacts as CertificateInput['contacts'] | null;
  if (!contacts)
    throw new AppError('unprocessable', { message: 'The order has no contacts; renew it instead.' });
  const automatic = reissuesItself(lifeOf(row, row, row.ordered_at));
  const method = row.proof?.method ?? 'Email';
  return {
    domain: row.address,
    productType: row.product_type,
    csr,
    years: 1,
    validation: automatic ? 'DNS' : method,
    approverEmail: method === 'Email' && !automatic ? (row.approver_email ?? `admin@${row.address}`) : null,
    contacts,
    tag,
    reissues: row.registrar_order_id ?? undefined,
  };
}
