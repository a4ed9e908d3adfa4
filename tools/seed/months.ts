import { addCertificates } from './certificates.ts';
import { type DemoDomain, demoCompanies, demoDomains, halves } from './companies.ts';
import { billedLater, billedSince, startBilling } from './direct-billing.ts';
import { edit, edits, writeZones } from './edits.ts';
import { buyAll, chargesSettled, fund } from './orders.ts';
import { asOwner, runJob } from './past.ts';
import { addPeople, openAccount } from './people.ts';
import { each, type Seeding, until, type Who } from './seeding.ts';

/** A year and a half of an MSP: customers come, names are bought and renewed, zones are changed. */

const halfDays = 15;
const yearDays = 365;
/** The last half month is over by so many days. */
const sinceThenDays = 2;
/** A name is renewed eleven months later. */
const renewedAfter = 22;
/** Within a half month. */
const renewalDay = 6;
const editDay = 9;
const certificateDay = 13;
/** How many days before its expiry a name is when its renewal is bought. */
const renewedBeforeDays = 29;

const dearestYearCents = 2_000;

const daysAgoOf = (half: number) => (halves - half) * halfDays + sinceThenDays;

export async function liveThrough(seeding: Seeding): Promise<void> {
  const zones = new Map();
  for (let half = 0; half < halves; half += 1) {
    const daysAgo = daysAgoOf(half);
    if (half === 0) await seeding.on(daysAgo + 1, 13.4, () => openAccount(seeding));
    await seeding.on(daysAgo, 13.9, () => addCustomers(seeding, half));
    if (half === 0) await seeding.on(daysAgo, 14.1, () => addPeople(seeding));
    if (half === billedSince) await seeding.on(daysAgo, 14.2, () => startBilling(seeding, billedLater));
    const bought = demoDomains.filter((domain) => domain.half === half);
    await seeding.on(daysAgo, 14.5, () => register(seeding, half, bought));
    await seeding.on(daysAgo, 15.2, () => writeZones(seeding, zones, bought));
    await renewals(seeding, half);
    for (const one of edits.filter((each) => each.half === half)) {
      await seeding.on(daysAgo - editDay, 13.3 + (half % 7), () => edit(seeding, zones, one));
    }
    await addCertificates(seeding, half, daysAgo - certificateDay);
    const done = demoDomains.filter((domain) => domain.half <= half).length;
    seeding.progress.at(done, demoDomains.length, 'domains');
  }
}

async function addCustomers(seeding: Seeding, half: number): Promise<void> {
  for (const { joins, contact } of demoCompanies) {
    if (joins !== half) continue;
    const contacts = { owner: contact, admin: contact, billing: contact };
    const who = half === 0 ? 'admin' : 'employee';
    const { customerId } = await seeding.call<{ customerId: string }>(who, 'POST', 'customer', { contacts });
    seeding.customerIds.push(customerId);
  }
}

const buyers: readonly Who[] = ['employee', 'admin', 'employee', 'owner'];
const buyerOf = (half: number): Who => buyers[half % buyers.length] ?? 'admin';

async function register(seeding: Seeding, half: number, bought: readonly DemoDomain[]): Promise<void> {
  if (bought.length === 0) return;
  const domains = bought.map((domain) => ({
    address: domain.address,
    customerId: seeding.customerIds[domain.company],
    period: yearsOf(domain),
    whois: domain.company % 2 === 0,
    autoRenew: renewsItself(domain),
  }));
  await buyAll(seeding, buyerOf(half), { domains });
}

const yearsOf = ({ address }: DemoDomain): number => (address.length % 5 === 0 ? 2 : 1);
const renewsItself = ({ company, rank }: DemoDomain): boolean => rank === 0 || (company + rank) % 3 !== 0;

/** Names that nobody renews: by the half month in which they were bought, how many are let go. */
const letGo: Readonly<Record<number, number>> = { 8: 1, 10: 2, 12: 2, 13: 2 };

export const lapsing: ReadonlySet<string> = new Set(
  Object.entries(letGo).flatMap(([half, count]) =>
    demoDomains
      .filter((domain) => domain.half === Number(half) && yearsOf(domain) === 1 && !renewsItself(domain))
      .slice(0, count)
      .map(({ address }) => address),
  ),
);

const isRenewed = (domain: DemoDomain) =>
  yearsOf(domain) === 1 && domain.half + renewedAfter < halves && !lapsing.has(domain.address);

/** The portal renews what renews itself, by its own job; the rest is bought. */
async function renewals(seeding: Seeding, half: number): Promise<void> {
  const due = demoDomains.filter((domain) => domain.half + renewedAfter === half && isRenewed(domain));
  if (due.length === 0) return;
  const itself = due.filter(renewsItself).map(({ address }) => address);
  const byHand = due.filter((domain) => !renewsItself(domain)).map(({ address }) => address);
  await seeding.on(daysAgoOf(half) - renewalDay, 14.3, async () => {
    await fund(seeding, itself.length * dearestYearCents);
    await expireSoon(seeding, itself);
    await runJob(seeding.portal, 'renewals.run');
    await renewed(seeding, itself);
    await chargesSettled(seeding);
  });
  if (byHand.length === 0) return;
  await seeding.on(daysAgoOf(half) - renewalDay - 1, 15.6, () =>
    buyAll(seeding, buyerOf(half + 1), {
      domainRenewals: byHand.map((address) => ({ address, period: 1 })),
    }),
  );
}

/** They have come into the days in which they are renewed, and the portal has seen it. */
async function expireSoon(seeding: Seeding, addresses: readonly string[]): Promise<void> {
  const dates = addresses.map((domain) => ({ domain, expiresInDays: renewedBeforeDays }));
  await seeding.portal.control('registrar', 'domains/dates', dates);
  await each(addresses, async (address) => {
    await seeding.call('admin', 'GET', `domain/details/${address}?type=all_info`);
  });
}

function renewed(seeding: Seeding, addresses: readonly string[]): Promise<void> {
  return asOwner(seeding.portal, (client) =>
    until('the automatic renewals', async () => {
      const { rowCount } = await client.query(
        `SELECT 1 FROM order_items i JOIN orders o ON o.id = i.order_id
         WHERE o.source = 'auto_renew' AND o.ended_at IS NOT NULL AND i.address = ANY ($1)`,
        [addresses],
      );
      return rowCount === addresses.length;
    }),
  );
}

/** The registry's dates of all names, as what was bought for them says. */
export function datesOf(): { domain: string; ageDays: number; expiresInDays: number }[] {
  return demoDomains.map((domain) => {
    const ageDays = daysAgoOf(domain.half);
    const years = yearsOf(domain) + (isRenewed(domain) ? 1 : 0);
    return { domain: domain.address, ageDays, expiresInDays: years * yearDays - ageDays };
  });
}
