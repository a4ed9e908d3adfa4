import type { Seeding } from './seeding.ts';

/** What works by itself: scripts with API tokens, and servers that get their certificates by ACME. */
export async function addMachines({ call, customerIds }: Seeding): Promise<void> {
  const year = { validDays: 365 };
  const tokens = [
    { name: 'Ticket system', permissions: ['domains.read', 'customers.read', 'orders.read'], ...year },
    { name: 'DNS from the build', permissions: ['domains.read', 'dns.write'], customerId: customerIds[9] },
    { name: 'Monthly report', permissions: ['balance.read', 'statement.export'], ...year },
  ];
  for (const token of tokens) await call('admin', 'POST', 'user/tokens', token);
  const buys = { ordersPerMonth: 2, centsPerMonth: 60_00 };
  const accesses = [
    { name: 'Web server web-01', customerId: customerIds[0], hosts: null, mayBuy: buys },
    {
      name: 'Mail gateway',
      customerId: customerIds[9],
      hosts: ['mail.brightsidechildcare.com'],
      mayBuy: null,
    },
    { name: 'Reverse proxy in the cloud', customerId: customerIds[11], hosts: null, mayBuy: null },
  ];
  for (const access of accesses) {
    await call('admin', 'POST', 'acme/access', { ...access, productType: 'rapidssl', lastDay: null });
  }
}
