import { expect, test } from 'vitest';
import { paperNumber, partyLines, recipientOf, statementNumber } from './papers.rules.ts';

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
