import { expect, test } from 'vitest';
import type { StatementLine } from '#contracts/operations/statement.ts';
import {
  daysOf,
  monthOf,
  paperNumber,
  partyLines,
  periodText,
  receiptNote,
  recipientOf,
  statementNumber,
} from './papers.rules.ts';

test('a paper has six digits or more, and its kind', () => {
  expect([paperNumber('R', 1), paperNumber('S', 999_999), paperNumber('R', 1_000_000)]).toEqual([
    'R-000001',
    'S-999999',
    'R-1000000',
  ]);
});

test('a party has the lines that were filled in, and the organization’s name where no other was', () => {
  const address = { name: '', address: [' 1 Main Street ', '', 'Toronto'], taxId: 'CA 123' };
  expect(partyLines(recipientOf(address, 'Acme IT'))).toEqual([
    'Acme IT',
    '1 Main Street',
    'Toronto',
    'Tax ID: CA 123',
  ]);
  expect(partyLines({ name: 'Acme', address: [], taxId: '' })).toEqual(['Acme']);
  expect(recipientOf({ ...address, name: 'Acme Ltd' }, 'Acme IT').name).toBe('Acme Ltd');
});

test('a statement has the number of its month among those with movements, whatever comes later', () => {
  const months = [{ month: '2026-11' }, { month: '2026-09' }, { month: '2026-08' }];
  expect(statementNumber('2026-08', months)).toBe(1);
  expect(statementNumber('2026-09', months)).toBe(2);
  expect(statementNumber('2026-09', [{ month: '2026-12' }, ...months])).toBe(2);
});

test('a receipt says that something is still open while an item is, and nothing of it else', () => {
  const open = 'Items that are still being processed are not on this receipt.';
  const states = ['queued', 'sending', 'pending', 'unknown', 'review', 'succeeded', 'declined'];
  const said = (state: string) => receiptNote([{ state: 'succeeded' }, { state }]).includes(open);
  expect(states.filter(said)).toEqual(['queued', 'sending', 'pending', 'unknown', 'review']);
  expect(receiptNote([])).toBe(
    'Paid from the prepaid balance. Tax: $0.00. The amounts are in US dollars, and no tax was charged. Later charges and refunds for this order are added under the same number.',
  );
});

test.each([
  ['2024-02', '2024-02-29'],
  ['2025-02', '2025-02-28'],
  ['2025-04', '2025-04-30'],
  ['2025-12', '2025-12-31'],
  ['2025-01', '2025-01-31'],
])('the month %s ends with the day %s', (month, last) => {
  expect(daysOf(month)).toEqual({ first: `${month}-01`, last });
});

test('a statement says its days, and that its month goes on until the next one begins in UTC', () => {
  const days = 'Nov 1, 2026 to Nov 30, 2026 (UTC)';
  expect(periodText('2026-11', new Date('2026-11-30T23:59:59.999Z'))).toBe(`${days}, not ended yet`);
  expect(periodText('2026-11', new Date('2026-12-01T00:00:00.000Z'))).toBe(days);
  expect(periodText('2026-11', new Date('2027-01-01T00:00:00.000Z'))).toBe(days);
});

test('a month’s sums are those of its lines: what was there before the first, what came, what went, and what the last left', () => {
  const line = (amount: number, balance: number) => ({ amount, balance }) as StatementLine;
  expect(
    monthOf('2026-11', [line(5_00, 15_00), line(-2_50, 12_50), line(-1, 12_49), line(1, 12_50)]),
  ).toEqual({
    ...{ month: '2026-11', opening: 10_00, in: 5_01, out: -2_51, closing: 12_50, lines: 4 },
  });
  expect(monthOf('2026-11', [line(-5_00, -2_00)])).toMatchObject({ opening: 3_00, in: 0, closing: -2_00 });
  expect(monthOf('2026-11', [])).toBeNull();
});
