import { AppError } from '#contracts/errors.ts';
import type { GiveDomainBody } from '#contracts/operations/operator.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db, Tx } from '#kernel/db/database.ts';
import { requireOpen } from '#kernel/db/open-organisation.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { type Operator, operatorActor } from '#kernel/operator.ts';
import type { RegistrarNames } from '../../ports/registrar.ts';
import { holdCustomer } from '../customers/index.ts';
import { fromRegistrar, holderOf, recordGiven } from '../domains/index.ts';
import { settleUnknownName } from '../recovery/index.ts';
import { requireName, transactionInOpen } from './named-organisation.ts';
import { settleUnknownDifference } from './reconcile.repo.ts';

export interface GivingDeps {
  systemDb: Db;
  registrar: Pick<RegistrarNames, 'domain'>;
  clock: Clock;
}

/**
 * Domains that the registrar has for this portal and no organization lists, as after the loss of an order with the database: a person says
 * whose they are (decision 344). No money moves.
 */
export function createGiving({ systemDb, registrar, clock }: GivingDeps) {
  /** The registrar is read right before it is written: without its answer nothing is known, and nothing happens. */
  async function give(operator: Operator, body: GiveDomainBody): Promise<{ message: string }> {
    const { domain } = body;
    // What the portal can refuse by itself needs no question to the registrar.
    const before = await inOpen((tx) => look(tx, body, clock.now()));
    if (before.isTheirs) return before.answer;
    const readAt = clock.now();
    const read = await fromRegistrar(() => withFairnessKey('operator', () => registrar.domain(domain)));
    if (!read) {
      throw new AppError('unprocessable', {
        message: `The registrar does not have ${domain} in the portal’s account. Nothing was changed.`,
      });
    }
    return inOpen(async (tx) => {
      const { answer, isTheirs } = await look(tx, body, clock.now());
      if (isTheirs) return answer;
      const { organizationId: organisationId, customerId, reason } = body;
      const given = { organisationId, customerId, address: domain, readAt };
      if (!(await recordGiven(tx, given, read))) {
        // Another operator may have been first, with the same answer.
        if ((await look(tx, body, clock.now())).isTheirs) return answer;
        throw new AppError('conflict', {
          message: `An order of ${domain} is open, or records are being compared. Nothing was changed.`,
        });
      }
      const now = clock.now();
      await settle(tx, domain, now);
      await audit(
        tx,
        { organisationId, ...operatorActor(operator) },
        {
          ...{
            at: now,
            action: 'operator.giveDomain',
            objectKind: 'given domain',
            object: domain,
            customerId,
          },
          after: { reason },
        },
      );
      return answer;
    });
  }

  const inOpen = <T>(work: (tx: Tx) => Promise<T>) => transactionInOpen(systemDb, closedRefused, work);

  return { give };
}

/** Whether it may be given, and whether it is theirs already. Organization and customer stay as they are until the transaction ends. */
async function look(
  tx: Tx,
  { domain, organizationId: organisationId, organization, customerId }: GiveDomainBody,
  now: Date,
): Promise<{ answer: { message: string }; isTheirs: boolean }> {
  await requireOpen(tx, { organisationId });
  await requireName(tx, organisationId, organization);
  const customer = await holdCustomer(tx, { organisationId, id: customerId });
  if (customer === null) {
    const message = `${organization} has no customer with this id.`;
    throw new AppError('unprocessable', { message, details: [{ path: 'customerId', message }] });
  }
  const holder = await holderOf(tx, domain);
  const isTheirs = holder?.organisationId === organisationId && holder.customerId === customerId;
  if (holder && !isTheirs) {
    throw new AppError('conflict', { message: `${domain} is already on a list. Nothing was changed.` });
  }
  if (isTheirs) await settle(tx, domain, now);
  return { answer: { message: `${domain} is now listed for ${customer} of ${organization}.` }, isTheirs };
}

/** A name that is on a list has an owner, and is no finding any more. */
async function settle(tx: Tx, domain: string, now: Date): Promise<void> {
  await settleUnknownName(tx, domain, now);
  await settleUnknownDifference(tx, domain, now);
}

function closedRefused(cause: Error): AppError {
  const message = 'This organization was closed, and nobody there could look after the domain.';
  return new AppError('unprocessable', { message, details: [{ path: 'organization', message }], cause });
}
