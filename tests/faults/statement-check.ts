import { createStatement } from '../../src/server/features/statement/index.ts';
import { inTransaction } from '../../src/server/kernel/db/database.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { balances } from '../../src/server/ledger/ledger.ts';
import type { TestDatabase } from '../support/database.ts';

/** Reads the statement as the MSP does and adds it up: what does not come out at the balance, to the cent. */
export async function statementFaults(database: TestDatabase, scope: Scope): Promise<string[]> {
  const statement = createStatement({
    db: database.db,
    clock: { now: () => new Date() },
    productName: 'Nameward',
    issuer: { name: 'Nameward Ltd', address: [], taxId: 'IE 1' },
    brandOf: async () => ({ name: 'Acme', logo: null }),
    orders: { get: () => Promise.reject(new Error('not asked')) },
  });
  const [months, { rows: lines }, figures] = await Promise.all([
    statement.months(scope),
    statement.list(scope, { pageSize: 1, sort: 'at' }),
    inTransaction(database.db, scope, (tx) => balances(tx, scope.organisationId)),
  ]);
  const found: string[] = [];
  const expectEqual = (what: string, left: number, right: number) => {
    if (left !== right) found.push(`${what}: ${left} is not ${right} cents`);
  };
  const posted = figures.balanceCents + figures.heldCents;
  expectEqual('the statement ends with the balance', lines.at(-1)?.balance ?? 0, posted);
  expectEqual('the last month closes with the balance', months[0]?.closing ?? 0, posted);
  for (const month of months) {
    const own = lines.filter((line) => line.at.startsWith(month.month));
    const sum = own.reduce((total, line) => total + line.amount, 0);
    expectEqual(`${month.month} adds up`, month.opening + sum, month.closing);
    expectEqual(`${month.month} in and out`, month.in + month.out, sum);
    expectEqual(`${month.month} has its lines`, own.length, month.lines);
  }
  let balance = 0;
  for (const line of lines) {
    balance += line.amount;
    expectEqual(`balance after ${line.text}`, line.balance, balance);
  }
  for (const line of lines.filter(({ kind }) => kind === 'purchase')) {
    if (!line.orderId || !line.registrarOrderId)
      found.push(`${line.text}: leads to no order at the registrar`);
  }
  return found;
}
