import { addCertificates, seededCertificates } from './seed/certificates.ts';
import { type Company, demoCompanies, demoDomains } from './seed/companies.ts';
import { type Chapter, isSeeded, lookAtCertificates, moveIntoPast, refreshDomains } from './seed/past.ts';
import { addPeople, colleagues, demoPassword } from './seed/people.ts';
import { findPortal, type Portal } from './seed/portal.ts';

/**
 * `npm run seed`: fills the running portal with an MSP that can be looked at: 40 customers, some 300 domains, certificates
 * in every state, colleagues of every role, top-ups and orders of a year and a half. Everything is done through the
 * portal's own API against the sandbox, so it adds up; afterwards the times are moved into the past. Always the same;
 * refuses to run twice.
 */

const demo = { email: 'demo@nameward.example', password: demoPassword };
const ordersInAll = 18;
const daysBetweenOrders = 30;
const perTopUp = 1_000;
const daysInYear = 365;

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  if (process.env.NODE_ENV === 'production') throw new Error('Seed data is not for a production.');
  const portal = findPortal();
  if (await isSeeded(portal.databaseUrl, demo.email))
    throw new Error('This portal has the seed data already. A data folder of its own: DATA_DIR=… npm start.');
  const { token, organisationId } = await openAccount(portal);
  const customerIds = await addCustomers(portal, token);
  await addPeople(portal, token, customerIds[0] ?? '');
  const chapters = await buyDomains(portal, token, customerIds);
  await addTransfers(portal, token, customerIds);
  await spreadExpiry(portal, organisationId);
  await moveIntoPast(portal.databaseUrl, organisationId, chapters);
  await certify(portal, customerIds);
  await lookAtCertificates(portal.databaseUrl, organisationId);
  console.log(`\nSign in at ${portal.url} as ${demo.email}, password: ${demo.password}`);
  console.log(`The same password for ${colleagues.map(({ email }) => email).join(', ')}.`);
}

/** Tokens live ten minutes; each part of the work takes a fresh one. */
async function freshToken(portal: Portal): Promise<string> {
  const minted = await portal.control<{ token: string }>('identity', 'tokens/mint', { email: demo.email });
  return minted.token;
}

async function openAccount(portal: Portal): Promise<{ token: string; organisationId: string }> {
  await portal.control('identity', 'users/add', { ...demo, verified: true, name: 'Dana Marsh' });
  const token = await freshToken(portal);
  const { organizationId } = await portal.call<{ organizationId: string }>(token, 'POST', 'user', {
    username: 'danamarsh',
    organization: 'Marsh Managed IT',
  });
  await connectPaymentAccount(portal, token);
  await topUp(portal, token, 100);
  return { token, organisationId: organizationId };
}

/** Onboarding's second step, without its hosted page. */
async function connectPaymentAccount(portal: Portal, token: string): Promise<void> {
  await portal.call(token, 'GET', 'account/link');
  const { id } = await portal.call<{ id: string }>(token, 'POST', 'account/refresh');
  await portal.control('payments', 'account-finish', { account: id });
  await portal.call(token, 'POST', 'account/refresh');
}

async function topUp(portal: Portal, token: string, amount: number): Promise<void> {
  const started = await portal.call<{ intentSecret: string; topupId: string }>(
    token,
    'POST',
    'account/topupv2',
    { amount },
  );
  await portal.control('payments', 'pay', {
    paymentIntent: started.intentSecret.split('_secret_')[0],
    paymentMethod: 'pm_card_visa',
  });
  await portal.call(token, 'GET', `account/topup/${started.topupId}`);
}

async function addCustomers(portal: Portal, token: string): Promise<string[]> {
  const ids: string[] = [];
  for (const company of demoCompanies) {
    const { customerId } = await portal.call<{ customerId: string }>(
      token,
      'POST',
      'customer',
      contactsOf(company),
    );
    ids.push(customerId);
    progress('customers', ids.length, demoCompanies.length);
  }
  return ids;
}

function contactsOf({ contact }: Company) {
  return { contacts: { owner: contact, admin: contact, billing: contact } };
}

/** An order a month, each after a top-up when the balance asks for one. */
async function buyDomains(portal: Portal, first: string, customerIds: string[]): Promise<Chapter[]> {
  const names = demoDomains;
  const chapters: Chapter[] = [];
  const perOrder = Math.ceil(names.length / ordersInAll);
  let token = first;
  let from = new Date(0);
  for (let order = 0; order < ordersInAll; order += 1) {
    if (order % 6 === 5) token = await freshToken(portal);
    if (order % 3 === 0) await topUp(portal, token, perTopUp);
    const lines = names.slice(order * perOrder, (order + 1) * perOrder).map(({ address, company }) => ({
      address,
      customerId: customerIds[company],
      period: address.length % 5 === 0 ? 2 : 1,
      whois: company % 2 === 0,
      autoRenew: company % 3 !== 0,
    }));
    await buy(portal, token, { domains: lines });
    const until = new Date();
    chapters.push({ from, until, daysAgo: (ordersInAll - order) * daysBetweenOrders });
    from = until;
    progress('domains', Math.min(names.length, (order + 1) * perOrder), names.length);
  }
  return chapters;
}

async function buy(portal: Portal, token: string, cart: { domains?: Line[]; domainTransfers?: Line[] }) {
  const asked = [
    ...(cart.domains ?? []).map(({ address, period, whois }) => ({ address, period, whois })),
    ...(cart.domainTransfers ?? []).map(({ address }) => ({ address, period: 1, kind: 'transfer' })),
  ];
  const prices = await portal.call<{ price: number }[]>(token, 'POST', 'cart/prices', asked);
  const cents = prices.reduce((sum, { price }) => sum + Math.round(price * 100), 0);
  await portal.call(token, 'POST', 'cart/purchase', { ...cart, price: cents / 100 });
}

interface Line {
  address: string;
  [detail: string]: unknown;
}

/** Two names on their way from another registrar. */
async function addTransfers(portal: Portal, token: string, customerIds: string[]): Promise<void> {
  const coming = ['harbourdental-clinic.com', 'vistatravel-tours.com'];
  await portal.control(
    'registrar',
    'outside-world',
    coming.map((domain) => ({ domain, locked: false, ageDays: 900, authCode: 'EPP-2468-move' })),
  );
  await buy(portal, token, {
    domainTransfers: coming.map((address, index) => ({
      address,
      customerId: customerIds[index * 20],
      EPPCode: 'EPP-2468-move',
    })),
  });
}

/** For the youngest names: they are far from their expiry. */
async function certify(portal: Portal, customerIds: readonly string[]): Promise<void> {
  const token = await freshToken(portal);
  await topUp(portal, token, 500);
  const youngest = demoDomains.slice(-seededCertificates).map(({ address, company }) => ({
    address,
    customerId: customerIds[company] ?? '',
  }));
  await addCertificates(portal, token, youngest);
  progress('certificates', seededCertificates, seededCertificates);
}

/** Registered a while ago, so that some names expire tomorrow and some in a year; the portal then reads them anew. */
async function spreadExpiry(portal: Portal, organisationId: string): Promise<void> {
  const names = demoDomains;
  await portal.control(
    'registrar',
    'domains/dates',
    names.map(({ address }, index) => {
      // Oldest first, as they were bought; those of the first year have been renewed since.
      const ageDays = Math.round(((names.length - index) / names.length) * ordersInAll * daysBetweenOrders);
      return { domain: address, ageDays, expiresInDays: daysInYear - (ageDays % daysInYear) };
    }),
  );
  await refreshDomains(portal.databaseUrl, organisationId, (done, all) => progress('details', done, all));
}

function progress(what: string, done: number, all: number): void {
  if (process.stdout.isTTY) process.stdout.write(`\r  ${what}: ${done} of ${all}   `);
  if (done === all) console.log(process.stdout.isTTY ? '' : `  ${what}: ${all}`);
}
