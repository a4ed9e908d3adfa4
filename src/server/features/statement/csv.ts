import type { Readable } from 'node:stream';
import type { StatementLine } from '#contracts/operations/statement.ts';
import { decimalText, isoMoment } from '#contracts/values/format.ts';
import { harmlessCell } from '#kernel/csv-cell.ts';
import { csvFile, csvStream } from '#kernel/csv-file.ts';
import type { EarningsFigures } from './earnings.repo.ts';
import { earnedCents, kindName } from './earnings.rules.ts';

const header = [
  'Date (UTC)',
  'Kind',
  'Text',
  'Amount USD',
  'Balance USD',
  'Customer',
  'Order',
  'Order item',
  'Registrar order',
  'Top-up',
  'Payment',
];

/** The statement for a spreadsheet: RFC 4180, a mark for those that guess the character set, plain numbers. */
export function statementCsv(pages: AsyncIterable<readonly StatementLine[]>): Readable {
  return csvStream(header, pages, (line) => [
    isoMoment(new Date(line.at)),
    line.kind,
    harmlessCell(line.text),
    decimalText(line.amount),
    decimalText(line.balance),
    harmlessCell(line.customer),
    line.orderId ?? '',
    line.itemId ?? '',
    harmlessCell(line.registrarOrderId ?? ''),
    line.topupId ?? '',
    harmlessCell(line.payment ?? ''),
  ]);
}

const earningsHeader = [
  'Month (UTC)',
  'Customer',
  'Kind',
  'Items',
  'Received USD',
  'Cost USD',
  'Earned USD',
  'Cost of items not billed directly USD',
];

/** What was earned, at its finest: month, customer and kind. */
export function earningsCsv(rows: readonly EarningsFigures[]): Promise<Buffer> {
  return csvFile(earningsHeader, rows, (row) => [
    row.month,
    harmlessCell(row.customer),
    kindName(row.kind),
    row.items,
    decimalText(row.received),
    decimalText(row.cost),
    decimalText(earnedCents(row)),
    decimalText(row.otherCost),
  ]);
}
