import { inReading } from '#kernel/db/database.ts';
import { isUuid } from '#kernel/uuid.rules.ts';
import { createAuthorizations } from './authorizations.ts';
import type { OpenedByAccount } from './exchange.ts';
import { requireAsGet } from './jws.rules.ts';
import { createNewOrder } from './new-order.ts';
import { type OrdersDeps, orderGround } from './order-ground.ts';
import { createOrderProgress } from './order-progress.ts';
import { ordersOfAccount } from './orders.repo.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

const pageSize = 100;

/** Orders of clients, from the wish to the chain (RFC 8555 7.4 and 7.5). */
export function createAcmeOrders(deps: OrdersDeps) {
  const { db, clock, at } = deps;
  const ground = orderGround(deps);
  const { required } = ground;

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

  return {
    create: createNewOrder(deps, ground),
    ...createOrderProgress(deps, ground),
    ...createAuthorizations(deps, ground),
    ...{ certificate, list },
  };
}
