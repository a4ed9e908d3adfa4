import type { BillingAddress, EarningsRow } from '#contracts/operations/earnings.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { billingAddressOf, writeBillingAddress } from './accounting.repo.ts';
import { earningsCsv } from './csv.ts';
import { type EarningsGroup, type EarningsSpan, sumEarnings } from './earnings.repo.ts';
import { toEarningsRow } from './earnings.rules.ts';

/** What was earned, and who the papers are made out to. */
export function createEarnings({ db, clock }: { db: Db; clock: Clock }) {
  function list(scope: Scope, { by, ...span }: EarningsSpan & { by: EarningsGroup }): Promise<EarningsRow[]> {
    return inReading(db, scope, async (tx) => {
      const rows = await sumEarnings(tx, scope.organisationId, by, span);
      return rows.map((row) => toEarningsRow(by, row));
    });
  }

  async function csv(scope: Scope, span: EarningsSpan): Promise<Buffer> {
    return earningsCsv(
      await inReading(db, scope, (tx) => sumEarnings(tx, scope.organisationId, 'all', span)),
    );
  }

  const address = (scope: Scope): Promise<BillingAddress> =>
    inReading(db, scope, (tx) => billingAddressOf(tx, scope.organisationId));

  async function setAddress(scope: Scope, after: BillingAddress): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const before = await billingAddressOf(tx, scope.organisationId);
      await writeBillingAddress(tx, scope.organisationId, after);
      const object = { objectKind: 'organisation', object: scope.organisationId, customerId: null };
      await audit(tx, scope, { at: clock.now(), action: 'statement.setAddress', ...object, before, after });
    });
  }

  return { list, csv, address, setAddress };
}
