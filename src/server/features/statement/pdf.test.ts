import { expect, test } from 'vitest';
import { pdfText } from '../../../../tests/support/pdf-text.ts';
import { monthTable, receiptTable, renderPdf } from './pdf.ts';

test('a long statement is drawn row by row, so that others are served meanwhile', async () => {
  const heading = {
    ...{ product: 'Nameward', title: 'Statement', number: 'S-1', organisation: 'Acme', logo: null },
    ...{ issuer: ['Nameward'], recipient: ['Acme'], facts: [] },
  };
  const rows = Array.from({ length: 120 }, (_, n) => [`${n}`, `Registration of name${n}.com`]);
  const columns = [
    { title: 'Number', width: 80 },
    { title: 'What', width: 300 },
  ];
  let steps = 0;
  const pdf = await renderPdf(heading, { columns, rows, total: ['', ''] }, 'Note', new Date(0), () => {
    steps += 1;
    return undefined;
  });
  expect(steps).toBe(120);
  // Every page names itself, and has the head of the table.
  const text = pdfText(pdf).replaceAll(/\s+/g, ' ');
  const pages = text.match(/page \d+ of \d+/g) ?? [];
  expect(pages.length).toBeGreaterThan(2);
  expect(pages).toEqual(pages.map((_, at) => `page ${at + 1} of ${pages.length}`));
  expect(text.match(/Number/g)).toHaveLength(pages.length);
  for (const n of [0, 59, 119]) expect(text).toContain(`Registration of name${n}.com`);
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});

test('the total of a receipt is what its lines come to, with what was given back', () => {
  const charge = (text: string, cents: number, more = {}) => ({
    ...{ text, cents, at: new Date('2026-11-23T12:00:00Z'), address: 'a.com', years: 1 },
    ...{ customer: 'Acme', registrarOrderId: null, ...more },
  });
  const { rows, total } = receiptTable([
    charge('Registration of a.com', -12_31, { registrarOrderId: '77' }),
    charge('Certificate of a.com', -50_00, { years: 2, customer: '' }),
    charge('Refund: certificate of a.com', 50_00),
  ]);
  expect(rows).toEqual([
    ['Registration of a.com\nAcme\nNov 23, 2026', '1 year', '77', '$12.31'],
    ['Certificate of a.com\nNov 23, 2026', '2 years', '', '$50.00'],
    ['Refund: certificate of a.com\nAcme\nNov 23, 2026', '1 year', '', '−$50.00'],
  ]);
  expect(total).toEqual(['Charged to the prepaid balance, tax $0.00', '', '', '$12.31']);
});

test('a month has its lines between what was there before and what was there after, and what they came to together', () => {
  const line = (text: string, amount: number, balance: number, more = {}) => ({
    ...{ entryId: text, at: '2026-11-23T23:59:59.000Z', kind: 'purchase' as const, text, amount, balance },
    ...{ orderId: null, itemId: null, registrarOrderId: null, customerId: null, customer: '' },
    ...{ topupId: null, payment: null, ...more },
  });
  const month = { month: '2026-11', opening: 1_00, in: 50_00, out: -62_31, closing: -11_31, lines: 3 };
  const { columns, rows, total } = monthTable(month, [
    line('Top-up by card', 50_00, 51_00, { payment: 'pi_1' }),
    line('Registration of a.com', -12_31, 38_69, {
      ...{ customer: 'Acme', registrarOrderId: '77', payment: 'pi_2' },
    }),
    line('Payment returned or disputed', -50_00, -11_31),
  ]);
  expect(columns.map(({ title }) => title)).toEqual(['Date (UTC)', 'What', 'Reference', 'Amount', 'Balance']);
  expect(rows).toEqual([
    ['', 'Balance brought forward', '', '', '$1.00'],
    ['Nov 23, 2026', 'Top-up by card', 'pi_1', '$50.00', '$51.00'],
    ['Nov 23, 2026', 'Registration of a.com\nAcme', 'Registrar 77', '−$12.31', '$38.69'],
    ['Nov 23, 2026', 'Payment returned or disputed', '', '−$50.00', '−$11.31'],
  ]);
  expect(total).toEqual(['', 'Balance at the end of the month', '', '−$12.31', '−$11.31']);
});
