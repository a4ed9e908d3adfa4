import { expect, test } from 'vitest';
import { renderPdf } from './pdf.ts';

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
