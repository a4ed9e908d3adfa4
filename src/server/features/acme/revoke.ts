import type { X509Certificate } from 'node:crypto';
import { AppError } from '#contracts/errors.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { MachineCertificates } from '../certificates/index.ts';
import type { AcmeAccesses } from './access.ts';
import { keyDigestOfJwk } from './csr-check.ts';
import type { OpenedByAccount, OpenedByKey } from './exchange.ts';
import { certificateFrom, issuedIdOf, keyDigestOf } from './issued.ts';
import { objectIn } from './jws.rules.ts';
import { machineScope } from './machine-scope.ts';
import {
  findAcmeOrder,
  keepCompromised,
  markRevoked,
  orderOfIssue,
  registrarOrderOf,
} from './orders.repo.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { Refusals } from './refusals.ts';
import type { AcmeReply } from './reply.ts';
import { mayRevoke, reasonOf } from './revoke.rules.ts';

export interface RevokeDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  accesses: Pick<AcmeAccesses, 'log'>;
  certificates: MachineCertificates;
  refusals: Refusals;
}

type IssuedOrder = NonNullable<Awaited<ReturnType<typeof orderOfIssue>>>;

const keyCompromise = 1;

const alreadyRevoked = () => new AcmeProblem('alreadyRevoked', 'This certificate was revoked before.');

const unknown = () =>
  new AcmeProblem(
    'unauthorized',
    'This certificate was not issued here, or the key of the request may not revoke it.',
  );

/** RFC 8555 7.6: by the account that has it, by one for the same customer that covers its names, or by its own key. */
export function createRevoke(deps: RevokeDeps) {
  const { db, systemDb, clock } = deps;

  return async function revoke(opened: OpenedByAccount | OpenedByKey): Promise<AcmeReply> {
    const payload = objectIn(opened.payload);
    const reason = reasonOf(payload.reason);
    const given = typeof payload.certificate === 'string' ? payload.certificate : '';
    const leaf = certificateFrom(Buffer.from(given, 'base64url'));
    if (!leaf) throw new AcmeProblem('malformed', 'Send the certificate in base64url of its DER form.');
    const issuedId = (await issuedIdOf(leaf)) ?? '';
    const order = await orderOfIssue(systemDb, issuedId);
    if (!order || !isAllowed(opened, leaf, order)) throw unknown();
    const place = { organisationId: order.organisation_id };
    // First: it is so, whatever becomes of the revocation, and of a certificate that was revoked for another reason, too.
    if (reason === keyCompromise) {
      await inTransaction(db, place, (tx) => keepCompromised(tx, keyDigestOf(leaf)));
    }
    if (order.revoked) throw alreadyRevoked();
    await atRegistrar(order, issuedId);
    await inTransaction(db, place, (tx) => markRevoked(tx, issuedId, clock.now()));
    await deps.accesses.log(order.access_id, {
      ...{ event: 'revoke', identifiers: order.names, outcome: 'done' },
      detail: `Certificate ${order.serial} was revoked.`,
    });
    return { status: 200 };
  };

  async function isRevoked(issuedId: string): Promise<boolean> {
    return (await orderOfIssue(systemDb, issuedId))?.revoked === true;
  }

  /** Of two requests at once, one revokes; the other waits for it, and finds that it was done. */
  async function once(
    { organisation_id: organisationId }: IssuedOrder,
    issuedId: string,
    send: () => Promise<Outcome<void>>,
  ): Promise<Outcome<void>> {
    if (await isRevoked(issuedId)) throw alreadyRevoked();
    const outcome = await send();
    if (outcome.kind === 'done') {
      await inTransaction(db, { organisationId }, (tx) => markRevoked(tx, issuedId, clock.now()));
    }
    return outcome;
  }

  async function atRegistrar(order: IssuedOrder, issuedId: string): Promise<void> {
    const { organisation_id: organisationId, serial } = order;
    const found = await inReading(db, { organisationId }, (tx) => registrarOrderOf(tx, order));
    if (!found) throw unknown();
    if (found.isReplacedBase) await refuseBase(order);
    const { certificateId, registrarOrderId } = found;
    const place = { organisationId, certificateId };
    try {
      const what = {
        ...{ registrarOrderId, serial: serial ?? '' },
        alone: (send: () => Promise<Outcome<void>>) => once(order, issuedId, send),
      };
      await deps.certificates.revoke(machineScope(organisationId), place, what);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error;
      // By somebody else, or by a request of which nobody heard the answer.
      if (await isRevoked(issuedId)) throw alreadyRevoked();
      const text = `The certificate authority has not confirmed the revocation: ${error.message} Please try again.`;
      throw new AcmeProblem('serverInternal', text, { status: 503, retryAfterSeconds: 60, cause: error });
    }
  }

  /** At the registrar its order carries the term of the certificate that replaced it. */
  async function refuseBase(order: IssuedOrder): Promise<never> {
    const problem = new AcmeProblem(
      'userActionRequired',
      'A newer certificate of the same paid term has replaced this one, and revoking this one here would end the newer one, too. Ask the provider who gave you the access to revoke it.',
      {
        advice: `The server wants the certificate ${order.serial} revoked. A newer one of the same term has replaced it, and the registrar revokes both at once. Ask the registrar’s support to revoke only this one.`,
      },
    );
    await inTransaction(db, { organisationId: order.organisation_id }, async (tx) => {
      const full = await findAcmeOrder(tx, order.id);
      if (full) await deps.refusals.tell(tx, full, problem);
    });
    throw problem;
  }
}

function isAllowed(
  opened: OpenedByAccount | OpenedByKey,
  leaf: X509Certificate,
  order: { account_id: string; customer_id: string; names: string[] },
): boolean {
  if ('jwk' in opened) return keyDigestOfJwk(opened.jwk).equals(keyDigestOf(leaf));
  return mayRevoke(
    { accountId: opened.account.id, customerId: opened.access.customerId, hosts: opened.access.hosts },
    { accountId: order.account_id, customerId: order.customer_id, names: order.names },
  );
}
