import { expect, test } from 'vitest';
import type { OperationSpec } from '#contracts/operation.ts';
import { FileReply, Paged } from '#kernel/binding.ts';
import { statementRoutes } from './statement.routes.ts';

/** What each address of the statement hands on, and under which name its files arrive. */

const scope = { organisationId: 'org' };
const asked: unknown[] = [];
const tells =
  (what: string, reply: unknown) =>
  async (...given: unknown[]) => {
    asked.push([what, ...given]);
    return reply;
  };
const file = Buffer.from('file');
const stand = {
  list: tells('list', { rows: ['line'], total: 7 }),
  months: tells('months', ['month']),
  csv: (...given: unknown[]) => {
    asked.push(['csv', ...given]);
    return file;
  },
  monthPdf: tells('monthPdf', file),
  receipt: tells('receipt', file),
  earnings: {
    list: tells('earnings', ['row']),
    csv: tells('earnings.csv', file),
    address: tells('address', 'address'),
    setAddress: tells('setAddress', undefined),
  },
};
const call = async (id: string, input: { query?: unknown; params?: unknown; body?: unknown }) => {
  const routes = statementRoutes(stand as never);
  const route = routes.find(({ operation }) => (operation as OperationSpec & { id: string }).id === id);
  asked.length = 0;
  return route?.handler({ scope, query: {}, params: {}, ...input } as never);
};

test.each<[string, { query?: unknown; params?: unknown }, unknown[], string, string]>([
  [
    'statement.csv',
    { query: { from: 'x' } },
    ['csv', scope, { from: 'x' }],
    'text/csv; charset=utf-8',
    'statement.csv',
  ],
  [
    'statement.pdf',
    { params: { month: '2026-10' } },
    ['monthPdf', scope, '2026-10'],
    'application/pdf',
    'statement-2026-10.pdf',
  ],
  [
    'statement.receipt',
    { params: { id: 'o1' } },
    ['receipt', scope, 'o1'],
    'application/pdf',
    'receipt-o1.pdf',
  ],
  [
    'earnings.csv',
    { query: { to: 'y' } },
    ['earnings.csv', scope, { to: 'y' }],
    'text/csv; charset=utf-8',
    'earnings.csv',
  ],
])('%s is a file of its kind and name, made for who asks', async (id, input, expected, type, name) => {
  expect(await call(id, input)).toEqual(new FileReply(file, type, name));
  expect(asked).toEqual([expected]);
});

test('a page of the statement says how many lines there are; without a page the lines stand alone', async () => {
  const query = { page: 2, pageSize: 5 };
  expect(await call('statement.list', { query })).toEqual(
    new Paged(['line'] as never, { total: 7, page: 2, pageSize: 5 }),
  );
  expect(asked).toEqual([['list', scope, query]]);
  expect(await call('statement.list', { query: { pageSize: 5 } })).toEqual(
    new Paged(['line'] as never, null),
  );
});

test('the other addresses hand on what was asked', async () => {
  expect([await call('statement.months', {}), asked]).toEqual([['month'], [['months', scope]]]);
  const query = { by: 'kind', customerId: 'c' };
  expect([await call('earnings.list', { query }), asked]).toEqual([['row'], [['earnings', scope, query]]]);
  expect(await call('statement.address', {})).toBe('address');
  const body = { name: 'Acme', address: [], taxId: '' };
  expect([await call('statement.setAddress', { body }), asked]).toEqual([{}, [['setAddress', scope, body]]]);
});
