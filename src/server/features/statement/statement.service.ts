import { AppError } from '#contracts/errors.ts';
import type { StatementLine, StatementMonth } from '#contracts/operations/statement.ts';
import { formatCents } from '#contracts/values/money.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { OrdersApi } from '../orders/index.ts';
import { organisationName } from '../users/index.ts';
import { statementCsv } from './csv.ts';
import { monthTable, receiptTable, renderPdf } from './pdf.ts';
import {
  chargesOf,
  listLines,
  listMonths,
  type StatementFilter,
  type StatementQuery,
} from './statement.repo.ts';

export interface StatementDeps {
  db: Db;
  clock: Clock;
  orders: Pick<OrdersApi, 'get'>;
  productName: string;
}

export type StatementApi = ReturnType<typeof createStatement>;

/** Every movement of the prepaid balance, to read, to sum and to hand to a bookkeeper. */
export function createStatement({ db, clock, orders, productName }: StatementDeps) {
  const list = (scope: Scope, query: StatementQuery) =>
    inTransaction(db, scope, (tx) => listLines(tx, scope.organisationId, query));
  const months = (scope: Scope) => inTransaction(db, scope, (tx) => listMonths(tx, scope.organisationId));
  const nameOf = (scope: Scope) =>
    inTransaction(db, scope, (tx) => organisationName(tx, scope.organisationId));

  async function csv(scope: Scope, filter: StatementFilter): Promise<Buffer> {
    const { rows } = await list(scope, { ...filter, sort: 'at', pageSize: 1 });
    return statementCsv(rows);
  }

  async function monthPdf(scope: Scope, month: string): Promise<Buffer> {
    const { rows } = await list(scope, {
      from: `${month}-01`,
      to: lastDayOf(month),
      sort: 'at',
      pageSize: 1,
    });
    // From the lines themselves: the figures cannot differ from what they sum up.
    const found = monthOf(month, rows);
    if (!found) throw new AppError('not_found', { message: 'Nothing moved in this month.' });
    const now = clock.now();
    const heading = {
      product: productName,
      title: `Statement ${month}`,
      organisation: await nameOf(scope),
      facts: [
        ['Opening balance', dollars(found.opening)],
        ['Money in', dollars(found.in)],
        ['Money out', dollars(found.out)],
        ['Closing balance', dollars(found.closing)],
        ['Made', `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      ],
    } as const;
    const note =
      'All amounts in US dollars. A month begins and ends in UTC. Reservations of running orders are not taken off ' +
      'these balances; an order is charged when the registrar has confirmed it.';
    return renderPdf(heading, monthTable(found, rows), note, now);
  }

  async function receipt(scope: Scope, orderId: string): Promise<Buffer> {
    const order = await orders.get(scope, orderId);
    const charges = await inTransaction(db, scope, (tx) => chargesOf(tx, scope.organisationId, orderId));
    if (charges.length === 0) {
      throw new AppError('unprocessable', { message: 'Nothing was charged for this order.' });
    }
    const now = clock.now();
    const heading = {
      product: productName,
      title: 'Receipt',
      organisation: await nameOf(scope),
      facts: [
        ['Order', orderId],
        ['Ordered', `${order.createdAt.slice(0, 16).replace('T', ' ')} UTC`],
        ['Ordered by', order.by],
        ['Made', `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      ],
    } as const;
    const open = order.items.some((item) => isOpen(item.state));
    const note = `Paid from the prepaid balance, in US dollars.${open ? ' Items that are still being processed are not on this receipt.' : ''}`;
    return renderPdf(heading, receiptTable(charges), note, now);
  }

  return { list, months, csv, monthPdf, receipt };
}

const isOpen = (state: string) => state !== 'succeeded' && state !== 'declined';
const dollars = (cents: number) => `${cents < 0 ? '-' : ''}$${formatCents(Math.abs(cents))}`;

function monthOf(month: string, lines: readonly StatementLine[]): StatementMonth | null {
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return null;
  const amounts = lines.map((line) => line.amount);
  const sum = (wanted: (amount: number) => boolean) =>
    amounts.filter(wanted).reduce((total, amount) => total + amount, 0);
  return {
    month,
    opening: first.balance - first.amount,
    in: sum((amount) => amount > 0),
    out: sum((amount) => amount < 0),
    closing: last.balance,
    lines: lines.length,
  };
}

/** The day before the next month's first. */
function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 1, 0)).toISOString().slice(0, 10);
}
