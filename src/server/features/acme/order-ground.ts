import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import type { Logger } from '#kernel/logger.ts';
import { isUuid } from '#kernel/uuid.rules.ts';
import type { CertificatePricing } from '../certificates/index.ts';
import type { AcmeAccesses, AcmeLogEntry } from './access.ts';
import type { createCsrCheck } from './csr-check.ts';
import type { OpenedByAccount } from './exchange.ts';
import { retryAfterSeconds } from './finalize.rules.ts';
import type { createFinalize } from './finalize.ts';
import { problemsOfNames } from './names-check.ts';
import { type OrderView, orderBody } from './order.rules.ts';
import { findAcmeOrder, type OrderRecord } from './orders.repo.ts';
import type { Places } from './places.repo.ts';
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

export type OrderGround = ReturnType<typeof orderGround>;

/** What all requests about an order share: which order is meant, how it is shown, and how a refusal is noted. */
export function orderGround(deps: OrdersDeps) {
  const { db, clock, at } = deps;

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

  const problemsAt = (access: OpenedByAccount['access'], names: readonly string[], places: Places) =>
    problemsOfNames(names, { access, places, nameservers: deps.nameservers });

  function logRefusal(
    { accessId }: OpenedByAccount['access'],
    entry: Pick<AcmeLogEntry, 'event' | 'identifiers'>,
    { message, advice }: AcmeProblem,
  ): Promise<void> {
    return deps.accesses.log(accessId, { ...entry, outcome: 'refused', detail: message, advice });
  }

  function replyOf(status: number, view: OrderView): AcmeReply {
    const startedAt = view.finalizedAt ?? view.createdAt;
    const wait = view.state === 'processing' ? retryAfterSeconds(startedAt, clock.now()) : null;
    return {
      status,
      headers: {
        location: at(`order/${view.id}`),
        ...(wait === null ? {} : { 'retry-after': String(wait) }),
      },
      json: orderBody(view, at, clock.now()),
    };
  }

  return { required, problemsAt, logRefusal, replyOf };
}

export const alreadyReplaced = () =>
  new AcmeProblem(
    'alreadyReplaced',
    'Another order replaces this certificate already. Leave out "replaces".',
  );

type Viewed = Pick<
  OrderRecord,
  | 'id'
  | 'names'
  | 'state'
  | 'given_up'
  | 'replaces'
  | 'problem'
  | 'created_at'
  | 'finalized_at'
  | 'expires_at'
>;

/** An order as the rules see it. */
export function viewOf(order: Viewed): OrderView {
  const { id, names, state, given_up: givenUp, replaces, problem } = order;
  return {
    id,
    names,
    state,
    givenUp,
    replaces,
    problem,
    createdAt: order.created_at,
    finalizedAt: order.finalized_at,
    expiresAt: order.expires_at,
  };
}
