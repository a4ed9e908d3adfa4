import { AppError } from '#contracts/errors.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { type Operator, operatorActor } from '#kernel/operator.ts';
import type { RegistrarNames } from '../../ports/registrar.ts';
import { endMissing, enqueueSync, fromRegistrar, isOrderedElsewhere } from '../domains/index.ts';
import { findMissing } from './queue.repo.ts';

export interface MissingDeps {
  systemDb: Db;
  registrar: Pick<RegistrarNames, 'domain'>;
  clock: Clock;
}

/** Domains that the registrar does not have in the portal's account any more, and that a person strikes off the list (decision 275). */
export function createMissing({ systemDb, registrar, clock }: MissingDeps) {
  /** The registrar is read right before: without its answer nothing is known, and nothing happens. */
  async function end(operator: Operator, id: string, reason: string): Promise<{ message: string }> {
    const listed = await systemTransaction(systemDb, (tx) => findMissing(tx, id));
    if (!listed) throw new AppError('not_found', { message: 'This is no longer in the queue.' });
    const { organisationId, address, customerId, status, organization } = listed;
    const read = await fromRegistrar(() => withFairnessKey('operator', () => registrar.domain(address)));
    const end = await systemTransaction(systemDb, async (tx) => {
      if (read && !(await isOrderedElsewhere(tx, listed))) {
        await enqueueSync(tx, listed);
        return 'here';
      }
      const now = clock.now();
      if (!(await endMissing(tx, id, now))) return 'changed';
      await audit(
        tx,
        { organisationId, ...operatorActor(operator) },
        {
          ...{
            at: now,
            action: 'operator.endDomain',
            objectKind: 'ended domain',
            object: address,
            customerId,
          },
          ...{ before: { status }, after: { status: 'ended', reason } },
        },
      );
      return 'ended';
    });
    if (end === 'here') {
      throw new AppError('unprocessable', {
        message: `The registrar has ${address} in the portal’s account. Nothing was changed.`,
      });
    }
    if (end === 'changed') {
      throw new AppError('conflict', {
        message: `${address} has changed meanwhile, or an order of it is open. Nothing was changed.`,
      });
    }
    return { message: `${address} is no longer listed for ${organization}.` };
  }

  return { end };
}
