import type { CertificatePrice } from '#contracts/operations/certificates.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { AcmeAccess } from './access.ts';
import { type Decision, decide, person } from './finalize.rules.ts';
import type { FinalizeDeps } from './finalize.ts';
import { problemsOfNames } from './names-check.ts';
import { addressOf, type Product, problemsOfSet, refusalOf } from './order.rules.ts';
import { lockUnbegun, type OrderRecord } from './orders.repo.ts';
import { domainsAbove, type Places } from './places.repo.ts';
import type { AcmeProblem } from './problems.rules.ts';
import { standingOf } from './standing.repo.ts';

/** Something else has been done for the same name meanwhile, or is being done: it is decided again. */
export class Overtaken extends Error {}

/** The order has become something meanwhile, by another process. */
export class Moved extends Error {}

export type SoldProduct = Product & Pick<CertificatePrice, 'price'>;

export interface Started {
  order: OrderRecord;
  access: AcmeAccess;
  product: SoldProduct;
}

export const endedAccess = () => person('The ACME access of this order has ended.');

export type OrderDecision = ReturnType<typeof createOrderDecision>;

/** What an order with its signing request is to become, judged when it is looked at, and again under its locks. */
export function createOrderDecision(deps: FinalizeDeps) {
  const { clock, accesses, pricing } = deps;

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

  async function productOf(tx: Tx, productType: string): Promise<SoldProduct | undefined> {
    return (await pricing.list(tx)).find((entry) => entry.productType === productType);
  }

  return { placesOf, hindranceOf, decisionOf, locked, productOf };
}
