import { expect, test } from 'vitest';
import { targetsOfView } from './change-new-views.ts';

const targets = (query: string) => targetsOfView({ id: 'v', name: 'V', query }).targets;

test('a saved view becomes its filters; one that only sorts is all domains', () => {
  const customer = '6f1b0f0e-0000-4000-8000-000000000001';
  expect(targets(`customer=${customer}&kind=manual&expiring=60&search=acme&sort=-address`)).toEqual({
    kind: 'filter',
    filter: { search: 'acme', customerId: customer, autoRenew: 'off', expiringWithinDays: 60 },
  });
  expect(targets('sort=-address')).toEqual({ kind: 'all' });
});
