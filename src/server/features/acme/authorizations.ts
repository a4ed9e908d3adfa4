import { inReading, inTransaction } from '#kernel/db/database.ts';
import { sha256 } from '#kernel/ids.ts';
import type { OpenedByAccount } from './exchange.ts';
import { objectIn } from './jws.rules.ts';
import { authorizationBody, challengeBody } from './order.rules.ts';
import { type OrderGround, type OrdersDeps, viewOf } from './order-ground.ts';
import { giveUpAuthorization } from './orders.repo.ts';
import { domainsAbove } from './places.repo.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

/** Proofs of control, which are valid from the start (RFC 8555 7.5). */
export function createAuthorizations(deps: OrdersDeps, { required, problemsAt }: OrderGround) {
  const { db, clock, at } = deps;

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

  return { authorization, challenge };
}

/** Nothing is proven with it: what it would prove is known. */
function tokenOf(orderId: string, index: number): string {
  return sha256(`${orderId}.${index}`).toString('base64url');
}
