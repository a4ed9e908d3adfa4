import { type Clock, pause } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { newId, sha256 } from '#kernel/ids.ts';
import type { Logger } from '#kernel/logger.ts';
import type { CertificatePricing } from '../certificates/index.ts';
import type { AcmeAccesses, AcmeLogEntry } from './access.ts';
import type { createCsrCheck } from './csr-check.ts';
import type { OpenedByAccount } from './exchange.ts';
import { notSold, retryAfterSeconds } from './finalize.rules.ts';
import type { createFinalize } from './finalize.ts';
import { isUuid } from './ids.rules.ts';
import { objectIn, requireAsGet } from './jws.rules.ts';
import { problemsOfNames } from './names-check.ts';
import {
  authorizationBody,
  challengeBody,
  namesOf,
  type OrderView,
  orderBody,
  orderValidMs,
  problemsOfSet,
  refusalOf,
  statusOf,
} from './order.rules.ts';
import {
  findAcmeOrder,
  giveUpAuthorization,
  insertAcmeOrder,
  isReplaced,
  type OrderRecord,
  orderOfIssue,
  ordersOfAccount,
  startOrder,
} from './orders.repo.ts';
import { domainsAbove, type Places } from './places.repo.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

export interface OrdersDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  accesses: Pick<AcmeAccesses, 'log' | 'logIn'>;
  pricing: CertificatePricing;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
  checkCsr: ReturnType<typeof createCsrCheck>;
  finalize: ReturnType<typeof createFinalize>;
  at(path: string): string;
}

/** A client that finalizes is answered after so long, whatever the registrar does. */
const answerWithinMs = 2_000;
/** The process that takes a signing request also acts on it; another one looks only if it did not. */
const takenOverAfterMs = 30_000;
const pageSize = 100;

/** Orders of clients, from the wish to the chain (RFC 8555 7.4 and 7.5). */
export function createAcmeOrders(deps: OrdersDeps) {
  const { db, systemDb, clock, at } = deps;
  const underWay = new Map<string, Promise<AcmeProblem | OrderRecord | null>>();

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
      return replyOf(201, viewOf({ ...order, state: 'ready', given_up: [], problem: null }));
    } catch (error) {
      if (error instanceof AcmeProblem) await logRefusal(access, entry, error);
      throw error;
    }
  }

  function logRefusal(
    { accessId }: OpenedByAccount['access'],
    entry: Pick<AcmeLogEntry, 'event' | 'identifiers'>,
    { message, advice }: AcmeProblem,
  ): Promise<void> {
    return deps.accesses.log(accessId, { ...entry, outcome: 'refused', detail: message, advice });
  }

  const problemsAt = (access: OpenedByAccount['access'], names: readonly string[], places: Places) =>
    problemsOfNames(names, { access, places, nameservers: deps.nameservers });

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

  /** An order of this account; one of another is as unknown as an invented one. */
  async function required({ account, access }: OpenedByAccount, orderId: string): Promise<OrderRecord> {
    const order = isUuid(orderId)
      ? await inReading(db, access, (tx) => findAcmeOrder(tx, orderId))
      : undefined;
    if (order?.account_id !== account.id) {
      throw new AcmeProblem('malformed', 'There is no such order in this account.', { status: 404 });
    }
    return order;
  }

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

  async function authorization(opened: OpenedByAccount, orderId: string, index: number): Promise<AcmeReply> {
    const order = await required(opened, orderId);
    const { payload } = opened;
    if (payload !== '') {
      const { status } = objectIn(payload);
      if (status !== 'deactivated') {
        throw new AcmeProblem('malformed', 'The only status that a client can set is "deactivated".');
      }
      if (order.names[index] !== undefined) {
        await inTransaction(db, opened.access, (tx) => giveUpAuthorization(tx, orderId, index));
      }
    }
    const now = await required(opened, orderId);
    const name = now.names[index];
    const withdrawn = name !== undefined && (await isWithdrawn(opened.access, name));
    const given = { at, token: tokenOf(orderId, index), now: clock.now(), withdrawn };
    const body = authorizationBody(viewOf(now), index, given);
    if (!body) throw new AcmeProblem('malformed', 'There is no such authorization.', { status: 404 });
    return { status: 200, json: body };
  }

  async function isWithdrawn(access: OpenedByAccount['access'], name: string): Promise<boolean> {
    const places = await inReading(db, access, (tx) => domainsAbove(tx, access, [name]));
    return problemsAt(access, [name], places).length > 0;
  }

  async function challenge(opened: OpenedByAccount, orderId: string, index: number): Promise<AcmeReply> {
    const order = await required(opened, orderId);
    if (opened.payload !== '') objectIn(opened.payload);
    if (order.names[index] === undefined) {
      throw new AcmeProblem('malformed', 'There is no such challenge.', { status: 404 });
    }
    const json = challengeBody(viewOf(order), index, { at, token: tokenOf(orderId, index) });
    return { status: 200, headers: { link: `<${at(`authz/${orderId}/${index}`)}>;rel="up"` }, json };
  }

  async function certificate(opened: OpenedByAccount, orderId: string): Promise<AcmeReply> {
    requireAsGet(opened.payload);
    const order = await required(opened, orderId);
    if (order.chain === null) {
      throw new AcmeProblem('orderNotReady', 'The certificate is not issued yet.');
    }
    const { accessId } = opened.access;
    await deps.accesses.log(accessId, {
      ...{ event: 'download', identifiers: order.names, outcome: 'done', detail: '' },
    });
    return { status: 200, text: { type: 'application/pem-certificate-chain', content: order.chain } };
  }

  async function list(opened: OpenedByAccount, before: string | null): Promise<AcmeReply> {
    requireAsGet(opened.payload);
    const { account, access } = opened;
    const from = before !== null && isUuid(before) ? before : null;
    const page = { before: from, limit: pageSize, now: clock.now() };
    const ids = await inReading(db, access, (tx) => ordersOfAccount(tx, account.id, page));
    const last = ids.length === pageSize ? ids.at(-1) : undefined;
    const next = `<${at(`account/${account.id}/orders?before=${last}`)}>;rel="next"`;
    return {
      status: 200,
      ...(last === undefined ? {} : { headers: { link: next } }),
      json: { orders: ids.map((id) => at(`order/${id}`)) },
    };
  }

  function replyOf(status: number, view: OrderView): AcmeReply {
    const wait = view.state === 'processing' ? retryAfterSeconds(view.createdAt, clock.now()) : null;
    return {
      status,
      headers: {
        location: at(`order/${view.id}`),
        ...(wait === null ? {} : { 'retry-after': String(wait) }),
      },
      json: orderBody(view, at, clock.now()),
    };
  }

  return { create, show, finalize, authorization, challenge, certificate, list };
}

const alreadyReplaced = () =>
  new AcmeProblem(
    'alreadyReplaced',
    'Another order replaces this certificate already. Leave out "replaces".',
  );

/** Nothing is proven with it: what it would prove is known. */
function tokenOf(orderId: string, index: number): string {
  return sha256(`${orderId}.${index}`).toString('base64url');
}

type Viewed = Pick<
  OrderRecord,
  'id' | 'names' | 'state' | 'given_up' | 'replaces' | 'problem' | 'created_at' | 'expires_at'
>;

function viewOf(order: Viewed): OrderView {
  const { id, names, state, given_up: givenUp, replaces, problem } = order;
  return {
    id,
    names,
    state,
    givenUp,
    replaces,
    problem,
    createdAt: order.created_at,
    expiresAt: order.expires_at,
  };
}
