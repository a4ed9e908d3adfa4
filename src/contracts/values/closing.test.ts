import { expect, test } from 'vitest';
import { closingReasons, closingRefusal, organizationText, reasonText } from './closing.ts';

test('each reason says how many, or how much', () => {
  const told = (count: number) => closingReasons.map((reason) => reasonText({ reason, count }));
  expect(told(1)).toEqual([
    ...[
      '1 other user',
      '1 open invitation',
      '1 customer',
      '1 import under way',
      '1 domain',
      '1 order under way',
    ],
    ...['1 certificate that has not ended', 'a balance of $0.01', '$0.01 reserved for orders'],
    ...['$0.01 on the way to the balance', '1 open top-up', '1 open direct charge', '1 refund under way'],
  ]);
  expect(told(1_200)).toEqual([
    ...['1,200 other users', '1,200 open invitations', '1,200 customers', '1,200 imports under way'],
    ...['1,200 domains', '1,200 orders under way', '1,200 certificates that have not ended'],
    ...['a balance of $12.00', '$12.00 reserved for orders', '$12.00 on the way to the balance'],
    ...['1,200 open top-ups', '1,200 open direct charges', '1,200 refunds under way'],
  ]);
});

test('a refusal is one sentence with all reasons', () => {
  const users = { reason: 'users', count: 2 } as const;
  const domains = { reason: 'domains', count: 1 } as const;
  const balance = { reason: 'balance', count: -500 } as const;
  expect(closingRefusal([users])).toBe('The organization cannot be closed while it has 2 other users.');
  expect(closingRefusal([users, domains, balance])).toBe(
    'The organization cannot be closed while it has 2 other users, 1 domain and a balance of −$5.00.',
  );
});

test('an organization that was closed says so beside its name', () => {
  expect(organizationText('Acme', null)).toBe('Acme');
  expect(organizationText('Acme', '2026-11-22T12:00:00Z')).toBe('Acme (closed)');
});
