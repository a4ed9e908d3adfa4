import type { Readable } from 'node:stream';
import { AppError } from '#contracts/errors.ts';
import type { StatementLine } from '#contracts/operations/statement.ts';
import { moneyText, monthText, utcDayText, utcMomentText } from '#contracts/values/format.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import { slices } from '#kernel/give-way.ts';
import type { Scope } from '#kernel/scope.ts';
import type { MailBrand } from '../../ports/mail.ts';
import type { OrdersApi } from '../orders/index.ts';
import { receiptOf } from './accounting.repo.ts';
import { statementCsv } from './csv.ts';
import { createEarnings } from './earnings.service.ts';
import {
  daysOf,
  monthOf,
  type Party,
  paperNumber,
  partyLines,
  periodText,
  receiptNote,
  recipientOf,
  statementNumber,
  taxText,
} from './papers.rules.ts';
import { type Heading, type Letterhead, monthTable, receiptTable, renderPdf } from './pdf.ts';
import {
  chargesOf,
  linesAfter,
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
  /** Who runs the portal and issues its papers. */
  issuer: Party;
  /** Name and logo of an organisation. */
  brandOf(organisationId: string): Promise<MailBrand | null>;
  /** Lines of a file that are read in one go. */
  linesAtOnce?: number;
}

/** Each go sums up the balance from the first entry on, so that few goes are best. */
const mostLinesAtOnce = 50_000;
const writtenAtOnce = 500;

export type StatementApi = ReturnType<typeof createStatement>;

/** Every movement of the prepaid balance, to read, to sum and to hand to a bookkeeper. */
export function createStatement(deps: StatementDeps) {
  const { db, clock, orders, productName, issuer, brandOf } = deps;
  const linesAtOnce = deps.linesAtOnce ?? mostLinesAtOnce;
  const earnings = createEarnings({ db, clock });
  const list = (scope: Scope, query: StatementQuery) =>
    inReading(db, scope, (tx) => listLines(tx, scope.organisationId, query));
  const months = (scope: Scope) => inReading(db, scope, (tx) => listMonths(tx, scope.organisationId));

  /** Who issues a paper, whom it is made out to, and what it looks like. */
  async function letterhead(scope: Scope, title: string, number: string): Promise<Letterhead> {
    const brand = await brandOf(scope.organisationId);
    const address = await earnings.address(scope);
    return {
      ...{ product: productName, title, number, organisation: brand?.name ?? '', logo: brand?.logo ?? null },
      issuer: partyLines(issuer),
      recipient: partyLines(recipientOf(address, brand?.name ?? '')),
    };
  }

  const csv = (scope: Scope, filter: StatementFilter): Readable => statementCsv(pages(scope, filter));

  async function* pages(scope: Scope, filter: StatementFilter): AsyncGenerator<StatementLine[]> {
    const giveWay = slices();
    let after: string | null | undefined = null;
    while (after !== undefined) {
      const place = { after, limit: linesAtOnce };
      const found: StatementLine[] = await inReading(db, scope, (tx) =>
        linesAfter(tx, scope.organisationId, filter, place),
      );
      for (let first = 0; first < found.length; first += writtenAtOnce) {
        await giveWay();
        yield found.slice(first, first + writtenAtOnce);
      }
      after = found.length === linesAtOnce ? found.at(-1)?.entryId : undefined;
    }
  }

  async function monthPdf(scope: Scope, month: string): Promise<Buffer> {
    const { first, last } = daysOf(month);
    const { rows } = await list(scope, { from: first, to: last, sort: 'at', pageSize: 1 });
    const found = monthOf(month, rows);
    if (!found) throw new AppError('not_found', { message: 'There were no transactions in this month.' });
    const now = clock.now();
    const number = paperNumber('S', statementNumber(month, await months(scope)));
    const heading: Heading = {
      ...(await letterhead(scope, `Statement ${monthText(month)}`, number)),
      facts: [
        ['Period', periodText(month, now)],
        ['Currency', 'US dollars (USD)'],
        ['Opening balance', moneyText(found.opening)],
        ['Money in', moneyText(found.in)],
        ['Money out', moneyText(found.out)],
        ['Closing balance', moneyText(found.closing)],
        ['Made', utcMomentText(now)],
      ],
    };
    const note =
      `${taxText} A top-up is a prepayment; each order has a receipt of its own. ` +
      'All amounts in US dollars. A month begins and ends in UTC. Reservations for running orders are not deducted from ' +
      'these balances; an order is charged when the registrar has confirmed it.';
    return renderPdf(heading, monthTable(found, rows), note, now);
  }

  async function receipt(scope: Scope, orderId: string): Promise<Buffer> {
    const order = await orders.get(scope, orderId);
    const [charges, numbered] = await inReading(db, scope, (tx) =>
      Promise.all([
        chargesOf(tx, scope.organisationId, orderId),
        receiptOf(tx, scope.organisationId, orderId),
      ]),
    );
    if (charges.length === 0 || !numbered) {
      throw new AppError('unprocessable', { message: 'Nothing was charged for this order.' });
    }
    const now = clock.now();
    const heading: Heading = {
      ...(await letterhead(scope, 'Receipt', paperNumber('R', numbered.number))),
      facts: [
        ['Date', utcDayText(numbered.issuedAt)],
        ['Currency', 'US dollars (USD)'],
        ['Order', orderId],
        ['Ordered', utcMomentText(new Date(order.createdAt))],
        ['Ordered by', order.by],
        ['Made', utcMomentText(now)],
      ],
    };
    const note = receiptNote(order.items);
    return renderPdf(heading, receiptTable(charges), note, now);
  }

  return { list, months, csv, monthPdf, receipt, earnings };
}
