import { pause } from '#kernel/clock.ts';
import { inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { sha256 } from '#kernel/ids.ts';
import type { AcmeLogEntry } from './access.ts';
import type { OpenedByAccount } from './exchange.ts';
import { objectIn, requireAsGet } from './jws.rules.ts';
import { statusOf } from './order.rules.ts';
import { alreadyReplaced, type OrderGround, type OrdersDeps, viewOf } from './order-ground.ts';
import { type OrderRecord, startOrder } from './orders.repo.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

/** A client that finalizes is answered after so long, whatever the registrar does. */
const answerWithinMs = 2_000;
/** The process that takes a signing request also acts on it; another one looks only if it did not. */
const takenOverAfterMs = 30_000;

/** An order with its signing request, and each question how far it is (RFC 8555 7.4). */
export function createOrderProgress(deps: OrdersDeps, { required, replyOf, logRefusal }: OrderGround) {
  const { db, clock } = deps;
  const underWay = new Map<string, Promise<AcmeProblem | OrderRecord | null>>();

  const placeOf = (order: Pick<OrderRecord, 'id' | 'organisation_id'>) => ({
    organisationId: order.organisation_id,
    orderId: order.id,
  });

  async function show(opened: OpenedByAccount, orderId: string): Promise<AcmeReply> {
    requireAsGet(opened.payload);
    const order = await required(opened, orderId);
    if (order.state !== 'processing') return replyOf(200, viewOf(order));
    const ended = await advanced(opened, order);
    return replyOf(200, viewOf(ended instanceof AcmeProblem ? await required(opened, orderId) : ended));
  }

  /**
   * The order some moments later, or the problem with which it has ended by this. Goes on in this process even when the
   * client has its answer; what a crash ends here, a job takes up.
   */
  async function advanced(opened: OpenedByAccount, order: OrderRecord): Promise<AcmeProblem | OrderRecord> {
    const enough = new AbortController();
    const waited = pause(answerWithinMs, enough.signal).then(() => null);
    const ended = await Promise.race([proceeding(opened, order), waited]);
    enough.abort();
    return ended ?? required(opened, order.id);
  }

  /** A client that asks again while its order is being taken on waits for that, and begins nothing beside it. */
  function proceeding({ access }: OpenedByAccount, order: OrderRecord) {
    const running =
      underWay.get(order.id) ??
      deps.finalize
        .proceed(placeOf(order), order, access)
        .catch((error: unknown) => {
          if (error instanceof AcmeProblem) return error;
          deps.logger.error({ err: error, acmeOrder: order.id }, 'an ACME order could not be advanced');
          return null;
        })
        .finally(() => underWay.delete(order.id));
    underWay.set(order.id, running);
    return running;
  }

  async function finalize(opened: OpenedByAccount, orderId: string): Promise<AcmeReply> {
    const { access } = opened;
    const payload = objectIn(opened.payload);
    const order = await required(opened, orderId);
    const status = statusOf(viewOf(order), clock.now());
    if (status === 'invalid') {
      throw new AcmeProblem(
        'orderNotReady',
        'The order has ended. Ask for the certificate with a new order.',
      );
    }
    if (status !== 'ready') return again(order, payload.csr);
    const { names } = order;
    const entry = { event: 'finalize' as const, identifiers: names };
    let now: OrderRecord | undefined;
    try {
      const checked = await deps.checkCsr(payload.csr, names, opened);
      failpoint('acme.checked');
      now = await start(opened, order, checked, entry);
    } catch (error) {
      if (error instanceof AcmeProblem) await logRefusal(access, entry, error);
      throw error;
    }
    if (!now) return again(await required(opened, orderId), payload.csr);
    failpoint('acme.started');
    const ended = await advanced(opened, now);
    if (ended instanceof AcmeProblem) throw ended;
    return replyOf(200, viewOf(ended));
  }

  async function start(
    { access }: OpenedByAccount,
    order: OrderRecord,
    checked: Awaited<ReturnType<OrdersDeps['checkCsr']>>,
    entry: Pick<AcmeLogEntry, 'event' | 'identifiers'>,
  ): Promise<OrderRecord | undefined> {
    const now = clock.now();
    const lookAt = new Date(now.getTime() + takenOverAfterMs);
    try {
      return await inTransaction(db, access, async (tx) => {
        const started = await startOrder(tx, order.id, checked, { now, lookAt });
        const waits = { ...entry, outcome: 'waiting' as const, detail: 'The certificate was ordered.' };
        if (started) await deps.accesses.logIn(tx, access.accessId, waits);
        return started;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'acme_orders_replacing')) throw alreadyReplaced();
      throw error;
    }
  }

  /** The same request again is the same order; another one comes too late (RFC 8555 7.4). */
  function again(order: OrderRecord, csr: unknown): AcmeReply {
    const digest = typeof csr === 'string' ? sha256(Buffer.from(csr, 'base64url')) : null;
    if (!digest || !order.csr_digest?.equals(digest)) {
      throw new AcmeProblem(
        'orderNotReady',
        'The order has its signing request already. Ask for another certificate with a new order.',
      );
    }
    return replyOf(200, viewOf(order));
  }

  return { show, finalize };
}
