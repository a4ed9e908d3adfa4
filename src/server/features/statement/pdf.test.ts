import { expect, test } from 'vitest';
import { receiptTable, renderPdf } from './pdf.ts';

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
