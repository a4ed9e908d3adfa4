import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { api, type Msp } from './msp.ts';
import { freshName } from './person.ts';

/** Registers a new name through the API, for the first customer. */
export async function registerDomain(msp: Msp, word: string): Promise<string> {
  const address = freshName(word);
  const [priced] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [{ address, period: 1 }]);
  const customerId = msp.customers[0]?.customerId;
  await api(msp.token, 'POST', 'cart/purchase', {
    domains: [{ address, customerId, period: 1 }],
    price: priced?.price,
  });
  return address;
}

/** Registers a new name and has its DNS managed here. */
export async function managedDomain(msp: Msp, records: readonly object[] = []): Promise<string> {
  const address = await registerDomain(msp, 'zone');
  await api(msp.token, 'POST', `${address}/zone/force_dns_nameservers`);
  if (records.length > 0) await editZone(msp, address, records);
  return address;
}

/** Changes records through the API, as somebody else would at the same time. */
export function editZone(msp: Msp, address: string, records: readonly object[]): Promise<unknown> {
  return api(msp.token, 'PUT', `${address}/zone`, { records });
}

/** Asks the sandbox's DNS server, as `dig` does. */
export async function resolver(): Promise<Resolver> {
  const file = join(process.env.E2E_DATA ?? '', 'ports.json');
  const { dns } = JSON.parse(await readFile(file, 'utf8')) as { dns: number };
  const asked = new Resolver({ timeout: 2_000, tries: 2 });
  asked.setServers([`127.0.0.1:${dns}`]);
  return asked;
}
