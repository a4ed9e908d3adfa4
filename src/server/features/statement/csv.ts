import type { StatementLine } from '#contracts/operations/statement.ts';
import { harmlessCell } from '#kernel/csv-cell.ts';
import { csvFile } from '#kernel/csv-file.ts';
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
export function statementCsv(lines: readonly StatementLine[]): Promise<Buffer> {
  return csvFile(header, lines, (line) => [
    line.at.slice(0, 19).replace('T', ' '),
    line.kind,
    harmlessCell(line.text),
    dollars(line.amount),
    dollars(line.balance),
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
    dollars(row.received),
    dollars(row.cost),
    dollars(earnedCents(row)),
    dollars(row.otherCost),
  ]);
}

/** `-1234` -> `-12.34`, without floats and without separators. */
function dollars(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
