import { X509Certificate } from 'node:crypto';
import { AppError } from '#contracts/errors.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Logger } from '#kernel/logger.ts';
import { type CertificatePricing, certificateFile, type MachineCertificates } from '../certificates/index.ts';
import { lineOf, type OrdersApi, requestOf } from '../orders/index.ts';
import { mayBuy } from './access.rules.ts';
import type { AcmeAccess, AcmeAccesses } from './access.ts';
import { lockAccess } from './access-log.repo.ts';
import {
  balanceShort,
  type Decision,
  decide,
  type EndingTerm,
  endOf,
  lookAgainMs,
  notSold,
  type Progress,
  person,
  refusalToBuy,
  waitedTooLong,
} from './finalize.rules.ts';
import { issuedIdOf, keyDigestOf } from './issued.ts';
import { machineScope } from './machine-scope.ts';
import { problemsOfNames } from './names-check.ts';
import { addressOf, type Product, problemsOfSet, refusalOf } from './order.rules.ts';
import {
  becomePurchase,
  becomeReissue,
  completeOrder,
  endAcmeOrder,
  findAcmeOrder,
  issueOf,
  lookAgainAt,
  type OrderOutcome,
  type OrderPlace,
  type OrderRecord,
  outcomeOf,
  spentThisMonth,
} from './orders.repo.ts';
import { AcmeProblem, documentOf } from './problems.rules.ts';
import type { Refusals } from './refusals.ts';
import { standingOf, wasNotRenewed } from './standing.repo.ts';

export interface FinalizeDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  accesses: AcmeAccesses;
  certificates: MachineCertificates;
  pricing: CertificatePricing;
  orders: Pick<OrdersApi, 'place' | 'engine'>;
  refusals: Refusals;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
}

/** Something else has been done for the same name meanwhile, or is being done: it is decided again. */
class Overtaken extends Error {}

/** The order has become something meanwhile, by another process. */
class Moved extends Error {}

/** Answers that leave it open what has become of the call; the engine and the jobs find out. */
const openCodes: readonly string[] = [
  'in_progress',
  'upstream_unavailable',
  'outcome_unknown',
  'unavailable',
];

/**
 * Takes orders that have their signing request to their end: a reissue inside a paid term, a purchase, or a refusal that
 * a person hears of. Each step is one conditional statement, so that any process may take it at any time, and twice.
 */
export function createFinalize(deps: FinalizeDeps) {
  const { db, clock, accesses, certificates, pricing, orders } = deps;

  const read = (place: OrderPlace) => inReading(db, place, (tx) => findAcmeOrder(tx, place.orderId));

  /** Takes an order as far as it goes now. Throws the problem with which it has ended, if it ends by this. */
  async function advance(place: OrderPlace): Promise<void> {
    const order = await read(place);
    if (order?.state !== 'processing') return;
    const became = order.reissue_id !== null || order.order_item_id !== null;
    if (!became) await start(place, order);
    else await follow(place, order);
  }

  async function start(place: OrderPlace, order: OrderRecord): Promise<void> {
    const access = await accesses.findById(order.access_id);
    if (access?.state !== 'active') return end(place, order, endedAccess(), false);
    const product = await productOf(access.productId);
    if (!product) {
      return end(place, order, notSold(), false);
    }
    const decision = await inReading(db, place, async (tx) => {
      const hindrance = await hindranceOf(tx, { order, access, product });
      return hindrance ?? decisionOf(tx, { order, product });
    });
    if (decision instanceof AcmeProblem) return end(place, order, decision, false);
    failpoint('acme.decided');
    await carryOut(place, { order, access, product, decision });
  }

  /** Names that the access cannot have (any more), or that its product does not cover. */
  async function hindranceOf(tx: Tx, { order, access, product }: Started): Promise<AcmeProblem | null> {
    const problems = await problemsOfNames(tx, access, order.names, deps.nameservers);
    const unfit = [...problems, ...problemsOfSet(order.names, product)];
    return unfit.length > 0 ? refusalOf(unfit) : null;
  }

  async function decisionOf(
    tx: Tx,
    { order, product }: Pick<Started, 'order' | 'product'>,
    ownItemId?: string,
  ): Promise<Decision> {
    const wanted = { address: addressOf(order.names), productType: product.productType };
    const known = await standingOf(tx, order, ownItemId ? { ...wanted, besides: ownItemId } : wanted);
    const certificates = known.certificates.map((row) => ({
      ...{ id: row.id, state: row.state, hostNames: row.host_names, reissuing: row.reissuing },
      ...{ validTo: row.valid_to, termEndsAt: row.term_ends_at },
      ...{ registrarOrderId: row.registrar_order_id, byMachine: row.acme_access_id !== null },
    }));
    return decide(order.names, { buying: known.buying, certificates }, clock.now());
  }

  /**
   * The access as it is where something becomes of the order. What was decided before may be out of date: a person may
   * have revoked the access, or given the domain away.
   */
  async function lockedAccess(tx: Tx, started: Started): Promise<AcmeAccess> {
    const access = await accesses.lock(tx, started.order.access_id);
    if (access?.state !== 'active') throw endedAccess();
    if (access.productId !== started.product.productType) throw new Overtaken();
    const hindrance = await hindranceOf(tx, { ...started, access });
    if (hindrance) throw hindrance;
    return access;
  }

  async function carryOut(
    place: OrderPlace,
    { order, access, product, decision }: Started & { decision: Decision },
  ): Promise<void> {
    if (decision.kind === 'wait') return wait(place, order, decision.on);
    if (decision.kind === 'reissue')
      return reissue(place, { order, access, product }, decision.certificateId);
    try {
      await buy(place, { order, access, product }, decision.ending);
    } catch (error) {
      if (error instanceof Overtaken) return later(place, order);
      if (error instanceof Moved) return;
      const problem = problemOf(order, error);
      if (!problem) return later(place, order);
      // What is left of the paid term is better than nothing, and the person hears of the refusal all the same.
      const { ending } = decision;
      if (!ending?.lengthens) return end(place, order, problem, false);
      await inTransaction(db, place, (tx) => deps.refusals.tell(tx, order, problem));
      await reissue(place, { order, access, product }, ending.certificateId);
    }
  }

  function wait(place: OrderPlace, order: OrderRecord, on: 'machine' | 'person'): Promise<void> {
    const since = { names: order.names, createdAt: order.created_at };
    const problem = waitedTooLong(since, on, clock.now());
    return problem ? end(place, order, problem, false) : later(place, order);
  }

  async function reissue(place: OrderPlace, started: Started, certificateId: string): Promise<void> {
    const { order } = started;
    const scope = machineScope(place.organisationId);
    try {
      await certificates.reissue(
        { organisationId: place.organisationId, certificateId },
        {
          ...{ csr: order.csr ?? '', accessId: order.access_id },
          intended: async (tx, reissueId) => {
            await lockedAccess(tx, started);
            if (!(await becomeReissue(tx, order.id, { reissueId, certificateId }))) throw new Moved();
            await lookAgainAt(tx, order.id, new Date(clock.now().getTime() + lookAgainMs(0)));
            await audit(tx, scope, {
              ...{ at: clock.now(), action: 'certificates.reissue', objectKind: 'certificate' },
              ...{ object: addressOf(order.names), customerId: order.customer_id },
              after: { reissue: reissueId, acmeOrder: order.id },
            });
          },
        },
      );
    } catch (error) {
      if (error instanceof Overtaken) return later(place, order);
      if (error instanceof Moved) return;
      const problem = problemOf(order, error);
      if (!problem) return later(place, order);
      await end(place, order, problem, false);
    }
    failpoint('acme.reissued');
  }

  /**
   * The order engine's purchase, with the access's limits judged where the money is held. A term that is about to end is
   * renewed, so that what is left of it is not lost, unless the registrar has refused to.
   */
  async function buy(place: OrderPlace, started: Started, ending: EndingTerm | null): Promise<void> {
    const { order, product } = started;
    const scope = machineScope(place.organisationId);
    const { names } = order;
    const { priceCents } = await pricing.price(product.productType, 1);
    const renewsOrderId = ending && (await renewable(place, ending.registrarOrderId));
    const line = lineOf({
      ...{ kind: 'certificate' as const, address: addressOf(names), customerId: order.customer_id },
      certificate: {
        ...{ provider: product.provider, productType: product.productType, csr: order.csr ?? '' },
        ...{ validation: 'DNS' as const, approverEmail: null, acmeAccessId: order.access_id },
        ...(renewsOrderId === null
          ? { regType: 'new' as const }
          : { regType: 'renew' as const, renewsOrderId }),
      },
    });
    const placed = await orders.place(scope, requestOf([line], priceCents), `acme:${order.id}`, {
      source: 'acme',
      also: async (tx, { itemIds, totalCents }) => {
        const [itemId] = itemIds;
        if (itemId === undefined) throw new Overtaken();
        const access = await lockedAccess(tx, started);
        // While prices were asked, another order may have been bought, and issued, for the same name.
        if ((await decisionOf(tx, started, itemId)).kind !== 'buy') throw new Overtaken();
        const spent = await spentThisMonth(tx, order.access_id, clock.now());
        const refusal = refusalToBuy(mayBuy(access, totalCents, spent), names);
        if (refusal) throw refusal;
        const became = await becomePurchase(tx, order.id, { itemId, cents: totalCents, now: clock.now() });
        if (!became) throw new Moved();
      },
    });
    failpoint('acme.bought');
    for (const itemId of placed.itemIds) await orders.engine.advance(place.organisationId, itemId);
  }

  async function renewable(place: OrderPlace, registrarOrderId: string): Promise<string | null> {
    const refused = await inReading(db, place, (tx) => wasNotRenewed(tx, place, registrarOrderId));
    return refused ? null : registrarOrderId;
  }

  /** What the order has become goes its own way; here it is looked at, and helped on where that is safe. */
  async function follow(place: OrderPlace, order: OrderRecord): Promise<void> {
    const before = await inReading(db, place, (tx) => outcomeOf(tx, order));
    if (before.item?.state === 'queued' || before.item?.state === 'sending') {
      await orders.engine.advance(place.organisationId, before.item.id);
    }
    const certificateId = before.reissue?.certificate_id ?? before.certificate?.id;
    if (certificateId) await certificates.bring({ organisationId: place.organisationId, certificateId });
    const outcome = await inReading(db, place, (tx) => outcomeOf(tx, order));
    const issued = await issuedBy(place, order, outcome);
    const ended = endOf(progressOf(outcome, issued));
    if (ended === 'open') return later(place, order);
    if (ended instanceof AcmeProblem) return end(place, order, ended, true);
    failpoint('acme.issued');
    if (!issued || issued === 'foreign') return;
    await inTransaction(db, place, (tx) => completeOrder(tx, order.id, issued));
    failpoint('acme.completed');
  }

  /** The certificate that came of it; `foreign` when it is for another key than the order's, null while it is not there. */
  async function issuedBy(place: OrderPlace, order: OrderRecord, outcome: OrderOutcome) {
    const { reissue, certificate } = outcome;
    const certificateId = reissue?.certificate_id ?? certificate?.id;
    const registrarOrderId = reissue?.registrar_order_id ?? certificate?.registrar_order_id;
    if (!certificateId || !registrarOrderId) return null;
    const found = await inReading(db, place, (tx) => issueOf(tx, certificateId, registrarOrderId));
    if (!found) return null;
    const leaf = new X509Certificate(found.certificate_pem);
    if (!order.key_digest?.equals(keyDigestOf(leaf))) {
      deps.logger.error({ acmeOrder: order.id }, 'a certificate is not for the key that its order named');
      return 'foreign' as const;
    }
    const { certificate_pem: certificatePem, chain_pem: chainPem } = found;
    const file = await certificateFile('fullchain.pem', { certificatePem, chainPem: chainPem ?? '' });
    return {
      ...{ certificateId, chain: file.content.toString(), serial: found.serial },
      issuedId: (await issuedIdOf(certificatePem)) ?? '',
      ...{ from: new Date(leaf.validFrom), to: new Date(leaf.validTo) },
    };
  }

  async function productOf(productType: string): Promise<Product | undefined> {
    return (await pricing.list()).find((entry) => entry.productType === productType);
  }

  function later(place: OrderPlace, order: OrderRecord): Promise<void> {
    const at = new Date(clock.now().getTime() + lookAgainMs(order.looks));
    return inTransaction(db, place, (tx) => lookAgainAt(tx, order.id, at));
  }

  /** Ends the order, and sees to it that a person hears why. */
  async function end(
    place: OrderPlace,
    order: OrderRecord,
    problem: AcmeProblem,
    became: boolean,
  ): Promise<void> {
    const ended = await inTransaction(db, place, async (tx) => {
      // In the order of all that writes both: the access, then the order.
      await lockAccess(tx, order.access_id);
      const moved = await endAcmeOrder(tx, order.id, { problem: documentOf(problem), became });
      if (moved) await deps.refusals.tell(tx, order, problem);
      return moved;
    });
    if (!ended) return;
    failpoint('acme.refused');
    throw problem;
  }

  /** The refusal in words for the client; null when nobody knows yet, and it is to be tried again. */
  function problemOf(order: OrderRecord, error: unknown): AcmeProblem | null {
    if (error instanceof AcmeProblem) return error;
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'insufficient_funds') return balanceShort(order.names);
    if (openCodes.includes(error.code)) return null;
    if (error.status >= 500) throw error;
    return person(`The certificate for ${order.names.join(', ')} was not ordered: ${error.message}`);
  }

  return { advance };
}

const endedAccess = () => person('The ACME access of this order has ended.');
interface Started {
  order: OrderRecord;
  access: AcmeAccess;
  product: Product;
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
