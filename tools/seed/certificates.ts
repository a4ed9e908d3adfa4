import { makeCsr } from '../../src/web/features/certificates/make-csr.ts';
import { demoCompanies } from './companies.ts';
import { chargesSettled, fund } from './orders.ts';
import { type Seeding, until, withKnobs } from './seeding.ts';

/** Certificates in every state there is, ordered at three times. */

type Fate =
  | 'completed'
  | 'reissued'
  | 'proof-gone'
  | 'expires-soon'
  | 'expired'
  | 'revoked'
  | 'declined'
  | 'cancelled'
  | 'in-progress'
  | 'not-validated'
  | 'awaits-file'
  | 'awaits-mail';

type Fates = Readonly<Partial<Record<Fate, readonly number[]>>>;

/** Which companies' first names got one in which half month, and what became of it. */
const issuedIn: Readonly<Record<number, Fates>> = {
  21: { expired: [12] },
  23: { 'expires-soon': [16, 22], reissued: [1] },
  29: { completed: [0, 4, 6, 11, 18], 'proof-gone': [20], revoked: [24] },
};
const lately: Fates = {
  ...{ completed: [8], declined: [3], cancelled: [27], 'in-progress': [2], 'not-validated': [30] },
  ...{ 'awaits-file': [33], 'awaits-mail': [36] },
};
/** Of that many days at the most may a certificate be; an order is for a year. */
const validityDays = 199;
const termDays = 365;
/** Proven by the portal itself; the others wait for a person. */
const provenByDns: readonly Fate[] = ['completed', 'reissued', 'proof-gone', 'revoked', 'not-validated'];

/** Its DNS is elsewhere, so that the portal cannot prove control of it. */
export const servedElsewhere = (lately['not-validated'] ?? []).map(nameOf);

interface Row {
  address: string;
  orderId: string | null;
  state: string;
}
interface Wanted {
  address: string;
  company: number;
  fate: Fate;
}

function nameOf(company: number): string {
  return `${demoCompanies[company]?.word}.com`;
}

function wantedOf(of: Fates): Wanted[] {
  return Object.entries(of).flatMap(([fate, companies]) =>
    companies.map((company) => ({ address: nameOf(company), company, fate: fate as Fate })),
  );
}

const quick = { certificateCheckMs: 200, certificateIssueMs: 200 };
/** Nothing is issued but by this program's hand, with the dates of its time. */
const still = { ...quick, certificateIssueMs: 3_600_000, certificateReissueDays: 0 };

/** Orders those of a half month; they were issued on the same day, so many days ago. */
export async function addCertificates(seeding: Seeding, half: number, daysAgo: number): Promise<void> {
  const fates = issuedIn[half];
  if (!fates) return;
  await withKnobs(seeding.portal, still, () =>
    seeding.on(daysAgo, 15.1, () => orderIssued(seeding, daysAgo, wantedOf(fates))),
  );
}

/** Orders the latest ones, and brings them into the states in which they wait for somebody. */
export async function addOpenCertificates(seeding: Seeding): Promise<void> {
  const wanted = wantedOf(lately);
  await withKnobs(seeding.portal, quick, async () => {
    await seeding.on(2, 16.2, () => order(seeding, wanted));
    await seeding.on(1, 14.7, () =>
      bringAbout(seeding, [...wanted, ...Object.values(issuedIn).flatMap(wantedOf)]),
    );
  });
}

/** Orders certificates that were issued on the same day, so many days ago. */
async function orderIssued(seeding: Seeding, daysAgo: number, wanted: readonly Wanted[]): Promise<void> {
  await order(seeding, wanted);
  const byDns = wanted.filter(({ fate }) => provenByDns.includes(fate)).map(({ address }) => address);
  await until('the proofs are seen', async () => {
    const { orders } = await seeding.portal.control<{ orders: { domain: string; state: string }[] }>(
      ...(['registrar', 'certificates'] as const),
    );
    return byDns.every((address) => orders.find(({ domain }) => domain === address)?.state === 'in-progress');
  });
  const orderIdOf = await orderIds(seeding);
  for (const { address } of wanted) {
    const expiresInDays = validityDays - daysAgo;
    const validFrom = new Date(Date.now() - (daysAgo + 1) * 86_400_000).toISOString().slice(0, 10);
    await seeding.portal.control('registrar', 'certificates/dates', {
      ...{ orderId: orderIdOf(address), expiresInDays, validFrom, termEndsInDays: termDays - daysAgo },
    });
  }
  await states(
    seeding,
    wanted.map(({ address, fate }) => ({ address, state: fate === 'expired' ? 'expired' : 'completed' })),
  );
}

async function order(seeding: Seeding, wanted: readonly Wanted[]): Promise<void> {
  const prices = await seeding.call<{ productType: string; provider: string; pricePerYear: number }[]>(
    ...(['employee', 'GET', 'ssl/prices'] as const),
  );
  const plain = prices.filter(({ productType }) => !/wildcard|ev|pro/.test(productType));
  let cents = 0;
  const certificates = [];
  for (const [index, { address, company, fate }] of wanted.entries()) {
    const product = plain[index % Math.min(3, plain.length)];
    if (!product) throw new Error('The portal offers no certificate.');
    cents += Math.round(product.pricePerYear * 100);
    const subject = { name: address, organization: '', country: '' };
    const { csrPem } = await makeCsr(subject, index % 2 === 0 ? 'ec-p256' : 'rsa-2048');
    certificates.push({
      ...{ domain: address, provider: product.provider, productType: product.productType },
      ...{ customerId: seeding.customerIds[company], handle: 'process', regType: 'new', period: 1 },
      ...{ dvAuthMethod: provenByDns.includes(fate) ? 'DNS' : 'File', csr: csrPem },
    });
  }
  await fund(seeding, cents);
  await seeding.call('employee', 'POST', 'cart/purchase', { certificates, price: cents / 100 });
  await chargesSettled(seeding);
}

/** What became of those that were ordered lately, and of some of the others. */
async function bringAbout(seeding: Seeding, wanted: readonly Wanted[]): Promise<void> {
  const { portal } = seeding;
  const of = (fate: Fate) => wanted.filter((each) => each.fate === fate).map(({ address }) => address);
  const orderIdOf = await orderIds(seeding);
  for (const address of of('declined')) {
    const reason = 'The name is on the list of high-risk names.';
    await portal.control('registrar', 'certificates/decline', { orderId: orderIdOf(address), reason });
  }
  for (const address of of('in-progress')) {
    await portal.control('registrar', 'certificates/hold', {
      orderId: orderIdOf(address),
      at: 'in-progress',
    });
  }
  for (const address of of('awaits-mail')) {
    const chosen = { method: 'Email', approverEmail: `hostmaster@${address}` };
    await seeding.call('employee', 'POST', `ssl/order/${orderIdOf(address)}/validation`, chosen);
  }
  for (const address of of('revoked'))
    await seeding.call('employee', 'POST', `ssl/order/${orderIdOf(address)}/revoke`, { confirm: address });
  for (const address of of('cancelled'))
    await seeding.call('employee', 'POST', `ssl/order/${orderIdOf(address)}/cancel`);
  for (const address of of('proof-gone')) await removeProof(seeding, address);
  await states(seeding, [
    ...of('completed').map((address) => ({ address, state: 'completed' })),
    ...of('declined').map((address) => ({ address, state: 'declined' })),
    ...of('in-progress').map((address) => ({ address, state: 'in-progress' })),
  ]);
}

/** Somebody tidies up the zone: the next reissue will not be validated. */
async function removeProof(seeding: Seeding, address: string): Promise<void> {
  const zone = await seeding.call<{ records: Record<string, { subdomain: string }[]> }>(
    ...(['employee', 'GET', `${address}/zone`] as const),
  );
  const records = ['TXT', 'CNAME'].flatMap((type) =>
    (zone.records[type] ?? [])
      .filter(({ subdomain }) => /^_(?!dmarc)/.test(subdomain))
      .map((record) => ({ type, action: 'remove', ...record })),
  );
  await seeding.call('employee', 'PUT', `${address}/zone`, { records, reason: 'Tidied up' });
}

async function orderIds(seeding: Seeding): Promise<(address: string) => string> {
  const rows = await seeding.call<Row[]>('employee', 'GET', 'ssl');
  return (address) => rows.find((row) => row.address === address)?.orderId ?? '';
}

/** Looking at a certificate has the portal ask the registrar about it. */
async function states(
  seeding: Seeding,
  wanted: readonly { address: string; state: string }[],
): Promise<void> {
  const orderIdOf = await orderIds(seeding);
  await until('the certificates have come to their states', async () => {
    for (const { address } of wanted)
      await seeding.call('employee', 'GET', `ssl/order/${orderIdOf(address)}`);
    const rows = await seeding.call<Row[]>('employee', 'GET', 'ssl');
    return wanted.every(({ address, state }) => rows.find((row) => row.address === address)?.state === state);
  });
}
