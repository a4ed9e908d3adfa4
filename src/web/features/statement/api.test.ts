import { expect, test } from 'vitest';
import { asked, id, testFiles, testWrites } from '../../../../tests/support/asked.tsx';
import { useSaveCsv, useSaveEarnings, useSaveMonth, useSetRecipient } from './api.ts';

const recipient = { name: 'Acme', address: ['1 Street', 'Oslo'], taxId: 'NO 1' };

testWrites(useSetRecipient, [
  [
    'a recipient',
    (set) => set.mutateAsync(recipient),
    ['PUT /account/statement/recipient', recipient],
    [],
    ['recipient'],
  ],
]);

test('a recipient that was set is shown at once', async () => {
  expect((await asked(useSetRecipient, (set) => set.mutateAsync(recipient))).put).toEqual(['recipient']);
});

const days = { from: '2026-10-01', to: '2026-10-31' };
testFiles(
  () => ({ csv: useSaveCsv(), month: useSaveMonth(), earnings: useSaveEarnings() }),
  [
    [
      'the statement',
      ({ csv }) => csv.mutateAsync({ ...days, kind: 'refund', customer: id, search: 'acme' }),
      `GET /account/statement/csv?from=2026-10-01&to=2026-10-31&kind=refund&customer=${id}&search=acme`,
    ],
    ['a month', ({ month }) => month.mutateAsync('2026-10'), 'GET /account/statement/2026-10/pdf'],
    [
      'the earnings',
      // The file has all groups of them.
      ({ earnings }) => earnings.mutateAsync({ ...days, by: 'customer' }),
      'GET /account/earnings/csv?from=2026-10-01&to=2026-10-31',
    ],
  ],
);
