import { X509Certificate } from 'node:crypto';
import { AppError } from '#contracts/errors.ts';
import type { CertificatePrice } from '#contracts/operations/certificates.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inStatement, inTransaction, type Tx } from '#kernel/db/database.ts';
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
  boughtThisMonth,
  completeOrder,
  endAcmeOrder,
  findAcmeOrder,
  lockUnbegun,
  lookAgainAt,
  type OrderOutcome,
  type OrderPlace,
  type OrderRecord,
  outcomeOf,
  spentThisMonth,
} from './orders.repo.ts';
import { domainsAbove, type Places } from './places.repo.ts';
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
  // The operator has changed it this very moment: the next look sees the new one.
  'price_changed',
];

/**
 * Takes orders that have their signing request to their end: a reissue inside a paid term, a purchase, or a refusal that
 * a person hears of. Each step is one conditional statement, so that any process may take it at any time, and twice.
 */
export function createFinalize(deps: FinalizeDeps) {
  const { db, clock, accesses, certificates, pricing, orders } = deps;

  /** Takes an order as far as it goes now. Throws the problem with which it has ended, if it ends by this. */
  async function advance(place: OrderPlace): Promise<void> {
    const order = await inReading(db, place, (tx) => findAcmeOrder(tx, place.orderId));
    if (order?.state === 'processing') await proceed(place, order, null);
  }

  /**
   * The same of an order that was read a moment ago, with its access if that was read, too: what is done asks for both again.
   * Returns the order when it has its certificate by this.
   */
  async function proceed(
    place: OrderPlace,
    order: OrderRecord,
    known: AcmeAccess | null,
  ): Promise<OrderRecord | null> {
    const became = order.reissue_id !== null || order.order_item_id !== null;
    if (became) return follow(place, order);
    const itemId = await start(place, order, known);
    // An authority that takes no time has issued it by now, and one that waits for a proof can have it.
    return itemId === null ? null : follow(place, { ...order, order_item_id: itemId });
  }

  /** Returns the item of the order engine that it has become by this; null: none. */
  async function start(
    place: OrderPlace,
    order: OrderRecord,
    known: AcmeAccess | null,
  ): Promise<string | null> {
    const access = known ?? (await accesses.findById(order.access_id));
    if (access?.state !== 'active') return end(place, order, endedAccess(), false);
    const { productId } = access;
    const [product, places, decision] = await inReading(db, place, (tx) =>
      Promise.all([productOf(tx, productId), placesOf(tx, order), decisionOf(tx, order, productId)]),
    );
    if (!product) return end(place, order, notSold(), false);
    const hindrance = hindranceOf({ order, access, product }, places);
    if (hindrance) return end(place, order, hindrance, false);
    failpoint('acme.decided');
    return carryOut(place, { order, access, product, decision });
  }

  const placesOf = (
    tx: Tx,
    { organisation_id: organisationId, customer_id: customerId, names }: OrderRecord,
  ) => domainsAbove(tx, { organisationId, customerId }, names);

  /** Names that the access cannot have (any more), or that its product does not cover. */
  function hindranceOf({ order, access, product }: Started, places: Places): AcmeProblem | null {
    const { names } = order;
    const problems = problemsOfNames(names, { access, places, nameservers: deps.nameservers });
    const unfit = [...problems, ...problemsOfSet(names, product)];
    return unfit.length > 0 ? refusalOf(unfit) : null;
  }

  async function decisionOf(
    tx: Tx,
    order: OrderRecord,
    productType: string,
    ownItemId?: string,
  ): Promise<Decision> {
    const wanted = { address: addressOf(order.names), productType };
    const known = await standingOf(tx, order, ownItemId ? { ...wanted, besides: ownItemId } : wanted);
    const certificates = known.certificates.map((row) => ({
      ...{ id: row.id, state: row.state, hostNames: row.host_names, reissuing: row.reissuing },
      ...{ validTo: row.valid_to, termEndsAt: row.term_ends_at },
      ...{ registrarOrderId: row.registrar_order_id, byMachine: row.acme_access_id !== null },
    }));
    return decide(order.names, { buying: known.buying, certificates }, clock.now());
  }

  /**
   * The access and the order as they are where something becomes of them, with what else is asked in the same go. What was
   * decided before may be out of date: a person may have revoked the access, or given the domain away.
   */
  async function locked<T>(tx: Tx, started: Started, besides: () => Promise<T>): Promise<[AcmeAccess, T]> {
    const { order, product } = started;
    // Together, the locks first: what is asked behind them is seen as it is under them.
    const [access, isFree, places, other] = await Promise.all([
      accesses.lock(tx, order.access_id),
      lockUnbegun(tx, order.id),
      placesOf(tx, order),
      besides(),
    ]);
    if (access?.state !== 'active') throw endedAccess();
    if (!isFree) throw new Moved();
    if (access.productId !== product.productType) throw new Overtaken();
    const hindrance = hindranceOf({ ...started, access }, places);
    if (hindrance) throw hindrance;
    return [access, other];
  }

  async function carryOut(
    place: OrderPlace,
    { order, access, product, decision }: Started & { decision: Decision },
  ): Promise<string | null> {
    if (decision.kind === 'wait') return wait(place, order, decision.on);
    if (decision.kind === 'reissue')
      return reissue(place, { order, access, product }, decision.certificateId);
    try {
      return await buy(place, { order, access, product }, decision.ending);
    } catch (error) {
      if (error instanceof Overtaken) return later(place, order);
      if (error instanceof Moved) return null;
      const problem = problemOf(order, error);
      if (!problem) return later(place, order);
      // What is left of the paid term is better than nothing, and the person hears of the refusal all the same.
      const { ending } = decision;
      if (!ending?.lengthens) return end(place, order, problem, false);
      await inTransaction(db, place, (tx) => deps.refusals.tell(tx, order, problem));
      return reissue(place, { order, access, product }, ending.certificateId);
    }
  }

  function wait(place: OrderPlace, order: OrderRecord, on: 'machine' | 'person'): Promise<null> {
    const since = { names: order.names, createdAt: order.created_at };
    const problem = waitedTooLong(since, on, clock.now());
    return problem ? end(place, order, problem, false) : later(place, order);
  }

  async function reissue(place: OrderPlace, started: Started, certificateId: string): Promise<null> {
    const { order } = started;
    const scope = machineScope(place.organisationId);
    try {
      await certificates.reissue(
        { organisationId: place.organisationId, certificateId },
        {
          ...{ csr: order.csr ?? '', accessId: order.access_id },
          intended: async (tx, reissueId) => {
            await locked(tx, started, nothing);
            await becomeReissue(tx, order.id, { reissueId, certificateId });
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
      if (error instanceof Moved) return null;
      const problem = problemOf(order, error);
      if (!problem) return later(place, order);
      await end(place, order, problem, false);
    }
    failpoint('acme.reissued');
    return null;
  }

  /**
   * The order engine's purchase, with the access's limits judged where the money is held. A term that is about to end is
   * renewed, so that what is left of it is not lost, unless the registrar has refused to.
   */
  async function buy(place: OrderPlace, started: Started, ending: EndingTerm | null): Promise<string | null> {
    const { order, product } = started;
    const scope = machineScope(place.organisationId);
    const { names } = order;
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
    const placed = await orders.place(
      scope,
      requestOf([line], usdToCents(product.price)),
      `acme:${order.id}`,
      {
        source: 'acme',
        also: async (tx, { itemIds, totalCents }) => {
          const [itemId] = itemIds;
          if (itemId === undefined) throw new Overtaken();
          const [access, [decision, bought]] = await locked(tx, started, () =>
            Promise.all([
              decisionOf(tx, order, product.productType, itemId),
              boughtThisMonth(tx, order.access_id, clock.now()),
            ]),
          );
          // While prices were asked, another order may have been bought, and issued, for the same name.
          if (decision.kind !== 'buy') throw new Overtaken();
          // Only where the limits are reached it counts what was declined or paid back.
          const fits = mayBuy(access, totalCents, bought) === 'may';
          const spent = fits ? bought : await spentThisMonth(tx, order.access_id, clock.now());
          const refusal = refusalToBuy(mayBuy(access, totalCents, spent), names);
          if (refusal) throw refusal;
          await becomePurchase(tx, order.id, { itemId, cents: totalCents, now: clock.now() });
        },
      },
    );
    failpoint('acme.bought');
    const [itemId = null] = placed.itemIds;
    if (itemId !== null) await orders.engine.begin(place.organisationId, itemId);
    return itemId;
  }

  async function renewable(place: OrderPlace, registrarOrderId: string): Promise<string | null> {
    const refused = await inReading(db, place, (tx) => wasNotRenewed(tx, place, registrarOrderId));
    return refused ? null : registrarOrderId;
  }

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
    const completed = await inStatement(db, place, (tx) => completeOrder(tx, order.id, issued));
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

  async function productOf(tx: Tx, productType: string): Promise<SoldProduct | undefined> {
    return (await pricing.list(tx)).find((entry) => entry.productType === productType);
  }

  async function later(place: OrderPlace, order: OrderRecord): Promise<null> {
    const at = new Date(clock.now().getTime() + lookAgainMs(order.looks));
    await inStatement(db, place, (tx) => lookAgainAt(tx, order.id, at));
    return null;
  }

  /** Ends the order, and sees to it that a person hears why. */
  async function end(
    place: OrderPlace,
    order: OrderRecord,
    problem: AcmeProblem,
    became: boolean,
  ): Promise<null> {
    const ended = await inTransaction(db, place, async (tx) => {
      // In the order of all that writes both: the access, then the order.
      await lockAccess(tx, order.access_id);
      const moved = await endAcmeOrder(tx, order.id, { problem: documentOf(problem), became });
      if (moved) await deps.refusals.tell(tx, order, problem);
      return moved;
    });
    if (!ended) return null;
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

  return { advance, proceed };
}

const endedAccess = () => person('The ACME access of this order has ended.');
const nothing = async () => undefined;

type SoldProduct = Product & Pick<CertificatePrice, 'price'>;

interface Started {
  order: OrderRecord;
  access: AcmeAccess;
  product: SoldProduct;
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
