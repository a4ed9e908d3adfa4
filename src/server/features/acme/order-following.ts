import { X509Certificate } from 'node:crypto';
import { inOneGo, inReading } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { certificateFile } from '../certificates/index.ts';
import { endOf, type Progress } from './finalize.rules.ts';
import type { FinalizeDeps } from './finalize.ts';
import { issuedIdOf, keyDigestOf } from './issued.ts';
import type { OrderEnds } from './order-ends.ts';
import {
  completeOrder,
  type OrderOutcome,
  type OrderPlace,
  type OrderRecord,
  outcomeOf,
} from './orders.repo.ts';
import { AcmeProblem } from './problems.rules.ts';

/** Looks at what an order has become, until its certificate is there. */
export function createOrderFollowing(deps: FinalizeDeps, { later, end }: OrderEnds) {
  const { db, certificates, orders } = deps;

  /** What the order has become goes its own way; here it is looked at, and helped on where that is safe. */
  async function follow(place: OrderPlace, order: OrderRecord): Promise<OrderRecord | null> {
    const before = await inReading(db, place, (tx) => outcomeOf(tx, order));
    if (before.item?.state === 'queued' || before.item?.state === 'sending') {
      await orders.engine.advance(place.organisationId, before.item.id);
    }
    const certificateId = before.reissue?.certificate_id ?? before.certificate?.id;
    if (certificateId) await certificates.bring({ organisationId: place.organisationId, certificateId });
    const outcome = await inReading(db, place, (tx) => outcomeOf(tx, order));
    const issued = await issuedBy(order, outcome);
    const ended = endOf(progressOf(outcome, issued));
    if (ended === 'open') return later(place, order);
    if (ended instanceof AcmeProblem) return end(place, order, ended, true);
    failpoint('acme.issued');
    if (!issued || issued === 'foreign') return null;
    const completed = await inOneGo(db, place, (tx) => completeOrder(tx, order.id, issued));
    failpoint('acme.completed');
    return completed ?? null;
  }

  /** The certificate that came of it; `foreign` when it is for another key than the order's, null while it is not there. */
  async function issuedBy(order: OrderRecord, { issue: found }: OrderOutcome) {
    if (!found) return null;
    const leaf = new X509Certificate(found.certificate_pem);
    if (!order.key_digest?.equals(keyDigestOf(leaf))) {
      deps.logger.error({ acmeOrder: order.id }, 'a certificate is not for the key that its order named');
      return 'foreign' as const;
    }
    const { certificate_id: certificateId, certificate_pem: certificatePem, chain_pem: chainPem } = found;
    const file = await certificateFile('fullchain.pem', { certificatePem, chainPem: chainPem ?? '' });
    return {
      ...{ certificateId, chain: file.content.toString(), serial: found.serial },
      issuedId: (await issuedIdOf(leaf)) ?? '',
      ...{ from: new Date(leaf.validFrom), to: new Date(leaf.validTo) },
    };
  }

  return follow;
}

function progressOf(
  { reissue, item, certificate }: OrderOutcome,
  issued: object | 'foreign' | null,
): Progress {
  const issue = issued === 'foreign' ? issued : issued ? 'ours' : 'none';
  if (reissue) return { of: 'reissue', state: reissue.state, remark: reissue.remark, issue };
  const { state = 'unknown', public_error: error = null } = item ?? {};
  return { of: 'item', state, error, certificate, issue };
}
