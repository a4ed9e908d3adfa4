import { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { expect, test } from 'vitest';
import { may, type Permission, permissions, type Role } from '#contracts/permissions.ts';
import { screenMarkup } from '../../../tests/support/screen-markup.tsx';
import DomainTransferStatusScreen from './domain-transfer-status.tsx';
import RenewalsScreen from './renewals.tsx';

/** The words of a screen as this role sees it, with what it has read. */
async function shown(component: ComponentType, role: Role, key: readonly unknown[], data: unknown) {
  const client = new QueryClient();
  const allowed = (Object.keys(permissions) as Permission[]).filter((permission) => may(role, permission));
  client.setQueryData(['profile'], { permissions: allowed });
  client.setQueryData(key, data);
  const markup = await screenMarkup(component, client);
  return markup.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
}

const failed = {
  ...{ domain: 'acme.com', customer: '', orderId: 'order', state: 'failed', steps: [], held: null },
  ...{ reason: 'The code is wrong.', stuck: false, askedAt: null, nameservers: { before: null } },
};
const transferFor = (role: Role) =>
  shown(DomainTransferStatusScreen, role, ['transfers', 'acme.com'], failed);

test("a failed transfer offers its order and another try to those who may; a customer's user is told who can", async () => {
  const employee = await transferFor('MSP_EMPLOYEE');
  expect(employee).toMatch(/The code is wrong. You were not charged. .* Transfer again /);
  expect(employee).toContain('Show the order');
  const customer = await transferFor('MSP_CUSTOMER');
  expect(customer).toContain('The code is wrong.');
  expect(customer).toContain('Your provider can transfer it again.');
  expect(customer).not.toMatch(/charged|Transfer again|Show the order/);
});

const short = {
  ...{ shortFrom: '2026-08-01T00:00:00Z', missing: 20, spendable: 1_000, automaticTotal: 30, unpriced: 0 },
  rows: [
    {
      ...{ address: 'acme.com', customerId: 'c', customer: 'Acme', expireDate: '2026-08-01T00:00:00Z' },
      ...{ autoRenew: true, price: 30, state: 'scheduled' },
    },
  ],
};
const renewalsFor = (role: Role) => shown(RenewalsScreen, role, ['account', 'renewals', 90], short);

test('a balance that runs out offers a top-up to those who may; others are told who can', async () => {
  const employee = await renewalsFor('MSP_EMPLOYEE');
  expect(employee).toContain('Your balance will run out');
  expect(employee).toContain('An owner or administrator can top up the balance.');
  expect(employee).not.toContain('Top up ');
  const admin = await renewalsFor('MSP_ADMIN');
  expect(admin).toContain('Top up ');
  expect(admin).not.toContain('An owner or administrator');
});
