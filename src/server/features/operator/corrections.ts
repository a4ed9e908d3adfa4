import { AppError } from '#contracts/errors.ts';
import type { CorrectionBody } from '#contracts/operations/operator.ts';
import { centsToUsd, usdToCents } from '#contracts/values/money.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, isUniqueViolation, systemTransaction } from '#kernel/db/database.ts';
import { adjust, balances } from '../../ledger/ledger.ts';

export interface CorrectionsDeps {
  systemDb: Db;
  clock: Clock;
}

/** What is owed back, or was given by mistake, is put right by an entry of its own: nothing that was written is changed. */
export function createCorrections({ systemDb, clock }: CorrectionsDeps) {
  async function correct(body: CorrectionBody): Promise<{ balance: number }> {
    const { organizationId, reference, reason } = body;
    const cents = usdToCents(body.amount);
    try {
      return await systemTransaction(systemDb, async (tx) => {
        const found = await tx
          .selectFrom('organisations')
          .select('name')
          .where('id', '=', organizationId)
          .executeTakeFirst();
        if (!found) throw new AppError('not_found');
        if (found.name !== body.organization) {
          const message = `This id is of ${found.name}.`;
          throw new AppError('unprocessable', { message, details: [{ path: 'organization', message }] });
        }
        await adjust(tx, {
          organisationId: organizationId,
          cents,
          ref: reference,
          actor: 'operator',
          text: reason,
        });
        const { balanceCents } = await balances(tx, organizationId);
        await audit(
          tx,
          { organisationId: organizationId, userId: null, email: 'operator', ip: null },
          {
            at: clock.now(),
            action: 'operator.correct',
            objectKind: 'balance',
            object: reference,
            customerId: null,
            before: null,
            after: { amount: centsToUsd(cents), reason, balance: balanceCents },
          },
        );
        return { balance: balanceCents };
      });
    } catch (error) {
      // Whoever sends it twice, by a lost answer or by mistake, has it once.
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('conflict', { message: `There is an entry "${reference}" already.` });
    }
  }

  return { correct };
}
