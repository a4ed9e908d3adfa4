import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { StatementLine } from '#contracts/operations/statement.ts';
import { earningsCsv, statementCsv } from './csv.ts';

const rowsOf = (file: Buffer) => parse(file, { bom: true }) as string[][];
const evil = '=HYPERLINK("https://evil.example")';
const harmless = `'${evil}`;

const line: StatementLine = {
  ...{ entryId: 'e1', at: '2026-11-22T12:00:00.000Z', kind: 'purchase', text: 'Registration' },
  ...{ amount: -1_250, balance: -5, orderId: 'o1', itemId: 'i1', registrarOrderId: '77' },
  ...{ customerId: 'c1', customer: 'Acme', topupId: null, payment: null },
};

test('each column of a statement has its own part of a line, and money is plain figures', async () => {
  async function* pages() {
    yield [
      line,
      { ...line, topupId: 't1', payment: 'pi_1', orderId: null, itemId: null, registrarOrderId: null },
    ];
  }
  const [head, first, second] = rowsOf(await buffer(statementCsv(pages())));
  expect(head).toEqual([
    ...['Date (UTC)', 'Kind', 'Text', 'Amount USD', 'Balance USD', 'Customer', 'Order', 'Order item'],
    ...['Registrar order', 'Top-up', 'Payment'],
  ]);
  const begin = ['2026-11-22 12:00:00', 'purchase', 'Registration', '-12.50', '-0.05', 'Acme'];
  expect(first).toEqual([...begin, 'o1', 'i1', '77', '', '']);
  expect(second).toEqual([...begin, '', '', '', 't1', 'pi_1']);
});

test('no text of a statement or of earnings is a formula for a spreadsheet', async () => {
  async function* pages() {
    yield [{ ...line, text: evil, customer: evil, registrarOrderId: evil, payment: evil }];
  }
  const [, row] = rowsOf(await buffer(statementCsv(pages())));
  expect([row?.[2], row?.[5], row?.[8], row?.[10]]).toEqual([harmless, harmless, harmless, harmless]);
  const figures = {
    ...{ month: '2026-11', customerId: 'c1', customer: evil, kind: 'registration', items: 2 },
    ...{ received: 1_500, cost: 1_000, unbilledCost: 250 },
  } as unknown as Parameters<typeof earningsCsv>[0][number];
  const [, earned] = rowsOf(await earningsCsv([figures]));
  expect(earned?.slice(0, 2)).toEqual(['2026-11', harmless]);
  expect(earned?.slice(3, 7)).toEqual(['2', '15.00', '10.00', '5.00']);
});
