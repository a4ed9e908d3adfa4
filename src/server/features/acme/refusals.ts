import type { Clock } from '#kernel/clock.ts';
import type { Tx } from '#kernel/db/database.ts';
import { tellManagers } from '#kernel/letters.ts';
import type { AcmeAccesses } from './access.ts';
import { refusalLetter } from './acme.letters.ts';
import { type OrderRecord, toldLately } from './orders.repo.ts';
import type { AcmeProblem } from './problems.rules.ts';

export interface Refusals {
  /** In the transaction that ends the order: whatever stops the process, the managers hear of it. */
  tell(
    tx: Tx,
    order: Pick<OrderRecord, 'id' | 'organisation_id' | 'access_id' | 'names'>,
    problem: AcmeProblem,
  ): Promise<void>;
}

const dayMs = 86_400_000;

/** What only a person can mend reaches one: the access's log at once, and those who manage by mail, once a day and access. */
export function createRefusals(deps: {
  clock: Clock;
  accesses: Pick<AcmeAccesses, 'logIn'>;
  publicUrl: string;
}): Refusals {
  const { clock, accesses, publicUrl } = deps;
  return {
    async tell(tx, order, { message, advice }) {
      const { organisation_id: organisationId, access_id: accessId, names } = order;
      const now = clock.now();
      if (!(await toldLately(tx, order, { since: new Date(now.getTime() - dayMs), now }))) {
        const letter = refusalLetter({ names, reason: advice || message, accessId }, publicUrl);
        await tellManagers(tx, { organisationId, notice: `acme.${accessId}`, letter });
      }
      await accesses.logIn(tx, accessId, {
        ...{ event: 'finalize', identifiers: names, outcome: 'failed', detail: message, advice },
      });
    },
  };
}
