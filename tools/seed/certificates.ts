import { makeCsr } from '../../src/web/features/certificates/make-csr.ts';
import type { Portal } from './portal.ts';

const pollMs = 500;
const withinMs = 90_000;

/** How each of the demonstration's certificates is to stand in the end. */
type Fate =
  | 'completed'
  | 'proof-gone'
  | 'expires-soon'
  | 'expired'
  | 'revoked'
  | 'declined'
  | 'cancelled'
  | 'in-progress'
  | 'awaits-file'
  | 'awaits-mail';

const fates: readonly Fate[] = [
  ...Array<Fate>(6).fill('completed'),
  ...(['proof-gone', 'expires-soon', 'expired', 'revoked', 'declined', 'cancelled'] as const),
  ...(['in-progress', 'awaits-file', 'awaits-mail'] as const),
];
/** These are proven by the portal itself; the others wait for a person, so that the sandbox's hand can move them. */
const provenByDns: readonly Fate[] = ['completed', 'proof-gone', 'revoked'];

interface Owned {
  address: string;
  customerId: string;
}
interface Row {
  address: string;
  orderId: string | null;
  state: string;
  validTo: string | null;
}

export const seededCertificates = fates.length;

/** Buys a certificate for each of these domains in one order, and brings them into the states of real life. */
export async function addCertificates(portal: Portal, token: string, owned: readonly Owned[]): Promise<void> {
  const domains = fates.flatMap((fate, index) => {
    const domain = owned[index];
    return domain ? [{ ...domain, fate }] : [];
  });
  await order(portal, token, domains);
  const of = (fate: Fate) => domains.filter((domain) => domain.fate === fate).map(({ address }) => address);
  const state = (wanted: string, addresses: readonly string[]) =>
    until(portal, token, (rows) =>
      addresses.every((address) => rows.find((row) => row.address === address)?.state === wanted),
    );
  const found = await state('completed', [...of('completed'), ...of('revoked'), ...of('proof-gone')]);
  const idOf = (address: string | undefined) => found.find((row) => row.address === address)?.orderId ?? '';

  const dates = { 'expires-soon': 12, expired: -4 } as const;
  for (const fate of ['expires-soon', 'expired'] as const) {
    for (const address of of(fate)) {
      const input = { orderId: idOf(address), expiresInDays: dates[fate] };
      await portal.control('registrar', 'certificates/dates', input);
    }
  }
  for (const address of of('declined')) {
    const reason = 'The name is on the list of high-risk names.';
    await portal.control('registrar', 'certificates/decline', { orderId: idOf(address), reason });
  }
  for (const address of of('in-progress')) {
    await portal.control('registrar', 'certificates/hold', { orderId: idOf(address), at: 'in-progress' });
  }
  for (const address of of('awaits-mail')) {
    const chosen = { method: 'Email', approverEmail: `hostmaster@${address}` };
    await portal.call(token, 'POST', `ssl/order/${idOf(address)}/validation`, chosen);
  }
  for (const address of of('revoked'))
    await portal.call(token, 'POST', `ssl/order/${idOf(address)}/revoke`, { confirm: address });
  for (const address of of('cancelled'))
    await portal.call(token, 'POST', `ssl/order/${idOf(address)}/cancel`);
  for (const address of of('proof-gone')) await removeProof(portal, token, address);
  await state('completed', of('expires-soon'));
  await state('expired', of('expired'));
  await state('declined', of('declined'));
  await state('in-progress', of('in-progress'));
}

async function order(
  portal: Portal,
  token: string,
  domains: readonly (Owned & { fate: Fate })[],
): Promise<void> {
  const prices = await portal.call<{ productType: string; provider: string; pricePerYear: number }[]>(
    token,
    'GET',
    'ssl/prices',
  );
  const plain = prices.filter(({ productType }) => !/wildcard|ev|pro/.test(productType));
  let cents = 0;
  const certificates = [];
  for (const [index, { address, customerId, fate }] of domains.entries()) {
    const product = plain[index % Math.min(3, plain.length)];
    if (!product) throw new Error('The portal offers no certificate.');
    cents += Math.round(product.pricePerYear * 100);
    const subject = { name: address, organization: '', country: '' };
    const { csrPem } = await makeCsr(subject, index % 2 === 0 ? 'ec-p256' : 'rsa-2048');
    const method = provenByDns.includes(fate) ? 'DNS' : 'File';
    certificates.push({
      ...{ domain: address, provider: product.provider, productType: product.productType, customerId },
      ...{ handle: 'process', regType: 'new', dvAuthMethod: method, period: 1, csr: csrPem },
    });
  }
  await portal.call(token, 'POST', 'cart/purchase', { certificates, price: cents / 100 });
}

/** Somebody tidies up the zone: the next reissue will not be validated. */
async function removeProof(portal: Portal, token: string, address: string): Promise<void> {
  const zone = await portal.call<{ records: Record<string, { subdomain: string }[]> }>(
    token,
    'GET',
    `${address}/zone`,
  );
  const records = ['TXT', 'CNAME'].flatMap((type) =>
    (zone.records[type] ?? [])
      .filter(({ subdomain }) => subdomain.startsWith('_'))
      .map((record) => ({ type, action: 'remove', ...record })),
  );
  await portal.call(token, 'PUT', `${address}/zone`, { records });
}

async function until(
  portal: Portal,
  token: string,
  ready: (rows: readonly Row[]) => boolean,
): Promise<Row[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const rows = await portal.call<Row[]>(token, 'GET', 'ssl');
    if (ready(rows)) return rows;
    if (Date.now() > deadline) {
      const states = rows.map(({ address, state }) => `${address} ${state}`).join(', ');
      throw new Error(`The certificates did not come to their states in time: ${states}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
