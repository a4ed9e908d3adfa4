import { Acme } from '../../tests/support/acme-protocol.ts';
import { newRequestKeys, requestFor } from '../../tests/support/acme-request.ts';
import type { Seeding } from './seeding.ts';

const slowAuthorityMs = 300_000;

/** What works by itself: scripts with API tokens, and servers that get their certificates by ACME. */
export async function addMachines({ portal, call, customerIds }: Seeding): Promise<void> {
  const year = { validDays: 365 };
  const tokens = [
    { name: 'Ticket system', permissions: ['domains.read', 'customers.read', 'orders.read'], ...year },
    { name: 'DNS from the build', permissions: ['domains.read', 'dns.write'], customerId: customerIds[9] },
    { name: 'Monthly report', permissions: ['balance.read', 'statement.export'], ...year },
  ];
  for (const token of tokens) await call('admin', 'POST', 'user/tokens', token);
  const buys = { ordersPerMonth: 2, centsPerMonth: 60_00 };
  const accesses = [
    {
      name: 'Web server web-01',
      ...{ customerId: customerIds[0], hosts: null, mayBuy: buys },
      // Its first certificate, and then a name that somebody misspelled in its settings.
      asksFor: ['www.bluefig.com', 'www.bluefigg.com'],
    },
    {
      name: 'Mail gateway',
      customerId: customerIds[9],
      hosts: ['mail.brightsidechildcare.com'],
      mayBuy: null,
      // It may not buy, so that a person has to act.
      asksFor: ['mail.brightsidechildcare.com'],
    },
    {
      name: 'Reverse proxy in the cloud',
      ...{ customerId: customerIds[11], hosts: null, mayBuy: null, asksFor: [] },
    },
  ];
  for (const { asksFor, ...access } of accesses) {
    const made = await call<{ keyId: string; hmacKey: string }>('admin', 'POST', 'acme/access', {
      ...{ ...access, productType: 'rapidssl', lastDay: null },
    });
    await askAsServer(`${portal.url}/acme/directory`, made, asksFor);
  }
}

/** As a client of the customer's server would: refusals are in the log of the access, and that is what they are for. */
async function askAsServer(
  directory: string,
  { keyId, hmacKey: key }: { keyId: string; hmacKey: string },
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const client = new Acme(directory);
  await client.register({ id: '', keyId, key });
  const keys = await newRequestKeys();
  for (const name of names) {
    const order = await client.order(name);
    if (order.status !== 201) continue;
    const finalized = await client.post(order.json.finalize, { csr: await requestFor([name], keys) });
    if (finalized.status !== 200) continue;
    const { json } = await client.settled(order.headers.get('location') ?? '', slowAuthorityMs);
    if (json.status === 'valid') await client.post(json.certificate);
  }
}
