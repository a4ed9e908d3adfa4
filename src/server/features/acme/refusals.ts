import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction } from '#kernel/db/database.ts';
import { tellManagers } from '#kernel/letters.ts';
import type { AcmeAccesses } from './access.ts';
import { refusalLetter } from './acme.letters.ts';
import { type OrderRecord, toldLately } from './orders.repo.ts';
import type { AcmeProblem } from './problems.rules.ts';

export interface Refusals {
  tell(
    order: Pick<OrderRecord, 'id' | 'organisation_id' | 'access_id' | 'names'>,
    problem: AcmeProblem,
  ): Promise<void>;
}

const dayMs = 86_400_000;

/** What only a person can mend reaches one: the access's log at once, and those who manage by mail, once a day and access. */
export function createRefusals(deps: {
  db: Db;
  clock: Clock;
  accesses: Pick<AcmeAccesses, 'log'>;
  publicUrl: string;
}): Refusals {
  const { db, clock, accesses, publicUrl } = deps;
  return {
    async tell(order, problem) {
      const { organisation_id: organisationId, access_id: accessId, names } = order;
      await inTransaction(db, { organisationId }, async (tx) => {
        const now = clock.now();
        if (await toldLately(tx, order, { since: new Date(now.getTime() - dayMs), now })) return;
        const letter = refusalLetter({ names, reason: problem.message, accessId }, publicUrl);
        await tellManagers(tx, { organisationId, notice: `acme.${accessId}`, letter });
      });
      await accesses.log(accessId, {
        ...{ event: 'finalize', identifiers: names, outcome: 'failed', detail: problem.message },
      });
    },
  };
}
