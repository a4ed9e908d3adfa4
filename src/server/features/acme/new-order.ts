import { inReading, inTransaction } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { OpenedByAccount } from './exchange.ts';
import { notSold } from './finalize.rules.ts';
import { objectIn } from './jws.rules.ts';
import { namesOf, orderValidMs, problemsOfSet, refusalOf } from './order.rules.ts';
import { alreadyReplaced, type OrderGround, type OrdersDeps, viewOf } from './order-ground.ts';
import { insertAcmeOrder, isReplaced, orderOfIssue } from './orders.repo.ts';
import { domainsAbove } from './places.repo.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

/** The wish for a certificate (RFC 8555 7.4). */
export function createNewOrder(deps: OrdersDeps, { replyOf, logRefusal, problemsAt }: OrderGround) {
  const { db, systemDb, clock } = deps;

  async function create({ payload, account, access }: OpenedByAccount): Promise<AcmeReply> {
    const wish = objectIn(payload);
    const names = namesOf(wish);
    const entry = { event: 'order' as const, identifiers: names };
    try {
      await requireNames(names, access);
      const replaces = await replacedBy(wish.replaces, names, { access, account });
      const now = clock.now();
      const order = {
        ...{ id: newId(now.getTime()), organisation_id: access.organisationId, account_id: account.id },
        ...{ access_id: access.accessId, customer_id: access.customerId, names, replaces },
        ...{ created_at: now, expires_at: new Date(now.getTime() + orderValidMs) },
      };
      await inTransaction(db, access, async (tx) => {
        await insertAcmeOrder(tx, order);
        await deps.accesses.logIn(tx, access.accessId, { ...entry, outcome: 'done', detail: '' });
      });
      const unbegun = { state: 'ready' as const, given_up: [], problem: null, finalized_at: null };
      return replyOf(201, viewOf({ ...order, ...unbegun }));
    } catch (error) {
      if (error instanceof AcmeProblem) await logRefusal(access, entry, error);
      throw error;
    }
  }

  /** Every name is the customer's and proven from the start, and one certificate of the product covers them. */
  async function requireNames(names: readonly string[], access: OpenedByAccount['access']): Promise<void> {
    const [places, sold] = await inReading(db, access, (tx) =>
      Promise.all([domainsAbove(tx, access, names), deps.pricing.list(tx)]),
    );
    const problems = problemsAt(access, names, places);
    if (problems.length > 0) throw refusalOf(problems);
    const product = sold.find(({ productType }) => productType === access.productId);
    if (!product) {
      throw notSold();
    }
    const unfit = problemsOfSet(names, product);
    if (unfit.length > 0) throw refusalOf(unfit);
  }

  /** RFC 9773 5: the certificate that the order is to replace, if this account may say so. */
  async function replacedBy(
    replaces: unknown,
    names: readonly string[],
    { access }: Pick<OpenedByAccount, 'access' | 'account'>,
  ): Promise<string | null> {
    if (replaces === undefined) return null;
    const known = typeof replaces === 'string' ? await orderOfIssue(systemDb, replaces) : undefined;
    const fits = known?.access_id === access.accessId && known.names.some((name) => names.includes(name));
    if (typeof replaces !== 'string' || !fits) {
      throw new AcmeProblem(
        'malformed',
        'The certificate to be replaced is not one of this access for these names.',
      );
    }
    if (await inReading(db, access, (tx) => isReplaced(tx, access.accessId, replaces)))
      throw alreadyReplaced();
    return replaces;
  }

  return create;
}
