import { AppError } from '#contracts/errors.ts';
import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, isUniqueViolation, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { createFence } from '#kernel/fence.ts';
import { newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { CertificateInput, RegistrarCertificates } from '../../ports/registrar.ts';
import { type CertificatePlace, enqueueSync, type FoundCertificate } from './certificates.repo.ts';
import { reissueRefusal, reissueValidation } from './reissue.rules.ts';
import {
  answerReissue,
  insertReissue,
  intentLeftMs,
  type ReissueChange,
  stateOfReissue,
} from './reissues.repo.ts';
import { lifeOf, type ReissueRecord } from './rows.ts';

export interface ReissueDeps {
  db: Db;
  registrar: Pick<RegistrarCertificates, 'orderCertificate'>;
  clock: Clock;
  /** Longest from the intent to the end of the call. */
  actMs: number;
}

export interface ReissueRequest {
  csr: string;
  automatic: boolean;
  /** The access whose machine asks for it. */
  accessId?: string | undefined;
  /** Written with the intent, and logged, by the caller. */
  intended?: (tx: Tx, reissueId: string) => Promise<void>;
  /** The portal writes the proof, however control was proven before. */
  byDns?: boolean;
}

/**
 * The next certificate of an order. Intent first, then the call, never repeated: what was not answered is found by
 * its tag (design: certificates have no natural guard against repeats).
 */
export function createReissue(deps: ReissueDeps) {
  const { db, clock } = deps;

  return async function reissue(
    row: FoundCertificate,
    given: ReissueRequest,
  ): Promise<ReissueRecord['state']> {
    const place = { organisationId: row.organisation_id, certificateId: row.id };
    requireReissuable(row, clock.now());
    const id = newId(clock.now().getTime());
    // What cannot be asked for is not intended.
    const input = inputOf(row, id, given);
    const fence = createFence({ limitMs: deps.actMs, leftMs: () => leftMs(place, id) });
    await intend(place, id, row, given);
    failpoint('reissue.intent');
    const outcome = await withFairnessKey(place.organisationId, () =>
      deps.registrar.orderCertificate(input, fence),
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
    { csr, automatic, accessId, intended }: ReissueRequest,
  ): Promise<void> {
    try {
      await inTransaction(db, place, async (tx) => {
        await insertReissue(tx, clock, place, { id, csr, automatic, accessId });
        if (intended) return intended(tx, id);
        const { action, actor } = jobActions['certificates.sweep'];
        const job = { organisationId: place.organisationId, userId: null, email: actor, ip: null };
        const object = { objectKind: 'certificate', object: row.address, customerId: row.customer_id };
        await audit(tx, job, { at: clock.now(), action, ...object, after: { reissue: id } });
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'certificate_reissues_open')) throw error;
      throw new AppError('in_progress', { message: 'A reissue of this certificate is already in progress.' });
    }
  }

  /** Until it counts as never made (`refresh.ts`), and well before. */
  async function leftMs(place: CertificatePlace, id: string): Promise<number> {
    return Math.max(0, await inReading(db, place, (tx) => intentLeftMs(tx, clock, id, deps.actMs)));
  }

  function conclude(place: CertificatePlace, id: string, change: ReissueChange): Promise<void> {
    return inTransaction(db, place, async (tx) => {
      const moved = await answerReissue(tx, id, change);
      // While this process was paused, another found no trace of it at the registrar for longer than W.
      if (!moved && change.state === 'running' && (await stateOfReissue(tx, id)) === 'declined') {
        const text = `The registrar took the reissue ${id} after it had been given up: order ${change.registrar_order_id}.`;
        await enqueueJob(tx, 'operator.alert', { kind: 'late answer', text }, { key: `late:${id}` });
      }
      await enqueueSync(tx, place, clock.now());
    });
  }
}

function requireReissuable(row: FoundCertificate, now: Date): void {
  const message = reissueRefusal(lifeOf(row, row, now), row.term_ends_at, now);
  if (message) throw new AppError('unprocessable', { message });
}

function inputOf(row: FoundCertificate, tag: string, { csr, byDns }: ReissueRequest): CertificateInput {
  // Written by the order engine from the customer's contacts as they stood then.
  const contacts = row.contacts as CertificateInput['contacts'] | null;
  if (!contacts)
    throw new AppError('unprocessable', {
      message: 'The order has no contacts. Please renew the certificate instead.',
    });
  const { address, approver_email: approverEmail } = row;
  const before = { method: row.proof?.method, approverEmail, address };
  return {
    domain: address,
    productType: row.product_type,
    csr,
    years: 1,
    ...(byDns
      ? { validation: 'DNS' as const, approverEmail: null }
      : reissueValidation(lifeOf(row, row, row.ordered_at), before)),
    contacts,
    tag,
    reissues: row.registrar_order_id ?? undefined,
  };
}
